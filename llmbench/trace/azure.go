package trace

import (
	"io"
	"time"
)

// Azure reads the CSV of Azure's LLM inference traces of 2023 and 2024:
// TIMESTAMP with digits of 100 ns, ContextTokens, GeneratedTokens; the trace of
// multimodal requests has NumImages too. The first row is instant 0.
func Azure(r io.Reader) (*Trace, error) {
	t := &Trace{Name: "azure", Timed: true}
	c, err := openColumns(r, t.Name, "TIMESTAMP", "ContextTokens", "GeneratedTokens")
	if err != nil {
		return nil, err
	}
	var first time.Time
	for {
		more, err := c.next()
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
		row, at, err := azureRow(c)
		if err != nil {
			return nil, err
		}
		if len(t.Rows) == 0 {
			first = at
		}
		row.At = at.Sub(first)
		t.Rows = append(t.Rows, row)
	}
	return fromZero(t), nil
}

func azureRow(c *columns) (row Row, at time.Time, err error) {
	if at, err = azureTime(c.text("TIMESTAMP")); err != nil {
		return row, at, c.bad("TIMESTAMP is %q, want a time such as 2023-11-16 18:15:46.6805900", c.text("TIMESTAMP"))
	}
	if row.Input, err = c.count("ContextTokens"); err != nil {
		return row, at, err
	}
	if row.Output, err = c.count("GeneratedTokens"); err != nil {
		return row, at, err
	}
	if c.text("NumImages") != "" {
		row.Images, err = c.count("NumImages")
	}
	return row, at, err
}

// azureTime reads both years' forms: without a zone in 2023, with one in 2024.
// Go takes fractional digits after the seconds though the layout has none.
func azureTime(text string) (time.Time, error) {
	at, err := time.Parse("2006-01-02 15:04:05", text)
	if err != nil {
		return time.Parse("2006-01-02 15:04:05Z07:00", text)
	}
	return at, nil
}
