package llmbench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/llmbench/go/llmbench/internal/lines"
)

// ReadRecords reads JSON Lines of schema llmbench.record/v1. Blank lines are
// passed over; fields it does not know are kept and written back by
// [WriteRecords]. At a line that is no valid record (broken JSON, an unknown
// outcome, phase or chunk kind, a negative count) it stops with an error that
// names the line, and returns the records before it.
func ReadRecords(r io.Reader) ([]Record, error) {
	var records []Record
	err := lines.Each(r, func(line []byte) error {
		var record Record
		if err := json.Unmarshal(line, &record); err != nil {
			return err
		}
		records = append(records, record)
		return nil
	})
	if err != nil {
		return records, fmt.Errorf("llmbench: records: %w", err)
	}
	return records, nil
}

// WriteRecords writes the records as JSON Lines of schema llmbench.record/v1,
// one line each, in their order.
func WriteRecords(w io.Writer, records []Record) error {
	out := bufio.NewWriterSize(w, 1<<16)
	for i := range records {
		line, err := records[i].MarshalJSON() // json.Marshal would check and copy every line again
		if err != nil {
			return fmt.Errorf("llmbench: records: record %q: %w", records[i].ID, err)
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return fmt.Errorf("llmbench: records: record %q: %w", records[i].ID, err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("llmbench: records: %w", err)
	}
	return nil
}

// knownFields are the JSON names of Record.
var knownFields = func() map[string]bool {
	names := map[string]bool{}
	t := reflect.TypeFor[Record]()
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" {
			names[name] = true
		}
	}
	return names
}()

// unknownFields returns the members of the object that Record has no field
// for, or nil.
func unknownFields(object []byte) (map[string]json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(object, &all); err != nil {
		return nil, err
	}
	for name := range all {
		if knownFields[name] {
			delete(all, name)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	return all, nil
}
