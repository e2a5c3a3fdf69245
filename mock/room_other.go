//go:build !linux

package mock

func makeRoom() {}
