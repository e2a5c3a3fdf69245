//go:build !linux

package mock

func newRealAlarm() alarm { return newTimerAlarm() }
