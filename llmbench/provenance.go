package llmbench

// Sources count the ok requests by where their token counts came from. A count
// of FromChunks is an estimate: one token per content chunk, unless the chunks
// carry counts.
type Sources struct {
	Input  map[Source]int `json:"input"`
	Output map[Source]int `json:"output"`
}

// UnknownSource stands in Sources for records that give a count and not where
// it came from.
const UnknownSource Source = "unknown"

func (s *Sources) add(f *facts) {
	if f.input >= 0 {
		s.Input[named(f.inputFrom)]++
	}
	if f.output >= 0 {
		s.Output[named(f.outputFrom)]++
	}
}

func named(s Source) Source {
	if s == "" {
		return UnknownSource
	}
	return s
}

// truth counts the requests whose token counts contradict one another.
type truth struct {
	requested, mismatched   int
	comparable, discrepancy int
}

// add compares OSL with what was asked for, and the server's count with the
// client's own.
func (t *truth) add(f *facts) {
	asked, ok := f.record.RequestedOutputTokens.Get()
	if ok && f.output >= 0 {
		t.requested++
		// AIPerf: 5 % or 50 tokens, whichever is less.
		if apart(f.output, int64(asked)) > min(0.05*float64(asked), 50) {
			t.mismatched++
		}
	}
	server, reported := f.record.usage().Completion.Get()
	if client := f.clientCount(); reported && client >= 0 {
		t.comparable++
		if apart(int64(server), client) > 0.1*float64(server) {
			t.discrepancy++
		}
	}
}

func apart(a, b int64) float64 { return float64(max(a-b, b-a)) }

// clientCount is the output as the client counted it itself: by its tokenizer,
// or by the counts of all chunks; below 0 where it did not.
func (f *facts) clientCount() int64 {
	if n := firstKnown(f.record.TokenizedOutput); n >= 0 {
		return n
	}
	if f.record.OutputFrom == FromTokenizer {
		return firstKnown(f.record.OutputTokens)
	}
	if f.content == 0 {
		return -1
	}
	return f.counted
}

func mismatchCount(t *totals) (float64, int, string) {
	if t.truth.requested == 0 {
		return 0, 0, "no output length was asked for"
	}
	return float64(t.truth.mismatched), t.truth.requested, ""
}

func discrepancyCount(t *totals) (float64, int, string) {
	if t.truth.comparable == 0 {
		return 0, 0, "no request has both a server's and a client's count"
	}
	return float64(t.truth.discrepancy), t.truth.comparable, ""
}

func partialTokens(t *totals) (float64, int, string) {
	if t.counts.Sent == 0 {
		return 0, 0, noRequest
	}
	return float64(t.partial), t.partialKnown, ""
}

// perDevice divides a throughput by the devices that the user stated.
func perDevice(whole single) single {
	return func(t *totals) (float64, int, string) {
		if t.devices == 0 {
			return 0, 0, "no device count given"
		}
		value, n, absent := whole(t)
		return value / float64(t.devices), n, absent
	}
}

// Blocks are the prefix blocks of a trace: how many there are, and how many an
// endless cache would have had already.
type Blocks struct{ Hit, Total int }

func theoreticalHit(t *totals) (float64, int, string) {
	if t.blocks.Total == 0 {
		return 0, 0, "no block hashes given"
	}
	return 100 * float64(t.blocks.Hit) / float64(t.blocks.Total), t.blocks.Total, ""
}
