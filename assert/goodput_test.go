package assert

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseGoodput(t *testing.T) {
	for _, c := range []struct {
		text string
		want Goodput
		why  string
	}{
		{"ttft:500 tpot:50", Goodput{TTFT: 500 * ms, TPOT: 50 * ms}, "as vLLM's help has it"},
		{"  e2el:1500.5 ", Goodput{RequestLatency: 1500500 * time.Microsecond}, "fractions of a millisecond"},
		{"time_to_first_token:370 request_latency:648", Goodput{TTFT: 370 * ms, RequestLatency: 648 * ms}, "aiperf's tags"},
		{"inter_token_latency:50", Goodput{TPOT: 50 * ms}, "aiperf's ITL is our TPOT"},
	} {
		got, err := ParseGoodput(c.text)
		require.NoError(t, err, c.why)
		require.Equal(t, c.want, got, c.why)
	}
	for text, want := range map[string]string{
		"":                  "assert: goodput: text is empty, want name:milliseconds such as ttft:500",
		"ttft":              `assert: goodput: "ttft" has no colon, want name:milliseconds such as ttft:500`,
		"tft:500":           `assert: goodput: unknown name "tft", want ttft, tpot or e2el; did you mean ttft?`,
		"latency_of_all:1":  `assert: goodput: unknown name "latency_of_all", want ttft, tpot or e2el`,
		"ttft:-5":           `assert: goodput: ttft is "-5", want a number > 0`,
		"ttft:NaN":          `assert: goodput: ttft is "NaN", want a number > 0`,
		"ttft:500ms":        `assert: goodput: ttft is "500ms", want a number > 0`,
		"ttft:500 ttft:600": "assert: goodput: ttft is given twice",
	} {
		_, err := ParseGoodput(text)
		require.EqualError(t, err, want)
	}
}

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"ttft", "tpot", 2}} {
		require.Equal(t, c.want, edits(c.a, c.b), "%s %s", c.a, c.b)
		require.Equal(t, c.want, edits(c.b, c.a), "%s %s", c.b, c.a)
	}
}
