package lines

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Each calls see with every line of a file that is not blank, without the white
// space around it; a line may be of any length. It stops at the first error, of
// see or of reading, and says which line that is of.
func Each(r io.Reader, see func(line []byte) error) error {
	in := bufio.NewReaderSize(r, 1<<16)
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if bad := see(line); bad != nil {
				return fmt.Errorf("line %d: %w", number, bad)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
}
