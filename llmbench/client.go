package llmbench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/llmbench/go/llmbench/internal/pace"
	"github.com/llmbench/go/llmbench/internal/wire"
)

var (
	errTimeout = errors.New("Profile.Timeout was over")
	errGivenUp = errors.New("given up on purpose by Profile.Cancel")
	errBubble  = errors.New("llmbench: target: a real socket stops the clock of a testing/synctest bubble for ever, " +
		"want a server in memory such as mock.Start, or the test outside the bubble")
)

// A client turns planned requests into records: it knows the target and the
// profile's body, and leaves the exchange to package wire.
type client struct {
	call        wire.Call
	writer      *writer
	model       string
	address     string // for people: no user, no query
	notes       []string
	timeout     time.Duration
	now         func() time.Duration
	calibration *Calibration    // nil: nobody asked
	faults      atomic.Int64    // requests that failed on this side
	own         *http.Transport // ours to close; nil for the target's client
	seen        captures
	tokens      *tokenizing // nil: nobody counts
}

func newClient(ctx context.Context, target Target, profile Profile, seed uint64) (*client, error) {
	endpoint, err := resolve(target)
	if err != nil {
		return nil, err
	}
	protocol, err := wire.ByName(endpoint.API)
	if err != nil {
		return nil, fmt.Errorf("llmbench: target: %w", err)
	}
	address, note, err := wire.JoinURL(endpoint.URL, protocol.Path())
	if err != nil {
		return nil, fmt.Errorf("llmbench: target: %w", err)
	}
	c := &client{model: endpoint.Model, timeout: profile.Timeout, address: redacted(address)}
	if note != "" {
		c.notes = append(c.notes, fmt.Sprintf("requests go to %s: %s", c.address, note))
	}
	header, err := endpoint.header(protocol)
	if err != nil {
		return nil, err
	}
	c.call = wire.Call{
		Client: endpoint.HTTP, URL: address, Header: header, Protocol: protocol,
		IdleTimeout: profile.IdleTimeout,
	}
	if c.seen.most = profile.Capture; c.seen.most > 0 {
		c.call.Capture = captureBytes
	}
	if endpoint.HTTP == nil {
		if pace.Standing() {
			return nil, errBubble
		}
		c.own = endpoint.transport(profile.connections())
		c.call.Client = &http.Client{Transport: c.own}
	}
	c.discover(ctx, endpoint)
	c.writer = newWriter(seed, profile, c.model)
	c.tokens = newTokenizing(endpoint.CountTokens)
	c.call.KeepText = max(c.writer.keepText(), c.tokens.keepText())
	return c, nil
}

// discoverTime bounds the question for the model: a server that does not answer
// it shows in the requests soon enough.
const discoverTime = 5 * time.Second

// discover asks the server for its model where the target names none. It is
// set-up and no part of the load; without an answer the requests name none.
func (c *client) discover(ctx context.Context, endpoint Endpoint) {
	if c.model != "" {
		return
	}
	asker := endpoint.HTTP
	if asker == nil { // the load opens its own connections, and counts them
		once := endpoint.transport(1)
		defer once.CloseIdleConnections()
		asker = &http.Client{Transport: once}
	}
	ctx, cancel := context.WithTimeout(ctx, discoverTime)
	defer cancel()
	names, err := wire.Models(ctx, asker, c.call.Protocol, endpoint.URL, c.call.Header)
	if err != nil {
		return
	}
	c.model = names[0]
	c.notes = append(c.notes, fmt.Sprintf("no model was named, %q is the first of %d that the server lists", c.model, len(names)))
}

// connections is how many the load can have open at once, as far as it says.
func (p Profile) connections() int {
	return max(p.Arrivals.Users(), p.MaxInFlight, p.MaxPrefill)
}

func (c *client) close() {
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
}

// do sends one planned request of a conversation and returns its record. It
// never fails: what went wrong is in the record. planned is how many tokens the
// prompt was meant to have, 0 where that cannot be known.
//
// Its frame, and those of its callers, stay in memory once per stream: what is
// large lives in the functions it calls.
func (c *client) do(ctx context.Context, out *sending) (record *Record, planned int) {
	record = newRecord(&out.Planned)
	request, planned := c.writer.request(&out.Planned, out.talk)
	if err := context.Cause(ctx); err != nil {
		record.Error = err.Error()
		return record, 0
	}
	ctx, cancel := c.bounded(ctx, out.Cancel)
	defer cancel()
	reply := c.callFor(record.ID, out.content).Exchange(ctx, request)
	c.settle(record, reply, out, planned)
	if cause := context.Cause(ctx); cause != nil && record.Outcome == Cancelled {
		record.Error = cause.Error() + ": " + record.Error // who of us it was
	}
	c.tokens.keep(record, request, reply)
	if !c.writer.exact(&out.Planned) {
		planned = 0
	}
	return record, planned
}

// newRecord is the record of a request that has not left.
func newRecord(next *Planned) *Record {
	record := &Record{
		ID: recordID(next.Index), Session: next.Session, Turn: next.Turn, Label: next.Label,
		Phase: next.Phase, Scheduled: Is(next.At), Outcome: Unsent,
	}
	if next.Output > 0 {
		record.RequestedOutputTokens = Is(next.Output)
	}
	return record
}

// bounded is the context of one request: its time-out, and the moment in which
// its caller gives up, if it does.
func (c *client) bounded(ctx context.Context, giveUp Known[time.Duration]) (context.Context, context.CancelFunc) {
	cancel := context.CancelFunc(func() {})
	if c.timeout > 0 {
		ctx, cancel = context.WithTimeoutCause(ctx, c.timeout, errTimeout)
	}
	after, ok := giveUp.Get()
	if !ok {
		return ctx, cancel
	}
	outer := cancel
	ctx, leave := context.WithCancelCause(ctx)
	timer := time.AfterFunc(after, func() { leave(errGivenUp) })
	return ctx, func() {
		timer.Stop()
		leave(nil)
		outer()
	}
}

// callFor is the call of one request.
func (c *client) callFor(id string, content func()) *wire.Call {
	call := c.call
	call.Now = c.now
	call.OnContent = content
	call.Header = c.call.Header.Clone()
	call.Header.Set("X-Request-Id", id) // so that a server's log and ours can be laid side by side
	return &call
}

// settle fills in the record from what the wire saw.
func (c *client) settle(record *Record, reply *wire.Reply, out *sending, planned int) {
	record.take(reply)
	record.countTokens(planned)
	c.seen.keep(Capture{record.ID, record.Outcome, reply.Capture})
	c.writer.heard(&out.Planned, out.talk, reply.Text(), record)
	if reply.Generator {
		c.faults.Add(1)
	}
}

// take copies what the wire saw.
func (r *Record) take(reply *wire.Reply) {
	r.Outcome = Outcome(reply.Outcome.String())
	r.Status, r.Error, r.FinishReason = reply.Status, reply.Err, reply.FinishReason
	r.Streamed = reply.Streamed
	r.Sent, r.End = Is(reply.Sent), Is(reply.End)
	r.Headers, r.RetryAfter = known(reply.Headers), known(reply.RetryAfter)
	if reply.Streamed {
		r.Chunks = make([]Chunk, len(reply.Chunks))
		for i, c := range reply.Chunks {
			r.Chunks[i] = Chunk{At: c.At, Tokens: c.Tokens, Kind: ChunkKind(c.Kind), Counted: c.Counted}
		}
	}
	r.HTTP = &HTTPTrace{
		DNS: known(reply.Trace.DNS), Connect: known(reply.Trace.Connect), TLS: known(reply.Trace.TLS),
		Send: known(reply.Trace.Send), Wait: known(reply.Trace.Wait), Receive: known(reply.Trace.Receive),
		Reused: reply.Trace.Reused.V, Attempts: reply.Attempts, BytesOut: reply.BytesOut, BytesIn: reply.BytesIn,
		Reads: reply.Reads, CoalescedReads: reply.CoalescedReads,
	}
	r.Usage = usageOf(reply.Usage)
	r.Server = timingsOf(reply.Timings)
}

// countTokens settles where the token counts come from: the server's usage;
// else the plan for the prompt, and the number of content chunks, marked as
// the estimate it is, for the reply. Never the length that was asked for.
func (r *Record) countTokens(planned int) {
	usage := Usage{}
	if r.Usage != nil {
		usage = *r.Usage
	}
	r.ReasoningTokens, r.CachedTokens = usage.Reasoning, usage.Cached
	switch {
	case usage.Prompt.Ok():
		r.InputTokens, r.InputFrom = usage.Prompt, FromUsage
	case planned > 0:
		r.InputTokens, r.InputFrom = Is(planned), FromPlan
	}
	if usage.Completion.Ok() {
		r.OutputTokens, r.OutputFrom = usage.Completion, FromUsage
		return
	}
	content := 0
	for _, chunk := range r.Chunks {
		if chunk.Content() {
			content++
		}
	}
	if content > 0 {
		r.OutputTokens, r.OutputFrom = Is(content), FromChunks
	}
}

func known[T any](o wire.Opt[T]) Known[T] {
	if !o.Known {
		return Known[T]{}
	}
	return Is(o.V)
}

func count(o wire.Opt[int64]) Known[int] {
	if !o.Known {
		return Known[int]{}
	}
	return Is(int(o.V))
}

func usageOf(u *wire.Usage) *Usage {
	if u == nil {
		return nil
	}
	return &Usage{
		Prompt: count(u.Prompt), Completion: count(u.Completion), Total: count(u.Total),
		Reasoning: count(u.Reasoning), Cached: count(u.Cached), Audio: count(u.Audio),
		AcceptedPrediction: count(u.AcceptedPrediction), RejectedPrediction: count(u.RejectedPrediction),
	}
}

func timingsOf(t *wire.Timings) *ServerTimings {
	if t == nil {
		return nil
	}
	return &ServerTimings{
		PromptTokens: count(t.PromptN), Prompt: known(t.Prompt),
		OutputTokens: count(t.PredictedN), Decode: known(t.Predicted),
	}
}
