package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Every public bug report about the reading of replies, replayed by its timing
// in a bubble. The bytes and the expected values are in testdata/cases; each
// folder's case.json tells the story and its source.

// caseChoices are the expectations that metrics.md words otherwise. It holds
// where the two disagree.
var caseChoices = map[string]map[string]any{
	"049-429-retry-after-both-forms": {"outcome": "rejected"}, // shed by the server: an outcome of its own
	"050-503-html-page":              {"outcome": "rejected"},
	"063-stalled-stream":             {"outcome": "timeout"},
}

// caseAPI says which protocol a case speaks, where that is not chat.
var caseAPI = map[string]string{
	"045-completions-text-stream":    "openai-completions",
	"055-ollama-native-ndjson":       "ollama-chat",
	"057-ollama-thinking-only":       "ollama-chat",
	"058-anthropic-events-with-ping": "anthropic-messages",
	"059-responses-api-incomplete":   "openai-responses",
}

func TestCases(t *testing.T) {
	folders, err := filepath.Glob("testdata/cases/*/http.json")
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for _, file := range folders {
		folder := filepath.Dir(file)
		name := filepath.Base(folder)
		t.Run(name, func(t *testing.T) {
			for i, s := range readScripts(t, folder) {
				synctest.Test(t, func(t *testing.T) { replay(t, folder, s, i) })
			}
		})
	}
}

// replay performs one case in a bubble and holds every expected value, to the
// nanosecond.
func replay(t *testing.T, folder string, s script, variant int) {
	var offered string
	client, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		offered = r.Header.Get("Accept-Encoding")
		s.play(w, r)
	})
	want := expected(t, folder)
	reply := perform(t, folder, client, "http://mock", 1)
	for key, value := range want {
		switch key {
		case "request_accept_encoding":
			require.Contains(t, []string{"", "identity"}, offered)
		case "api":
			require.Equal(t, value, caseAPI[filepath.Base(folder)])
		default:
			read, known := caseValues[key]
			require.True(t, known, "no check for expected value %q", key)
			require.Equal(t, value, jsonValue(t, read(reply)), "%s, variant %d; reply: %+v", key, variant, reply)
		}
	}
	require.LessOrEqual(t, len(reply.Err), textBound)
	require.Equal(t, reply.Outcome == OutcomeOK, reply.Err == "")
}

// TestCasesOverTCP replays the cases once more over loopback, where a reset is
// a real one and reads fall as they like. Values that are times are held from
// below only: a machine can be late, and never early.
func TestCasesOverTCP(t *testing.T) {
	folders, err := filepath.Glob("testdata/cases/*/http.json")
	require.NoError(t, err)
	for _, file := range folders {
		folder := filepath.Dir(file)
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(readScripts(t, folder)[0].play))
			defer server.Close()
			transport := NewTransport(1)
			defer transport.CloseIdleConnections()
			reply := perform(t, folder, &http.Client{Transport: transport}, server.URL, 5) // a busy machine is no stall
			for key, value := range expected(t, folder) {
				read, known := caseValues[key]
				switch {
				case !known || key == "must_return_before_ms" || key == "tpot_ms":
				case reflect.TypeOf(value) == reflect.TypeFor[float64]() && strings.HasSuffix(key, "_ms"):
					require.GreaterOrEqual(t, jsonValue(t, read(reply)), value, key)
				case !strings.HasSuffix(key, "_ms"):
					require.Equal(t, value, jsonValue(t, read(reply)), "%s; reply: %+v", key, reply)
				}
			}
		})
	}
}

func expected(t *testing.T, folder string) map[string]any {
	t.Helper()
	want := readJSON[map[string]any](t, filepath.Join(folder, "expected.json"))
	maps.Copy(want, caseChoices[filepath.Base(folder)])
	return want
}

// perform sends the case's request; patience multiplies its idle limit.
func perform(t *testing.T, folder string, client *http.Client, base string, patience time.Duration) Reply {
	t.Helper()
	name := filepath.Base(folder)
	api, err := ByName(caseAPI[name])
	require.NoError(t, err)
	call := Call{Client: client, URL: base + "/" + api.Path(), Protocol: api, Now: clock(), KeepText: 1 << 20}
	if idle, ok := expected(t, folder)["idle_timeout_ms"].(float64); ok {
		call.IdleTimeout = patience * time.Duration(idle) * time.Millisecond
	}
	request := Request{Model: "m", Stream: true, Messages: []Message{{Content: "hello"}}}
	if name == "043-two-choices-interleaved" {
		request.N = 2
	}
	return call.Do(context.Background(), request)
}

// caseValues computes each expected value from a reply, as the metrics would.
var caseValues = map[string]func(Reply) any{
	"outcome":           func(r Reply) any { return r.Outcome.String() },
	"text":              func(r Reply) any { return r.Text() },
	"text_length":       func(r Reply) any { return len(r.Text()) },
	"reasoning":         func(r Reply) any { return r.Reasoning() },
	"token_events":      func(r Reply) any { return len(content(r)) },
	"finish_reason":     func(r Reply) any { return r.FinishReason },
	"done_seen":         func(r Reply) any { return r.DoneSeen },
	"completion_tokens": func(r Reply) any { return known(r.Usage.Completion) },
	"output_tokens":     outputTokens,
	"prompt_tokens":     func(r Reply) any { return known(r.Usage.Prompt) },
	"input_tokens":      func(r Reply) any { return known(r.Usage.Prompt) },
	"reasoning_tokens":  func(r Reply) any { return known(r.Usage.Reasoning) },
	"answer_tokens":     func(r Reply) any { return r.Usage.Completion.V - r.Usage.Reasoning.V },
	"first_byte_ms":     func(r Reply) any { return ms(r.FirstByte.V - r.Sent) },
	"ttft_ms":           func(r Reply) any { return ms(content(r)[0].At - r.Sent) },
	"last_token_ms":     func(r Reply) any { return ms(last(content(r)).At - r.Sent) },
	"stream_end_ms":     func(r Reply) any { return ms(r.End - r.Sent) },
	"ttfo_ms":           func(r Reply) any { return ms(answer(r)[0].At - r.Sent) },
	"chunk_gaps_ms":     chunkGaps,
	"per_token_itl_ms":  tokenGaps,
	"tpot_ms":           timePerToken,
	"ttft":              absent(func(r Reply) bool { return r.Streamed && len(content(r)) > 0 }),
	"itl":               absent(func(r Reply) bool { return r.Streamed && len(content(r)) > 1 }),
	"tpot":              absent(func(r Reply) bool { return r.Streamed && r.Usage.Completion.V > 1 }),
	"ttfo":              absent(func(r Reply) bool { return len(answer(r)) > 0 }),
	"streamed":          func(r Reply) any { return r.Streamed },
	"tool_arguments":    func(r Reply) any { return byChoice(r, func(c Choice) string { return c.ToolArguments }) },
	"choices_text":      func(r Reply) any { return byChoice(r, func(c Choice) string { return c.Text }) },
	"http_status":       func(r Reply) any { return r.Status },
	"retry_after_ms":    func(r Reply) any { return ms(r.RetryAfter.V) },
	"error_message":     func(r Reply) any { return r.Server.Message },
	"error_code":        func(r Reply) any { code, _ := strconv.Atoi(r.Server.Code); return code },
	"server_eval_ms":    func(r Reply) any { return ms(r.Timings.Predicted.V) },
	"idle_timeout_ms":   func(r Reply) any { return ms(r.End - last(r.Chunks).At) },
	"must_return_before_ms": func(r Reply) any {
		if end := ms(r.End - r.Sent); end >= 300 {
			return end
		}
		return 300
	},
}

func content(r Reply) []Chunk {
	return slices.DeleteFunc(slices.Clone(r.Chunks), func(c Chunk) bool { return !c.Kind.Generated() })
}

func answer(r Reply) []Chunk {
	return slices.DeleteFunc(content(r), func(c Chunk) bool { return c.Kind == KindReasoning })
}

func last(chunks []Chunk) Chunk { return chunks[len(chunks)-1] }

func known(o Opt[int64]) any {
	if !o.Known {
		return nil
	}
	return o.V
}

func outputTokens(r Reply) any {
	if r.Usage == nil {
		return len(content(r))
	}
	return known(r.Usage.Completion)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func chunkGaps(r Reply) any {
	var gaps []float64
	c := content(r)
	for i := 1; i < len(c); i++ {
		gaps = append(gaps, ms(c[i].At-c[i-1].At))
	}
	return gaps
}

func tokenGaps(r Reply) any {
	var gaps []float64
	c := content(r)
	for i := 1; i < len(c); i++ {
		for range c[i].Tokens {
			gaps = append(gaps, ms(c[i].At-c[i-1].At)/float64(c[i].Tokens))
		}
	}
	return gaps
}

func timePerToken(r Reply) any {
	c := content(r)
	return ms(last(c).At-c[0].At) / float64(r.Usage.Completion.V-1)
}

func absent(present func(Reply) bool) func(Reply) any {
	return func(r Reply) any {
		if present(r) {
			return "present"
		}
		return "absent"
	}
}

func byChoice(r Reply, text func(Choice) string) any {
	out := map[string]string{}
	for i, c := range r.Choices {
		out[strconv.Itoa(i)] = text(c)
	}
	return out
}

// jsonValue is v as encoding/json would read it back, so that it compares with
// an expected value.
func jsonValue(t *testing.T, v any) any {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	var out any
	require.NoError(t, json.Unmarshal(text, &out))
	return out
}

func readJSON[T any](t *testing.T, file string) T {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var out T
	require.NoError(t, json.Unmarshal(text, &out), file)
	return out
}

// readScripts reads a case's reply, and a second one with other headers where
// the case has a variant.
func readScripts(t *testing.T, folder string) []script {
	t.Helper()
	head := readJSON[struct {
		Status         int
		Headers        map[string]string
		VariantHeaders map[string]string `json:"variant_headers"`
	}](t, filepath.Join(folder, "http.json"))
	s := script{status: head.Status, header: http.Header{}, body: readBody(t, folder)}
	for name, value := range head.Headers {
		s.header.Set(name, value)
	}
	s.writes = []write{{0, 0, len(s.body)}}
	readTiming(t, folder, &s)
	if head.VariantHeaders == nil {
		return []script{s}
	}
	variant := s
	variant.header = s.header.Clone()
	for name, value := range head.VariantHeaders {
		variant.header.Set(name, value)
	}
	return []script{s, variant}
}

func readBody(t *testing.T, folder string) []byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	require.NoError(t, err)
	i := slices.IndexFunc(files, func(f string) bool {
		base := filepath.Base(f)
		return strings.HasPrefix(base, "stream.") || strings.HasPrefix(base, "body.")
	})
	require.GreaterOrEqual(t, i, 0, folder)
	body, err := os.ReadFile(files[i])
	require.NoError(t, err)
	return body
}

var resetAt = regexp.MustCompile(`^reset-at-([0-9]+)ms$`)

func readTiming(t *testing.T, folder string, s *script) {
	t.Helper()
	file := filepath.Join(folder, "wire.json")
	if _, err := os.Stat(file); err != nil {
		return
	}
	timing := readJSON[struct {
		Writes []struct {
			At       float64 `json:"t_ms"`
			From, To int
		}
		End string
	}](t, file)
	s.writes = nil
	for _, w := range timing.Writes {
		s.writes = append(s.writes, write{time.Duration(w.At * float64(time.Millisecond)), w.From, w.To})
	}
	s.end = timing.End
	if m := resetAt.FindStringSubmatch(timing.End); m != nil {
		at, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		s.end, s.endAt = "reset", time.Duration(at)*time.Millisecond
	}
}

// TestCaseBytesSurvive guards the cases against an editor or a checkout that
// changes line ends.
func TestCaseBytesSurvive(t *testing.T) {
	crlf, err := os.ReadFile("testdata/cases/007-crlf-line-ends/stream.sse")
	require.NoError(t, err)
	require.Equal(t, bytes.Count(crlf, []byte("\n")), bytes.Count(crlf, []byte("\r\n")), "the CRLF case has lost its CRs")
	bom, err := os.ReadFile("testdata/cases/010-utf8-bom/stream.sse")
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(bom, []byte("\xef\xbb\xbf")), "the BOM case has lost its BOM")
}
