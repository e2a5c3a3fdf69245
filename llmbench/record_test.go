package llmbench_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/llmbench/go/llmbench"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// known draws a value or none; none must stay apart from 0.
func known[T any](t *rapid.T, g *rapid.Generator[T], name string) llmbench.Known[T] {
	if !rapid.Bool().Draw(t, name+" known") {
		return llmbench.Known[T]{}
	}
	return llmbench.Is(g.Draw(t, name))
}

func instant() *rapid.Generator[time.Duration] {
	return rapid.Map(rapid.Int64Range(0, 1e15), func(n int64) time.Duration { return time.Duration(n) })
}

// drawRecord draws any valid record, consistent or not.
func drawRecord(t *rapid.T) llmbench.Record {
	count, words := rapid.IntRange(0, min(1<<40, math.MaxInt)), rapid.StringN(0, 12, -1)
	r := llmbench.Record{
		ID: words.Draw(t, "id"), Session: words.Draw(t, "session"), Turn: rapid.IntRange(0, 5).Draw(t, "turn"), Label: words.Draw(t, "label"),
		Phase:     rapid.SampledFrom([]llmbench.Phase{"", llmbench.Warmup, llmbench.Measure}).Draw(t, "phase"),
		Scheduled: known(t, instant(), "scheduled"), Sent: known(t, instant(), "sent"), Headers: known(t, instant(), "headers"), End: known(t, instant(), "end"),
		Streamed: rapid.Bool().Draw(t, "streamed"), Outcome: rapid.SampledFrom(llmbench.Outcomes()).Draw(t, "outcome"),
		Status: rapid.IntRange(0, 599).Draw(t, "status"), Error: words.Draw(t, "error"), FinishReason: words.Draw(t, "finish"), RetryAfter: known(t, instant(), "retry"),
		InputTokens: known(t, count, "input"), OutputTokens: known(t, count, "output"), ReasoningTokens: known(t, count, "reasoning"), CachedTokens: known(t, count, "cached"),
		InputFrom:  rapid.SampledFrom([]llmbench.Source{"", llmbench.FromUsage, llmbench.FromPlan}).Draw(t, "input from"),
		OutputFrom: rapid.SampledFrom([]llmbench.Source{"", llmbench.FromTokenizer, llmbench.FromChunks}).Draw(t, "output from"), RequestedOutputTokens: known(t, count, "requested"),
	}
	for range rapid.IntRange(0, 4).Draw(t, "chunks") {
		c := llmbench.Chunk{At: instant().Draw(t, "at"), Kind: llmbench.ChunkKind(rapid.IntRange(0, int(llmbench.UsageChunk)).Draw(t, "kind"))}
		if c.Counted = rapid.Bool().Draw(t, "counted"); c.Counted {
			c.Tokens = rapid.Int32Range(0, 9).Draw(t, "tokens")
		}
		r.Chunks = append(r.Chunks, c)
	}
	if rapid.Bool().Draw(t, "details") {
		r.Usage = &llmbench.Usage{Prompt: known(t, count, "prompt"), Completion: known(t, count, "completion"), Cached: known(t, count, "usage cached")}
		r.Server = &llmbench.ServerTimings{PromptTokens: known(t, count, "server prompt"), Decode: known(t, instant(), "decode")}
		r.HTTP = &llmbench.HTTPTrace{DNS: known(t, instant(), "dns"), Wait: known(t, instant(), "wait"), Reused: rapid.Bool().Draw(t, "reused"), BytesIn: rapid.Int64Min(0).Draw(t, "bytes")}
	}
	return r
}

// TestRecordsRoundTrip writes and reads any records; nothing may change, and
// what is unknown may not become 0.
func TestRecordsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := make([]llmbench.Record, rapid.IntRange(0, 3).Draw(t, "records"))
		for i := range want {
			want[i] = drawRecord(t)
		}
		var file bytes.Buffer
		require.NoError(t, llmbench.WriteRecords(&file, want))
		require.Equal(t, len(want), strings.Count(file.String(), "\n"))
		got, err := llmbench.ReadRecords(&file)
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(llmbench.Record{})))
	})
}

// TestUnknownFieldsAreKept: a later version's fields survive a rewrite by this
// one, through JSON of any depth.
func TestUnknownFieldsAreKept(t *testing.T) {
	const line = `{"id":"r1","streamed":true,"outcome":"ok","zeta":{"deep":[1,null,"x"]},"alpha":1.50}`
	records, err := llmbench.ReadRecords(strings.NewReader(line))
	require.NoError(t, err)
	var file bytes.Buffer
	require.NoError(t, llmbench.WriteRecords(&file, records))
	require.JSONEq(t, line, file.String())
	require.Contains(t, file.String(), `"alpha":1.50`, "the number is not rewritten")
}

// TestBrokenLine names the line, and keeps what came before it.
func TestBrokenLine(t *testing.T) {
	const good = `{"id":"r1","streamed":false,"outcome":"ok"}` + "\n\n" + `{"id":"r2","streamed":false,"outcome":"error"}` + "\n"
	for _, c := range []struct{ line, want, why string }{
		{`{"id":"r3","outcome":"ok"`, "llmbench: records: line 4: unexpected end of JSON input", "cut off"},
		{`{"outcome":"fine"}`, `line 4: outcome is "fine", want one of`, "unknown outcome"},
		{`{}`, `line 4: outcome is "", want one of`, "no outcome at all"},
		{`{"outcome":"ok","phase":"cool-down"}`, `line 4: phase is "cool-down", want "warmup", "measure" or "cooldown"`, "unknown phase"},
		{`{"outcome":"ok","output_tokens":-1}`, "line 4: output_tokens is -1, want >= 0", "negative count"},
		{`{"outcome":"ok","chunks":[{"t_ns":1,"kind":"word"}]}`, `line 4: chunk kind is "word"`, "unknown kind"},
		{`{"outcome":"ok","chunks":[{"kind":"content"}]}`, "line 4: chunk has no t_ns", "a chunk without its instant"},
		{`{"outcome":"ok","chunks":[{"t_ns":1,"tokens":-2}]}`, "line 4: chunk tokens is -2, want >= 0", "negative chunk"},
		{`{"outcome":"ok","sent_ns":"soon"}`, "line 4: json: cannot unmarshal", "wrong type"},
	} {
		records, err := llmbench.ReadRecords(strings.NewReader(good + c.line))
		require.ErrorContains(t, err, c.want, c.why)
		require.Len(t, records, 2, c.why)
		require.Equal(t, "r2", records[1].ID)
	}
}

// TestChunkDefaults: a chunk without a kind is content, the only kind that
// tools with less detail keep, and an unknown count is not 0.
func TestChunkDefaults(t *testing.T) {
	var c llmbench.Chunk
	require.NoError(t, json.Unmarshal([]byte(`{"t_ns":5}`), &c))
	require.Equal(t, llmbench.Chunk{At: 5, Kind: llmbench.ContentChunk}, c)
	require.True(t, c.Content())
	require.NoError(t, json.Unmarshal([]byte(`{"t_ns":5,"kind":"content","tokens":0}`), &c))
	require.True(t, c.Counted)
	require.False(t, c.Content(), "known to carry nothing")
}

// FuzzReadRecords: no input may panic, and what was read can be written and
// analysed.
func FuzzReadRecords(f *testing.F) {
	f.Add([]byte(`{"id":"r1","sent_ns":1,"end_ns":9,"streamed":true,"outcome":"ok","chunks":[{"t_ns":3,"kind":"content","tokens":1}],"output_tokens":1}`))
	f.Add([]byte(`{"outcome":"ok","usage":{"prompt_tokens":9223372036854775807},"x":1}`))
	f.Add([]byte(`{"outcome":"ok","sent_ns":-9223372036854775808,"end_ns":9223372036854775807,"streamed":true,"chunks":[{"t_ns":-1}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		records, _ := llmbench.ReadRecords(bytes.NewReader(data))
		var file bytes.Buffer
		require.NoError(t, llmbench.WriteRecords(&file, records))
		r, err := llmbench.Analyze(records, llmbench.AnalyzeOptions{})
		require.NoError(t, err)
		_, err = json.Marshal(r)
		require.NoError(t, err)
		for _, m := range llmbench.Metrics() {
			require.GreaterOrEqual(t, r.Stats(m).Min().Or(0), 0.0, m.Tag())
			require.GreaterOrEqual(t, r.Stats(m).Mean().Or(0), 0.0, m.Tag())
		}
	})
}

// A record read from JSON with line breaks is one line when it is written: an
// unknown field keeps its value, not its layout.
func TestUnknownFieldsStayOnTheLine(t *testing.T) {
	var r llmbench.Record
	require.NoError(t, json.Unmarshal([]byte("{\"id\":\"a\",\"outcome\":\"ok\",\"vendor\":{\n  \"x\": 1\n},\"chunks\":[{\"t_ns\":7,\"tokens\":2}]}"), &r))
	var out bytes.Buffer
	require.NoError(t, llmbench.WriteRecords(&out, []llmbench.Record{r}))
	require.Equal(t, `{"id":"a","streamed":false,"outcome":"ok","vendor":{"x":1},"chunks":[{"t_ns":7,"kind":"content","tokens":2}]}`+"\n", out.String())
}
