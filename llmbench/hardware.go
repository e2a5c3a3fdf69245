package llmbench

import (
	"os"
	"strings"
	"sync"
)

// cpuModel is the processor's model name as Linux tells it; empty elsewhere.
var cpuModel = sync.OnceValue(func() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	return cpuModelIn(string(text))
})

// cpuModelIn finds the first model name of a cpuinfo file: "model name" on x86,
// "Model" or "cpu model" on some others.
func cpuModelIn(cpuinfo string) string {
	for line := range strings.Lines(cpuinfo) {
		key, value, ok := strings.Cut(line, ":")
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "model name", "cpu model":
			if ok {
				return strings.TrimSpace(value)
			}
		}
	}
	return ""
}
