package mock

import (
	"testing"

	"go.uber.org/goleak"
)

// No server, connection or timer outlives its test.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
