//go:build !unix

package llmbench

import "time"

func processCPU() Known[time.Duration] { return Known[time.Duration]{} }

func openFiles() (open, limit Known[int]) { return open, limit }
