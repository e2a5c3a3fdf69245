package llmbench

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSliceLength(t *testing.T) {
	for _, row := range []struct{ length, want time.Duration }{
		{0, 1}, {50, 1}, {51, 2}, {27040 * time.Millisecond, time.Second}, {30 * time.Second, time.Second},
		{time.Hour, 100 * time.Second}, {51 * time.Second, 2 * time.Second}, {120 * time.Second, 5 * time.Second},
	} {
		require.Equal(t, row.want, sliceLength(Window{To: row.length}), "%v", row.length)
	}
}
