package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
)

// The slow path reads a JSON text as a tree and takes what it knows from it. A
// tree forgives what a struct would not: null where a list was promised, a
// number where others send a string, a field that is missing. That is most of
// what servers have been reported for.

var errNotObject = errors.New("not a JSON object")

// object reads a JSON text whose outermost value is an object.
func object(data []byte) (tree, error) {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return nil, err
	}
	t, ok := v.(map[string]any)
	if !ok {
		return nil, errNotObject
	}
	return t, nil
}

// tree is a JSON object; a nil one has no fields.
type tree map[string]any

func (t tree) object(name string) tree { return asObject(t[name]) }

func (t tree) list(name string) []any {
	l, _ := t[name].([]any)
	return l
}

func (t tree) text(name string) string {
	s, _ := t[name].(string)
	return s
}

// first is the first of the named texts that is not empty.
func (t tree) first(names ...string) string {
	for _, name := range names {
		if s := t.text(name); s != "" {
			return s
		}
	}
	return ""
}

func (t tree) flag(name string) bool {
	b, _ := t[name].(bool)
	return b
}

func (t tree) float(name string) Opt[float64] {
	if f, ok := t[name].(float64); ok && !math.IsInf(f, 0) {
		return Some(f)
	}
	return Opt[float64]{}
}

// count is a number of tokens: whole, not negative, and small enough to be one.
func (t tree) count(name string) Opt[int64] {
	f := t.float(name)
	if !f.Known || f.V < 0 || f.V > 1<<53 || f.V != math.Trunc(f.V) {
		return Opt[int64]{}
	}
	return Some(int64(f.V))
}

// word is a text, or a number in its shortest form: error codes come as both.
func (t tree) word(name string) string {
	if f := t.float(name); f.Known {
		return strconv.FormatFloat(f.V, 'f', -1, 64)
	}
	return t.text(name)
}

func asObject(v any) tree {
	m, _ := v.(map[string]any)
	return m
}

// failure reads the shapes in which servers report an error: {"error":{...}},
// {"error":"text"}, vLLM's older {"object":"error","message":...}, Anthropic's
// {"type":"error","error":{...}}, FastAPI's {"detail":...}. Nil when the object
// is none of them.
func failure(t tree) *ServerError {
	switch e := t["error"].(type) {
	case map[string]any:
		return serverError(e, t)
	case string:
		if e != "" {
			return &ServerError{Message: printable(e, textBound), Type: printable(t.first("error_type", "type"), 60), Code: printable(t.word("code"), 60)}
		}
	case nil:
	default:
		return &ServerError{Message: printable(jsonText(e), textBound)}
	}
	if t.text("object") == "error" || t.text("type") == "error" {
		return serverError(t, nil)
	}
	if detail, ok := t["detail"]; ok && detail != nil && t["choices"] == nil {
		return &ServerError{Message: printable(jsonText(detail), textBound)}
	}
	return nil
}

func serverError(e, around tree) *ServerError {
	message := e.first("message", "error", "detail", "msg")
	if message == "" {
		message = around.text("message")
	}
	if message == "" {
		message = jsonText(map[string]any(e))
	}
	code := e.word("code")
	if code == "" {
		code = e.word("status")
	}
	return &ServerError{Message: printable(message, textBound), Type: printable(e.text("type"), 60), Code: printable(code, 60)}
}

// jsonText is v for people: a text as it is, anything else as JSON.
func jsonText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(bytes.TrimSpace(text))
}
