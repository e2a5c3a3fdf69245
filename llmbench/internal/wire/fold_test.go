package wire

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// generation is an event with n new tokens of text; usage is its running total,
// negative for none.
func generation(kind Kind, usage int64) *event {
	ev := new(event)
	if kind.Generated() {
		ev.add(0, kind, []byte("x"))
	}
	if usage >= 0 {
		ev.reported, ev.usage.Completion = true, Some(usage)
	}
	return ev
}

// When a chunk's tokens are known, and when a report says nothing of them.
func TestTokensPerChunk(t *testing.T) {
	const content, other, none = KindContent, KindOther, -1
	type step struct {
		kind  Kind
		usage int64
	}
	for _, tt := range []struct {
		why    string
		n      int
		steps  []step
		counts []int32 // -1: not known
	}{
		{"running totals", 1, []step{{content, 1}, {content, 3}, {content, 3}, {KindReasoning, 7}}, []int32{1, 2, 0, 4}},
		{"a role chunk with the total 0 starts them", 1, []step{{other, 0}, {content, 2}}, []int32{none, 2}},
		{"tokens that an empty chunk reports are no later chunk's", 1, []step{{content, 1}, {other, 3}, {content, 4}}, []int32{1, none, 1}},
		{"a report only at the end", 1, []step{{content, none}, {content, 5}}, []int32{none, none}},
		{"reports that stop", 1, []step{{content, 1}, {content, none}, {content, 5}}, []int32{1, none, none}},
		{"a total that falls is none", 1, []step{{content, 5}, {content, 2}, {content, 6}}, []int32{5, none, none}},
		{"one chunk with everything", 1, []step{{content, 100}}, []int32{100}},
		{"n answers: a total may be of one or of all, so it is of none", 2, []step{{content, 1}, {content, 2}}, []int32{none, none}},
		{"more than a count holds", 1, []step{{content, 1 << 40}}, []int32{none}},
	} {
		f := fold{reply: &Reply{}, n: tt.n}
		for i, s := range tt.steps {
			f.add(time.Duration(i), generation(s.kind, s.usage))
		}
		var got []int32
		for _, c := range f.reply.Chunks {
			if !c.Counted {
				c.Tokens = none
			}
			got = append(got, c.Tokens)
		}
		require.Equal(t, tt.counts, got, tt.why)
	}
}

// A later report replaces what it names and keeps what it does not.
func TestUsageIsTheLastReport(t *testing.T) {
	f := fold{reply: &Reply{}}
	for _, u := range []Usage{{Prompt: Some[int64](9), Completion: Some[int64](1)}, {Completion: Some[int64](7)}} {
		f.add(0, &event{reported: true, usage: u})
	}
	require.Equal(t, &Usage{Prompt: Some[int64](9), Completion: Some[int64](7)}, f.reply.Usage)
}

// What a chunk is called when it carries several things.
func TestKindOfAnEvent(t *testing.T) {
	for _, tt := range []struct {
		why  string
		ev   event
		want Kind
	}{
		{"nothing", event{}, KindOther},
		{"the answer before the thought", event{pieces: []piece{{kind: KindReasoning}, {kind: KindContent}}}, KindContent},
		{"a tool before the thought", event{pieces: []piece{{kind: KindReasoning}, {kind: KindTool}}}, KindTool},
		{"output before the finish", event{pieces: []piece{{kind: KindReasoning}}, finish: "stop", role: true}, KindReasoning},
		{"the finish before usage", event{finish: "stop", reported: true}, KindFinish},
		{"the role before usage", event{role: true, reported: true}, KindRole},
		{"usage alone", event{reported: true}, KindUsage},
		{"vectors", event{vectors: true, reported: true}, KindContent},
	} {
		require.Equal(t, tt.want, tt.ev.kind(), tt.why)
	}
}

// The text that is kept is bounded, per choice and channel.
func TestKeptText(t *testing.T) {
	f := fold{reply: &Reply{}, keep: 3}
	ev := new(event)
	for range 3 {
		ev.add(1, KindContent, []byte("ab"))
		ev.add(1, KindReasoning, []byte("cd"))
		ev.addTool(1, "f", "ef")
	}
	f.add(0, ev)
	f.close()
	require.Equal(t, []Choice{{}, {Text: "aba", Reasoning: "cdc", ToolNames: "f\nf", ToolArguments: "efe"}}, f.reply.Choices)
}

func TestWords(t *testing.T) {
	require.Equal(t, "content", KindContent.String())
	require.Equal(t, "kind(99)", Kind(99).String())
	require.Equal(t, "cancelled", OutcomeCancelled.String())
	require.Equal(t, "outcome(99)", Outcome(99).String())
}
