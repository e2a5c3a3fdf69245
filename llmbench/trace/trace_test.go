package trace

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
)

func read(t *testing.T, file string, reader func(io.Reader) (*Trace, error)) *Trace {
	t.Helper()
	data, err := os.Open("../../fixtures/traces/" + file)
	require.NoError(t, err)
	defer data.Close()
	got, err := reader(data)
	require.NoError(t, err)
	return got
}

func TestReadersTakeThePublishedColumns(t *testing.T) {
	for _, row := range []struct {
		why    string
		file   string
		reader func(io.Reader) (*Trace, error)
		want   []Row
	}{
		{"milliseconds, one hash per 512 tokens, a blank line", "mooncake.jsonl", Mooncake, []Row{
			{At: 0, Input: 1100, Output: 52, Blocks: []uint64{11, 12, 13}},
			{At: 3 * time.Second, Input: 700, Output: 9, Blocks: []uint64{11, 21}},
			{At: 3 * time.Second, Input: 512, Output: 400, Blocks: []uint64{31}},
			{At: 3 * time.Second, Input: 1536, Output: 31, Blocks: []uint64{11, 12, 41}},
			{At: 9 * time.Second, Input: 1, Output: 1, Blocks: []uint64{12}},
		}},
		{"seven digits are 100 ns, midnight between, CRLF, no line end at the end", "azure2023.csv", Azure, []Row{
			{At: 0, Input: 374, Output: 44},
			{At: 200 * time.Nanosecond, Input: 396, Output: 109},
			{At: 2500*time.Millisecond + 100*time.Nanosecond, Input: 91, Output: 1},
		}},
		{"microseconds with a zone", "azure2024.csv", Azure, []Row{
			{At: 0, Input: 2162, Output: 5}, {At: 7405 * time.Microsecond, Input: 2399, Output: 6},
		}},
		{"another column in the middle, rows out of order", "azure2025.csv", Azure, []Row{
			{At: 0, Input: 50, Output: 7}, {At: time.Second, Input: 900, Output: 80, Images: 2},
		}},
		{"seconds, a failure, two kinds of log", "burstgpt1.csv", BurstGPT, []Row{
			{At: 0, Input: 472, Output: 18, Label: "ChatGPT, Conversation log"},
			{At: 40500 * time.Millisecond, Input: 1087, Output: 0, Failed: true, Label: "ChatGPT, API log"},
			{At: 113 * time.Second, Input: 417, Output: 276, Label: "GPT-4, Conversation log"},
		}},
		{"the newer file's two more columns shift the old ones", "burstgpt2.csv", BurstGPT, []Row{
			{At: 0, Input: 20, Output: 100, Session: "41", Turn: 0, Label: "ChatGPT, Conversation log"},
			{At: 7250 * time.Millisecond, Input: 140, Output: 60, Session: "41", Turn: 1, Label: "ChatGPT, Conversation log"},
			{At: 9 * time.Second, Input: 5, Output: 7, Session: "42", Label: "GPT-4, API log"},
		}},
		{"pairs of question and answer, and nothing else", "sharegpt.json", ShareGPT, []Row{
			{Session: "qf2b", Turn: 0, Input: 6, Output: 5, Prompt: "How long is a short river?", Reply: "That depends on the map."},
			{Session: "qf2b", Turn: 1, Input: 3, Output: 3, Prompt: "And on foot?", Reply: "Longer than that."},
			{Session: "odd1", Turn: 0, Input: 3, Output: 1, Prompt: "Yes or no?", Reply: "Yes."},
		}},
		{"our own fields", "own.jsonl", Read, []Row{
			{At: 0, Input: 40, Output: 5, Blocks: []uint64{1, 2, 3}, Label: "chat"},
			{At: 250 * time.Millisecond, Input: 9, Output: 7, Session: "s1", Images: 1},
			{At: 900 * time.Millisecond, Input: 9, Prompt: "say <it> again", Reply: "again", Session: "s1", Turn: 1, Failed: true},
		}},
	} {
		got := read(t, row.file, row.reader)
		require.Empty(t, cmp.Diff(row.want, got.Rows), "%s: %s", row.file, row.why)
		require.Equal(t, got.Name != "sharegpt", got.Timed, row.file)
	}
}

func TestABadRowIsAnErrorWithItsLine(t *testing.T) {
	const azure = "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2031-03-05 23:59:59.9999999,374,44\r\n"
	const burst = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
	for _, row := range []struct {
		why    string
		reader func(io.Reader) (*Trace, error)
		text   string
		want   string
	}{
		{"not JSON, after a blank line", Mooncake, "\n{]\n", "trace: mooncake: line 2: invalid character ']' looking for beginning of object key string"},
		{"a missing field is not 0", Mooncake, `{"timestamp":1,"input_length":5}`, "trace: mooncake: line 1: timestamp, input_length or output_length is missing"},
		{"a prompt of nothing", Mooncake, `{"timestamp":1,"input_length":0,"output_length":1}`, "trace: mooncake: line 1: input_length is 0, want >= 1"},
		{"time before the start", Mooncake, `{"timestamp":-1,"input_length":5,"output_length":1}`, "trace: mooncake: line 1: timestamp is -1, want milliseconds >= 0"},
		{"hashes that do not cover the prompt", Mooncake, `{"timestamp":1,"input_length":513,"output_length":1,"hash_ids":[1]}`, "trace: mooncake: line 1: hash_ids has 1 hashes, want 2: one per 512 of 513 tokens"},
		{"no file", Azure, "", "trace: azure: the file is empty, want a header with TIMESTAMP, ContextTokens, GeneratedTokens"},
		{"another file", Azure, "a,b\n1,2\n", `trace: azure: line 1: there is no column "TIMESTAMP" among ["a" "b"]`},
		{"no time", Azure, azure + "yesterday,1,2\r\n", `trace: azure: line 3: TIMESTAMP is "yesterday", want a time such as 2023-11-16 18:15:46.6805900`},
		{"tokens below 0", Azure, azure + "2031-03-05 23:59:59,-1,2\r\n", `trace: azure: line 3: ContextTokens is "-1", want a whole number >= 0`},
		{"a short row", Azure, azure + "2031-03-05 23:59:59,1\r\n", "trace: azure: line 3: it has 2 fields, want 3"},
		{"time not a number", BurstGPT, burst + "NaN,m,1,2,3,API log\n", `trace: burstgpt: line 2: Timestamp is "NaN", want seconds >= 0`},
		{"tokens in words", BurstGPT, burst + "1,m,1,two,3,API log\n", `trace: burstgpt: line 2: Response tokens is "two", want a whole number >= 0`},
		{"an object", ShareGPT, "\n{}", "trace: sharegpt: line 2: the file does not begin with [, want a JSON array of conversations"},
		{"no conversations", ShareGPT, "[\n{\"id\":\"a\",\"conversations\":[]},\n{\"id\":\"b\"}\n]", "trace: sharegpt: line 3: conversation 2: it has no conversations"},
		{"cut in the middle", ShareGPT, "[\n{\"id\":\"a\",\"conversations\":[]}\n", "trace: sharegpt: line 2: the array does not end: EOF"},
		{"times in some rows only", Read, "{\"at_ns\":1,\"input_tokens\":1}\n{\"input_tokens\":1}\n", "trace: llmbench: line 2: at_ns is there in some rows and not in others"},
		{"nothing to send", Read, `{"at_ns":1}`, "trace: llmbench: line 1: input_tokens and prompt are both missing, want one of them"},
		{"blocks without a size", Read, `{"at_ns":1,"input_tokens":3,"blocks":[1]}`, "trace: llmbench: line 1: block_tokens is 0, want 0 as before, > 0"},
	} {
		_, err := row.reader(strings.NewReader(row.text))
		require.EqualError(t, err, row.want, row.why)
	}
}

func TestWriteIsReadBack(t *testing.T) {
	for _, file := range []string{"own.jsonl"} {
		first := read(t, file, Read)
		var text bytes.Buffer
		require.NoError(t, Write(&text, first))
		again, err := Read(&text)
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(first, again))
	}
	var text bytes.Buffer
	require.NoError(t, Write(&text, read(t, "sharegpt.json", ShareGPT)))
	again, err := Read(&text)
	require.NoError(t, err)
	require.False(t, again.Timed, "no times stay no times")
	require.Len(t, again.Rows, 3)
}

func instants(t *Trace) (at []time.Duration) {
	for _, row := range t.Rows {
		at = append(at, row.At)
	}
	return at
}

func TestChangesMakeNewTraces(t *testing.T) {
	const second = time.Second
	mooncake := read(t, "mooncake.jsonl", Mooncake)
	require.Equal(t, "mooncake trace, 5 requests over 9s", mooncake.String())

	require.Equal(t, []time.Duration{0, 0, 0}, instants(mooncake.Window(3*second, 6*second)), "9 s is outside")
	require.Equal(t, []time.Duration{0, 1500e6, 1500e6, 1500e6, 4500e6}, instants(mooncake.Speed(2)))
	require.Panics(t, func() { mooncake.Speed(0) })
	require.Equal(t, []time.Duration{0, 3 * second, 3 * second, 3 * second, 9 * second,
		10 * second, 13 * second, 13 * second, 13 * second, 19 * second}, instants(mooncake.Loop(2, second)))

	capped := mooncake.Cap(600, 50)
	require.Equal(t, Row{Input: 600, Output: 50, Blocks: []uint64{11, 12}}, capped.Rows[0], "600 tokens are two blocks")
	require.Equal(t, Row{At: 9 * second, Input: 1, Output: 1, Blocks: []uint64{12}}, capped.Rows[4], "below the limits")

	talk := read(t, "burstgpt2.csv", BurstGPT).Loop(2, 0)
	require.Equal(t, []string{"41", "41", "42", "41/2", "41/2", "42/2"},
		[]string{talk.Rows[0].Session, talk.Rows[1].Session, talk.Rows[2].Session, talk.Rows[3].Session, talk.Rows[4].Session, talk.Rows[5].Session})

	require.Len(t, read(t, "burstgpt1.csv", BurstGPT).Keep(func(r Row) bool { return !r.Failed }).Rows, 2)
	require.Equal(t, []int{18, 276}, read(t, "burstgpt1.csv", BurstGPT).Outputs(), "a failure has no length to draw")
	require.Equal(t, []time.Duration{0, 3 * second, 3 * second, 3 * second, 9 * second}, instants(mooncake), "the first is as it was")
}

func TestJitterTakesBurstsApart(t *testing.T) {
	mooncake := read(t, "mooncake.jsonl", Mooncake)
	one, again := mooncake.Jitter(3*time.Second, 7), mooncake.Jitter(3*time.Second, 7)
	require.Empty(t, cmp.Diff(one, again), "same seed")
	require.NotEqual(t, instants(one), instants(mooncake.Jitter(3*time.Second, 8)))
	at := instants(one)
	for i := range at[1:] {
		require.Less(t, at[i], at[i+1], "in order, and no two at one instant")
	}
	require.GreaterOrEqual(t, at[1], 3*time.Second)
	require.Less(t, at[3], 6*time.Second)
}

// Blocks 11 12 13 | 11 21 | 31 | 11 12 41 | 12: held are 11, then 11 and 12; the
// last row's 12 too, as a hash stands for the block and all before it.
func TestPrefixHitOfACacheWithoutBounds(t *testing.T) {
	require.Equal(t, llmbench.Blocks{Hit: 4, Total: 10}, read(t, "mooncake.jsonl", Mooncake).PrefixBlocks())
	behind := &Trace{Rows: []Row{{Blocks: []uint64{1, 2}}, {Blocks: []uint64{9, 2}}}}
	require.Zero(t, behind.PrefixBlocks().Hit, "2 behind another first block is no prefix")
	require.Zero(t, read(t, "azure2023.csv", Azure).PrefixBlocks(), "no blocks, no rate")
}

func FuzzReaders(f *testing.F) {
	for _, file := range []string{"mooncake.jsonl", "azure2023.csv", "burstgpt2.csv", "sharegpt.json", "own.jsonl"} {
		data, err := os.ReadFile("../../fixtures/traces/" + file)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, reader := range []func(io.Reader) (*Trace, error){Mooncake, Azure, BurstGPT, ShareGPT, Read} {
			got, err := reader(bytes.NewReader(data))
			if err != nil {
				require.Nil(t, got)
				require.True(t, strings.HasPrefix(err.Error(), "trace: "), err)
				continue
			}
			for i, row := range got.Rows {
				require.GreaterOrEqual(t, row.Input, 0)
				require.GreaterOrEqual(t, row.At, time.Duration(0))
				require.True(t, i == 0 || got.Rows[i-1].At <= row.At, "in order")
			}
		}
	})
}
