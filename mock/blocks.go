package mock

import (
	"container/list"
	"hash/fnv"
	"strings"
)

// blocks is the memory of an engine: pieces of a fixed number of tokens. A full
// piece can be found again by the words in it and all before it.
type blocks struct {
	size  int
	limit int // pieces, 0 for no limit
	used  int // held by requests
	share bool
	known map[uint64]*block
	idle  *list.List // known and held by nobody, least recently used first
}

// block is one piece. It can be shared once all its words are computed.
type block struct {
	hash   uint64 // 0 while it cannot be shared
	refs   int
	inIdle *list.Element
}

// newBlocks rounds the memory down to whole pieces, as engines do.
func newBlocks(tokens, size int, share bool) *blocks {
	return &blocks{size: size, limit: tokens / size, share: share, known: map[uint64]*block{}, idle: list.New()}
}

// blockHashes names the full blocks of a text: each by its words and the name of
// the block before it.
func blockHashes(text string, size int) []uint64 {
	var all []uint64
	h := fnv.New64a()
	n := 0
	for word := range strings.FieldsSeq(text) {
		h.Write([]byte(word))
		h.Write([]byte{' '})
		if n++; n%size == 0 {
			all = append(all, h.Sum64()|1) // never 0
		}
	}
	return all
}

// pieces rounds up: a piece belongs to one request, however little is in it.
func (b *blocks) pieces(tokens int) int { return (tokens + b.size - 1) / b.size }

// couldHold reports whether so many tokens fit when nothing else is there.
func (b *blocks) couldHold(tokens int) bool { return b.limit == 0 || b.pieces(tokens) <= b.limit }

// load gives q memory for all it has to compute, and reports how many of its
// tokens were there already: whole blocks, but never the last token, which has
// to be computed to know the next.
func (b *blocks) load(q *job) (hit int, ok bool) {
	var shared []*block
	for i, h := range q.hashes {
		found := b.known[h]
		if !b.share || found == nil || (i+1)*b.size >= q.input+q.done {
			break
		}
		shared = append(shared, found)
	}
	for _, s := range shared {
		b.hold(s)
	}
	q.memory = shared
	if !b.grow(q, q.input+q.done) {
		b.free(q)
		return 0, false
	}
	return len(shared) * b.size, true
}

// grow gives q memory for so many tokens in all, or nothing.
func (b *blocks) grow(q *job, tokens int) bool {
	want := b.pieces(tokens) - len(q.memory)
	if want <= 0 {
		return true
	}
	if b.limit > 0 && b.used+want > b.limit {
		return false
	}
	for range want {
		q.memory = append(q.memory, &block{refs: 1})
	}
	b.used += want
	for b.limit > 0 && b.used+b.idle.Len() > b.limit {
		b.evict()
	}
	return true
}

// evict forgets the piece that nobody has held for longest. It is called only
// while there is one: what is used never exceeds the limit.
func (b *blocks) evict() {
	oldest := b.idle.Remove(b.idle.Front()).(*block)
	delete(b.known, oldest.hash)
}

// hold takes a shared piece; the first holder takes it out of the idle ones.
func (b *blocks) hold(s *block) {
	if s.refs == 0 {
		b.idle.Remove(s.inIdle)
		b.used++
	}
	s.refs++
}

// free takes q's memory back, the end of the text first, so that what is
// forgotten first is what fewer prompts begin with.
func (b *blocks) free(q *job) {
	for i := len(q.memory) - 1; i >= 0; i-- {
		s := q.memory[i]
		if s.refs--; s.refs > 0 {
			continue
		}
		b.used--
		if s.hash != 0 {
			s.inIdle = b.idle.PushBack(s)
		}
	}
	q.memory = nil
}

// keep makes the full blocks of q findable. Once the reply is whole its words
// count too, so that the next turn of a conversation finds it.
func (b *blocks) keep(q *job) {
	if !b.share {
		return
	}
	hashes := q.hashes
	if q.done == q.target {
		hashes = blockHashes(q.stream.req.Prompt+" "+q.stream.answer(), b.size)
	}
	for i, h := range hashes {
		if i >= len(q.memory) || (i+1)*b.size > q.stored {
			return
		}
		if q.memory[i].hash == 0 && b.known[h] == nil {
			q.memory[i].hash = h
			b.known[h] = q.memory[i]
		}
	}
}
