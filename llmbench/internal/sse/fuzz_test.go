package sse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	oracle "github.com/tmaxmax/go-sse"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var fuzzSeeds = []string{
	"data: a\n\n", "\xef\xbb\xbfdata: a\r\n\r\nevent: x\ndata: b\rdata:c\r\r", ": ping\n\nid: 1\nretry: 5\ndata\ndata\n\n", "data: a\n\ndata: b",
	"id: \x00\ndata: x\n\nid\ndata: y\n\n", "event: error\ndata: {}\n\ndata: [DONE]\n\n",
}

// FuzzSplit: however a stream is cut into reads, the events are the same, and
// no byte of data is invented.
func FuzzSplit(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s, uint8(1))
	}
	f.Fuzz(func(t *testing.T, stream string, size uint8) {
		whole, err := parse(t, &Parser{ErrorField: true}, stream, len(stream)+1)
		require.NoError(t, err)
		split, err := parse(t, &Parser{ErrorField: true}, stream, int(size)+1)
		require.NoError(t, err)
		require.Equal(t, whole, split)
		total := 0
		for _, ev := range whole {
			total += len(ev.data)
		}
		require.LessOrEqual(t, total, len(stream))
	})
}

// FuzzBound: with a bound, memory is bounded, and what came before the fault is
// the same as without one.
func FuzzBound(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s+strings.Repeat("x", 100), uint8(20), uint8(7))
	}
	f.Fuzz(func(t *testing.T, stream string, bound, size uint8) {
		p := Parser{Max: int(bound) + 1}
		got, err := parse(t, &p, stream, int(size)+1)
		require.LessOrEqual(t, cap(p.data), 4*(int(bound)+1)+64)
		free, _ := parse(t, &Parser{}, stream, len(stream)+1)
		if err == nil {
			require.Empty(t, cmp.Diff(free, got, options...))
			return
		}
		require.ErrorIs(t, err, ErrTooLong)
		require.LessOrEqual(t, len(got), len(free))
		require.Empty(t, cmp.Diff(free[:len(got)], got, options...))
	})
}

var options = []cmp.Option{cmp.AllowUnexported(seen{}), cmpopts.EquateEmpty()}

// FuzzOracle: the events that a blank line closed, and the id that stands at
// each, are those of an independent reader. Events with empty data are left
// out: go-sse 0.12 also gives one for a block with an id or a name and no data,
// which the standard drops, and which is how such blocks came to end streams of
// JSON. Left out too are streams with a byte order mark after blank lines: the
// standard drops a mark at the very start only, go-sse that one as well.
func FuzzOracle(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		if late := strings.TrimLeft(stream, "\r\n"); late != stream && strings.HasPrefix(late, "\xef\xbb\xbf") {
			return
		}
		var want, got []oracle.Event
		for ev, err := range oracle.Read(strings.NewReader(stream), &oracle.ReadConfig{MaxEventSize: len(stream) + 64}) {
			require.NoError(t, err)
			if ev.Data != "" {
				want = append(want, ev)
			}
		}
		var p Parser
		for len(stream) > 0 {
			space, err := p.Space()
			require.NoError(t, err)
			n := copy(space, stream)
			stream = stream[n:]
			p.Filled(n)
			for ev, ok := p.Next(); ok; ev, ok = p.Next() {
				if len(ev.Data) > 0 {
					got = append(got, oracle.Event{LastEventID: p.LastEventID(), Type: string(ev.Name), Data: string(ev.Data)})
				}
			}
		}
		require.Empty(t, cmp.Diff(want, got, cmpopts.EquateEmpty()), "(-oracle +ours)")
	})
}
