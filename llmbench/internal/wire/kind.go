package wire

import "strconv"

// Kind says what a data event carried. Content, reasoning and tool are
// generated output; the others are not.
type Kind uint8

// The kinds. An event that carries several things has the first of: content,
// tool, reasoning, finish, role, usage.
const (
	KindOther     Kind = iota // an event of the protocol that says none of the below: an empty delta, a ping
	KindContent               // text, a refusal or audio for the user
	KindReasoning             // thinking, under any of its field names
	KindTool                  // a piece of a tool call's name or arguments
	KindRole                  // the role that opens a message
	KindFinish                // why generation ended
	KindUsage                 // token counts alone
)

var kindNames = [...]string{"other", "content", "reasoning", "tool", "role", "finish", "usage"}

// String is the word that records use.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "kind(" + strconv.Itoa(int(k)) + ")"
}

// Generated reports whether the kind is output that the model generated.
func (k Kind) Generated() bool { return k == KindContent || k == KindReasoning || k == KindTool }

// Outcome says how an exchange ended.
type Outcome uint8

// The outcomes of metrics.md section 1, but unsent, which only a schedule can
// know.
const (
	OutcomeOK         Outcome = iota
	OutcomeEmpty              // finished well, but nothing was generated
	OutcomeIncomplete         // ended without a finish reason and without [DONE]
	OutcomeError              // HTTP status, transport, malformed bytes, or an error inside a 200
	OutcomeTimeout            // the context's deadline, IdleTimeout, or the transport's own
	OutcomeRejected           // 429 or 503: shed by the server
	OutcomeCancelled          // the context was cancelled
)

var outcomeNames = [...]string{"ok", "empty", "incomplete", "error", "timeout", "rejected", "cancelled"}

// String is the word that records use.
func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return "outcome(" + strconv.Itoa(int(o)) + ")"
}
