//go:build !linux

package llmbench

func makeRoom(int) {}
