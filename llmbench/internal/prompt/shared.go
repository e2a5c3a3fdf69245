package prompt

import (
	"strings"

	"github.com/llmbench/go/llmbench/internal/draw"
)

// Offsets within draw.Prefixes: the shared system prompt is the stream itself,
// then come the prefixes, who has which, and the replies of a fixed history.
const (
	prefixes = 1
	choice   = 1 << 57
	replies  = 1 << 58
)

// Shared returns the n words that all requests of a seed begin with.
func Shared(seed uint64, n int) string { return text(draw.New(seed, draw.Prefixes), n) }

// Prefix returns the n words of one of the prefixes of a pool.
func Prefix(seed uint64, which, n int) string {
	return text(draw.New(seed, draw.Prefixes+prefixes+uint64(which)), n)
}

// Choose says which of a pool of so many prefixes a session has.
func Choose(seed, session uint64, pool int) int {
	return draw.New(seed, draw.Prefixes+choice+session).Below(pool)
}

// Answer returns the n words that stand for the reply to a request.
func Answer(seed, request uint64, n int) string {
	return text(draw.New(seed, draw.Prefixes+replies+request), n)
}

// Blocks returns n words that begin with those of the blocks, each of which has
// so many words that its hash alone decides. The last block is cut where n ends,
// and what the blocks leave is filled with the request's own words. Two prompts
// whose first hashes agree so have the same first words.
func Blocks(seed, request uint64, blocks []uint64, each, n int) string {
	var parts []string
	left := n
	for _, hash := range blocks {
		if left <= 0 {
			break
		}
		size := min(each, left)
		parts = append(parts, text(draw.New(seed, hash&(draw.Words-1)), size))
		left -= size
	}
	if left > 0 {
		parts = append(parts, text(draw.New(seed, draw.Words+request), left))
	}
	return strings.Join(parts, " ")
}

// text returns n words of a stream.
func text(stream *draw.Stream, n int) string {
	var out strings.Builder
	out.Grow(n * 6)
	for k := range n {
		if k > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(words[stream.Below(len(words))])
	}
	return out.String()
}
