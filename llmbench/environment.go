package llmbench

import (
	"runtime"
	"runtime/debug"
)

// An Environment is what a result was measured with: two results are alike
// only if theirs are. It holds no key and no host name of the machine.
type Environment struct {
	// URL is the address that requests went to, without user, password or
	// query.
	URL   string `json:"url"`
	Model string `json:"model,omitempty"`
	API   string `json:"api"`
	// Notes tell what the harness changed or assumed, the joined URL for one.
	Notes []string `json:"notes,omitempty"`
	// Calibration is how the server counts the prompts; nil if nobody asked.
	Calibration *Calibration `json:"calibration,omitempty"`

	Version string `json:"llmbench_version"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	CPUs    int    `json:"cpus"`
	// Procs is GOMAXPROCS, the processors the generator could use.
	Procs int `json:"gomaxprocs"`
}

func newEnvironment(c *client) *Environment {
	return &Environment{
		URL: c.address, Model: c.model, API: c.call.Protocol.Name(), Notes: c.notes, Calibration: c.calibration,
		Version: version(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		CPUs: runtime.NumCPU(), Procs: runtime.GOMAXPROCS(0),
	}
}

// version is this module's version in the user's build, or "(devel)".
func version() string {
	const path = "github.com/llmbench/go"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)"
	}
	for _, module := range info.Deps {
		if module.Path == path {
			return module.Version
		}
	}
	return "(devel)"
}
