package wire

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

type tgi struct{}

// TGI is POST /generate_stream of Hugging Face's text-generation-inference, and
// /generate for replies that do not stream. It takes one prompt; several
// messages are joined by LF. It has no field for MinTokens and IgnoreEOS.
func TGI() Protocol { return tgi{} }

func (tgi) Name() string                        { return "tgi" }
func (tgi) Path() string                        { return "generate_stream" }
func (tgi) Authorize(h http.Header, key string) { bearer(h, key) }
func (tgi) framing() framing                    { return framingSSE }
func (tgi) models() listing                     { return listing{path: "info", name: "model_id"} }

// endpoint turns the stream's URL into the other one.
func (tgi) endpoint(address string, stream bool) string {
	u, err := url.Parse(address)
	if err != nil || stream {
		return address
	}
	u.Path = strings.TrimSuffix(u.Path, "_stream")
	return u.String()
}

// Encode asks for details, without which neither the length nor the finish
// reason comes.
func (tgi) Encode(r Request) ([]byte, error) {
	parameters := fields{"details": true}.count("max_new_tokens", r.MaxTokens).seed(r.Seed)
	if r.Temperature != nil && *r.Temperature > 0 { // TGI refuses 0; greedy is what it does without one
		parameters.number("temperature", r.Temperature)
	}
	f := fields{"inputs": prompt(r.Messages), "parameters": parameters}
	return f.body(r.Extra)
}

// decode counts one token per event, which is what the API's stream is made
// of. The end token is marked special and is no text; generated_tokens counts
// it all the same.
func (tgi) decode(name, data []byte, ev *event) error {
	root, err := object(data)
	if string(name) == "error" {
		ev.failure = eventFailure(root, data)
		return nil
	}
	if err != nil {
		return err
	}
	if ev.failure = failure(root); ev.failure != nil {
		return nil
	}
	token := root.object("token")
	if token != nil && !token.flag("special") {
		ev.addString(0, KindContent, token.text("text"))
		ev.tokens = Some[int64](1)
	}
	tgiEnd(root, token == nil, ev)
	return nil
}

// tgiEnd reads the last event of a stream, which repeats the whole text, or a
// whole reply, whose text it is.
func tgiEnd(root tree, whole bool, ev *event) {
	text, ended := root["generated_text"].(string)
	if !ended {
		return
	}
	if whole {
		ev.addString(0, KindContent, text)
	}
	details := root.object("details")
	ev.done = true
	if ev.finish = details.text("finish_reason"); ev.finish == "" {
		ev.finish = "stop"
	}
	in, out := details.count("input_length"), details.count("generated_tokens")
	if prefill := details.list("prefill"); !in.Known && len(prefill) > 0 {
		in = Some(int64(len(prefill)))
	}
	ev.reported = in.Known || out.Known
	ev.usage = Usage{Prompt: in, Completion: out}
}

// readHeader finds the prompt's length and the milliseconds that the router
// writes beside a whole reply. Its inference time is prefill and decode
// together, which Timings has no field for.
func (tgi) readHeader(h http.Header, ev *event) {
	if n, err := strconv.ParseInt(h.Get("X-Prompt-Tokens"), 10, 64); err == nil && n >= 0 {
		ev.usage.Prompt, ev.reported = Some(n), true
	}
	for name, span := range map[string]*Opt[time.Duration]{
		"X-Total-Time": &ev.timings.Total, "X-Queue-Time": &ev.timings.Queue,
	} {
		if ms, err := strconv.ParseFloat(h.Get(name), 64); err == nil {
			*span, ev.timed = milliseconds(Some(ms)), true
		}
	}
}
