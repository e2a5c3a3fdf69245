package report_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/llmbench/report"
)

// The page of records that came from anywhere, written without a test.
func ExampleWrite() {
	records, _ := llmbench.ReadRecords(strings.NewReader(
		`{"id":"a","streamed":true,"outcome":"ok","sent_ns":0,"end_ns":900000000,"chunks":[{"t_ns":300000000},{"t_ns":900000000}]}`))
	result, err := llmbench.Analyze(records, llmbench.AnalyzeOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	folder, _ := os.MkdirTemp("", "")
	defer func() { _ = os.RemoveAll(folder) }()
	page, err := os.Create(filepath.Join(folder, "report.html"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Write(page, result), page.Close(), result.Window.Length() == 900*time.Millisecond)
	// Output: <nil> <nil> true
}
