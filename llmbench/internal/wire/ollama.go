package wire

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

type ollamaChat struct{}
type ollamaGenerate struct{}

// OllamaChat is POST /api/chat of Ollama's own API, which streams JSON lines.
func OllamaChat() Protocol { return ollamaChat{} }

// OllamaGenerate is POST /api/generate: one prompt, no roles. Several messages
// are joined by LF.
func OllamaGenerate() Protocol { return ollamaGenerate{} }

var ollamaModels = listing{path: "api/tags", list: "models", name: "name"}

func (ollamaChat) Name() string                        { return "ollama-chat" }
func (ollamaChat) Path() string                        { return "api/chat" }
func (ollamaChat) Authorize(h http.Header, key string) { bearer(h, key) }
func (ollamaChat) framing() framing                    { return framingNDJSON }
func (ollamaChat) models() listing                     { return ollamaModels }

func (ollamaGenerate) Name() string                        { return "ollama-generate" }
func (ollamaGenerate) Path() string                        { return "api/generate" }
func (ollamaGenerate) Authorize(h http.Header, key string) { bearer(h, key) }
func (ollamaGenerate) framing() framing                    { return framingNDJSON }
func (ollamaGenerate) models() listing                     { return ollamaModels }

func (ollamaChat) Encode(r Request) ([]byte, error) {
	f := ollamaFields(r)
	messages := []any{}
	for i, m := range r.Messages {
		images, err := base64Images(m.Images)
		if err != nil {
			return nil, fmt.Errorf("wire: ollama: message %d: %w", i, err)
		}
		message := fields{"role": m.role(), "content": m.Content}
		if len(images) > 0 {
			message["images"] = images
		}
		messages = append(messages, message.merged(m.Extra))
	}
	f["messages"] = messages
	return f.body(r.Extra)
}

// Encode gathers the images of all messages: the API has one list beside its
// one prompt.
func (ollamaGenerate) Encode(r Request) ([]byte, error) {
	f := ollamaFields(r)
	f["prompt"] = prompt(r.Messages)
	var images []string
	for i, m := range r.Messages {
		more, err := base64Images(m.Images)
		if err != nil {
			return nil, fmt.Errorf("wire: ollama: message %d: %w", i, err)
		}
		images = append(images, more...)
	}
	if len(images) > 0 {
		f["images"] = images
	}
	return f.body(r.Extra)
}

// ollamaFields always sends stream, since Ollama's default is true. It has no
// field for MinTokens and IgnoreEOS.
func ollamaFields(r Request) fields {
	f := fields{"stream": r.Stream}.text("model", r.Model)
	options := fields{}.count("num_predict", r.MaxTokens).number("temperature", r.Temperature).seed(r.Seed)
	if len(options) > 0 {
		f["options"] = options
	}
	return f
}

// base64Images takes the bytes out of data URLs: Ollama loads none itself.
func base64Images(urls []string) ([]string, error) {
	var images []string
	for _, url := range urls {
		head, data, ok := strings.Cut(url, ",")
		if !ok || !strings.HasPrefix(head, "data:") || !strings.HasSuffix(head, ";base64") {
			return nil, fmt.Errorf("image is %q, want a data URL in base64", printable(url, 40))
		}
		images = append(images, data)
	}
	return images, nil
}

// decode notes the role only by the way: Ollama repeats it on every line, and
// it opens nothing.
func (ollamaChat) decode(_, data []byte, ev *event) error {
	root, err := ollamaLine(data, ev)
	if err != nil || ev.failure != nil {
		return err
	}
	message := root.object("message")
	ev.role = message.text("role") != ""
	ev.addString(0, KindReasoning, message.text("thinking"))
	ev.addString(0, KindContent, message.text("content"))
	for _, c := range message.list("tool_calls") {
		function := asObject(c).object("function")
		arguments := ""
		if a, ok := function["arguments"]; ok {
			arguments = jsonText(a) // an object here, not a text as in OpenAI's API
		}
		ev.addTool(0, function.text("name"), arguments)
	}
	return nil
}

func (ollamaGenerate) decode(_, data []byte, ev *event) error {
	root, err := ollamaLine(data, ev)
	if err != nil || ev.failure != nil {
		return err
	}
	ev.addString(0, KindReasoning, root.text("thinking"))
	ev.addString(0, KindContent, root.text("response"))
	return nil
}

// ollamaLine reads what the two endpoints' lines share: the end, its counts,
// and durations in nanoseconds.
func ollamaLine(data []byte, ev *event) (tree, error) {
	root, err := object(data)
	if err != nil {
		return nil, err
	}
	if ev.failure = failure(root); ev.failure != nil || !root.flag("done") {
		return root, nil
	}
	ev.done = true
	if ev.finish = root.text("done_reason"); ev.finish == "" {
		ev.finish = "stop" // releases before 0.1.35 gave no reason
	}
	in, out := root.count("prompt_eval_count"), root.count("eval_count")
	ev.reported = in.Known || out.Known
	ev.usage = Usage{Prompt: in, Completion: out}
	ev.timings = Timings{
		PromptN: in, PredictedN: out,
		Prompt: root.nanoseconds("prompt_eval_duration"), Predicted: root.nanoseconds("eval_duration"),
		Load: root.nanoseconds("load_duration"), Total: root.nanoseconds("total_duration"),
	}
	ev.timed = ev.timings.Predicted.Known || ev.timings.Total.Known
	return root, nil
}

func (t tree) nanoseconds(name string) Opt[time.Duration] {
	n := t.count(name)
	return Opt[time.Duration]{V: time.Duration(n.V), Known: n.Known}
}
