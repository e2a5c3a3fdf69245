package wire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"
	"time"
)

// vllmChunk is a chunk as vLLM sends it: 247 bytes on the wire.
const vllmChunk = `data: {"id":"chatcmpl-5f0cc8a3b2d44f1e9a7c6d5e4f3a2b1c","object":"chat.completion.chunk","created":1764460800,"model":"meta-llama/Llama-3.1-8B-Instruct","choices":[{"index":0,"delta":{"content":" world"},"logprobs":null,"finish_reason":null}]}` + "\n\n"

// stepReader gives one step per Read, as a server does that flushes every
// chunk.
type stepReader struct {
	body []byte
	step int
}

func (r *stepReader) Read(p []byte) (int, error) {
	if len(r.body) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), r.step)], r.body)
	r.body = r.body[n:]
	return n, nil
}

// BenchmarkStream is the whole path of a body: read, stamp, frame, decode,
// fold. Only the transport is missing. The target is 1.5 million chunks a
// second and core, and at most one allocation per chunk.
//
// On two cores of an AMD EPYC with Go 1.26.8, by processor time of
//
//	go test -run '^$' -bench Stream -benchtime 5000x -cpu 1 ./llmbench/internal/wire
//
// it was 2.1 million with a chunk per Read, 2.3 with sixteen, 1.9 with the text
// kept, each with 0.03 to 0.04 allocations per chunk, which are the growth of
// the record. The slow path reads about 0.2 million with 31.
func BenchmarkStream(b *testing.B) {
	const chunks = 1000
	tool := `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]}}]}` + "\n\n"
	for _, bm := range []struct {
		name, chunk string
		step        int
		keep        int
	}{
		{"chunk-per-read", vllmChunk, len(vllmChunk), 0},
		{"16-chunks-per-read", vllmChunk, 16 * len(vllmChunk), 0},
		{"text-kept", vllmChunk, len(vllmChunk), 1 << 20},
		{"slow-path", tool, len(tool), 0},
	} {
		b.Run(bm.name, func(b *testing.B) {
			body := append(bytes.Repeat([]byte(bm.chunk), chunks), aFinish+aDone...)
			start := time.Now()
			call := Call{Protocol: OpenAIChat(), Now: func() time.Duration { return time.Since(start) }, KeepText: bm.keep}
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if r := readStream(call, &stepReader{body, bm.step}); len(r.Chunks) != chunks+1 {
					b.Fatalf("%d chunks", len(r.Chunks))
				}
			}
			b.ReportMetric(float64(chunks*b.N)/b.Elapsed().Seconds(), "chunks/s")
		})
	}
}

// readStream reads a body as Do would once the headers are there.
func readStream(call Call, body io.Reader) *Reply {
	x := newExchange(context.Background(), call, Request{Stream: true})
	x.shape = shapeSSE
	x.in = newIntake(x.shape, call.MaxLine)
	if err := x.read(body); err != nil {
		panic(fmt.Sprint(err))
	}
	x.close()
	return x.reply
}
