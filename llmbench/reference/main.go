// Command reference makes the reference page of the metrics, METRICS.md, from
// the one table. go generate runs it beside metrics.go.
package main

import (
	"fmt"
	"os"
)

func main() {
	names, err := os.ReadFile("names.go")
	if err == nil {
		err = os.WriteFile("METRICS.md", []byte(page(string(names))), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
