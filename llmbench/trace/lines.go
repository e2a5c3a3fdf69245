package trace

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/llmbench/go/llmbench/internal/lines"
)

// eachLine calls see with every line that is not blank. Its error gets the line
// number.
func eachLine(r io.Reader, name string, see func([]byte) error) error {
	if err := lines.Each(r, see); err != nil {
		return fmt.Errorf("trace: %s: %w", name, err)
	}
	return nil
}

// columns reads a CSV file by the names in its first line, in any order and
// case; a byte order mark and CRLF are taken in stride.
type columns struct {
	name   string
	in     *csv.Reader
	places map[string]int
	row    []string
}

// openColumns reads the header. Every wanted column must be there.
func openColumns(r io.Reader, name string, wanted ...string) (*columns, error) {
	in := csv.NewReader(r)
	in.FieldsPerRecord = -1 // checked by hand, for a text that says what is missing
	header, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("trace: %s: the file is empty, want a header with %s", name, strings.Join(wanted, ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("trace: %s: %w", name, err)
	}
	c := &columns{name: name, in: in, places: map[string]int{}}
	for i, title := range header {
		title = strings.TrimPrefix(title, "\ufeff")
		c.places[strings.ToLower(strings.TrimSpace(title))] = i
	}
	for _, title := range wanted {
		if _, ok := c.places[strings.ToLower(title)]; !ok {
			return nil, fmt.Errorf("trace: %s: line 1: there is no column %q among %q", name, title, header)
		}
	}
	return c, nil
}

// next reads a row; false at the end.
func (c *columns) next() (bool, error) {
	row, err := c.in.Read()
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("trace: %s: %w", c.name, err) // csv's own errors name the line
	}
	c.row = row
	if len(row) < len(c.places) {
		return false, c.bad("it has %d fields, want %d", len(row), len(c.places))
	}
	return true, nil
}

// text is a field of the row, empty where there is no such column.
func (c *columns) text(title string) string {
	if place, ok := c.places[strings.ToLower(title)]; ok && place < len(c.row) {
		return strings.TrimSpace(c.row[place])
	}
	return ""
}

// count is a field that counts something.
func (c *columns) count(title string) (int, error) {
	text := c.text(title)
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, c.bad("%s is %q, want a whole number >= 0", title, text)
	}
	return n, nil
}

// bad is an error about the row at hand.
func (c *columns) bad(format string, args ...any) error {
	line, _ := c.in.FieldPos(0)
	return fmt.Errorf("trace: %s: line %d: %s", c.name, line, fmt.Sprintf(format, args...))
}
