package llmbench

import (
	"fmt"
	"slices"
	"strconv"
)

// A Part is the requests of one class, analysed by themselves.
type Part struct {
	Class  string
	Result *Result
}

// By splits the result into classes: class names the class of a request, and
// requests with one name are analysed together, over the window of the whole
// result, so that rates of the parts add up. A part's curves are of its own
// requests alone; its records are copies that share their chunks. Parts come in
// the order of their names, numbers by value. See [ByLabel], [BySession],
// [ByTurn] and [ByInput] for classes.
func (r *Result) By(class func(*Record) string) []Part {
	groups := map[string][]Record{}
	var names []string
	for i := range r.Records {
		name := class(&r.Records[i])
		if groups[name] == nil {
			names = append(names, name)
		}
		groups[name] = append(groups[name], r.Records[i])
	}
	slices.SortFunc(names, compareNames)
	var parts []Part
	for _, name := range names {
		a := newAnalysis(r.Window, r.options, len(groups[name]))
		parts = append(parts, Part{name, a.run(groups[name])})
	}
	return parts
}

// compareNames orders numbers by value, and before other names.
func compareNames(a, b string) int {
	x, errX := leadingNumber(a)
	y, errY := leadingNumber(b)
	switch {
	case errX == nil && errY == nil && x != y:
		return x - y
	case errX == nil && errY != nil:
		return -1
	case errX != nil && errY == nil:
		return 1
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func leadingNumber(name string) (int, error) {
	end := 0
	for end < len(name) && name[end] >= '0' && name[end] <= '9' {
		end++
	}
	return strconv.Atoi(name[:end])
}

// ByLabel is the class of a request's label.
func ByLabel(r *Record) string { return r.Label }

// BySession is the class of a request's conversation.
func BySession(r *Record) string { return r.Session }

// ByTurn is the class of a request's turn in its conversation.
func ByTurn(r *Record) string { return strconv.Itoa(r.Turn) }

// ByInput makes classes by prompt length. Each bound begins a class: with 128
// and 1024 they are "0-127", "128-1023" and "1024+"; a prompt of unknown length
// is in "unknown". Bounds may come in any order.
func ByInput(bounds ...int) func(*Record) string {
	bounds = slices.Compact(slices.Sorted(slices.Values(bounds)))
	return func(r *Record) string {
		n, ok := r.ISL().Get()
		if !ok {
			return "unknown"
		}
		i, found := slices.BinarySearch(bounds, n)
		if found {
			i++
		}
		low := 0
		if i > 0 {
			low = bounds[i-1]
		}
		if i == len(bounds) {
			return fmt.Sprintf("%d+", low)
		}
		return fmt.Sprintf("%d-%d", low, bounds[i]-1)
	}
}
