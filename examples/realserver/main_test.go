package realserver

import (
	"os"
	"testing"

	"github.com/llmbench/go/fixtures/servers"
)

// TestMain ends the container that tests share by servers.Reuse.
func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }
