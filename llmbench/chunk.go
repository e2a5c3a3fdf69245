package llmbench

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// A ChunkKind says what one data event of a reply carried.
type ChunkKind uint8

const (
	// OtherChunk is a data event that carries nothing below.
	OtherChunk ChunkKind = iota
	// ContentChunk carries non-empty reply text.
	ContentChunk
	// ReasoningChunk carries non-empty reasoning text.
	ReasoningChunk
	// ToolChunk carries a piece of a tool call.
	ToolChunk
	// RoleChunk names the role only.
	RoleChunk
	// FinishChunk carries a finish reason only.
	FinishChunk
	// UsageChunk carries token usage only.
	UsageChunk
)

var chunkKinds = [...]string{"other", "content", "reasoning", "tool", "role", "finish", "usage"}

// String returns the word that stands for the kind in a record.
func (k ChunkKind) String() string {
	if int(k) < len(chunkKinds) {
		return chunkKinds[k]
	}
	return fmt.Sprintf("ChunkKind(%d)", uint8(k))
}

// Content reports whether the kind counts as generated content: text,
// reasoning or a tool call.
func (k ChunkKind) Content() bool {
	return k == ContentChunk || k == ReasoningChunk || k == ToolChunk
}

func parseChunkKind(word string) (ChunkKind, error) {
	for k, w := range chunkKinds {
		if w == word {
			return ChunkKind(k), nil
		}
	}
	return 0, fmt.Errorf("chunk kind is %q, want one of %v", word, chunkKinds)
}

// A Chunk is one data event of a streamed reply; [DONE] is none. The struct is
// 16 bytes, as a run holds millions of them.
type Chunk struct {
	// At is when the read that completed the event returned, from run start.
	At time.Duration
	// Tokens is how many tokens the event carries; it counts only if Counted.
	Tokens int32
	Kind   ChunkKind
	// Counted says that Tokens is known, 0 included.
	Counted bool
}

// Content reports whether the chunk carries generated content. A chunk known to
// hold 0 tokens carries none: it is an event, gives no gap of its own, and does
// not move the last content instant.
func (c Chunk) Content() bool {
	return c.Kind.Content() && (!c.Counted || c.Tokens > 0)
}

type chunkLine struct {
	At     *int64 `json:"t_ns"`
	Kind   string `json:"kind"`
	Tokens *int32 `json:"tokens,omitempty"`
}

// MarshalJSON writes the chunk as schema llmbench.record/v1 has it.
func (c Chunk) MarshalJSON() ([]byte, error) { return c.appendJSON(nil), nil }

// appendJSON appends the chunk by hand: a run has millions of them, and
// encoding/json takes ten times as long for each.
func (c Chunk) appendJSON(line []byte) []byte {
	line = append(line, `{"t_ns":`...)
	line = strconv.AppendInt(line, int64(c.At), 10)
	line = append(line, `,"kind":"`...)
	line = append(line, c.Kind.String()...) // no word of them needs an escape
	line = append(line, '"')
	if c.Counted {
		line = append(line, `,"tokens":`...)
		line = strconv.AppendInt(line, int64(c.Tokens), 10)
	}
	return append(line, '}')
}

// UnmarshalJSON reads a chunk of schema llmbench.record/v1. A missing kind is
// content, the only kind that tools with less detail keep.
func (c *Chunk) UnmarshalJSON(data []byte) error {
	var line chunkLine
	if err := json.Unmarshal(data, &line); err != nil {
		return err
	}
	if line.At == nil {
		return fmt.Errorf("chunk has no t_ns")
	}
	*c = Chunk{At: time.Duration(*line.At), Kind: ContentChunk}
	if line.Kind != "" {
		kind, err := parseChunkKind(line.Kind)
		if err != nil {
			return err
		}
		c.Kind = kind
	}
	if line.Tokens != nil {
		if *line.Tokens < 0 {
			return fmt.Errorf("chunk tokens is %d, want >= 0", *line.Tokens)
		}
		c.Tokens, c.Counted = *line.Tokens, true
	}
	return nil
}
