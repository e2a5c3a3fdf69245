// Package report draws a result as one HTML file that stands alone: it loads
// nothing, opens from disk, is light or dark as the reader has it, and shows its
// pictures and tables without JavaScript too. A small script adds zoom, hover
// and the choice of theme.
//
// A blank import switches it on for every run that is kept as files (see
// [llmbench.Run]):
//
//	import _ "github.com/llmbench/go/llmbench/report"
//
// Only those who import it compile the chart library. It
// keeps comparisons as a page too. [Write] and [WriteComparison] write the pages
// without a test.
//
// Pictures are drawn by gonum/plot, twice each: for a wide page and for a
// telephone. Long runs are drawn in columns of equal width that keep their
// extremes, and say so.
package report

import "github.com/llmbench/go/llmbench"

func init() {
	llmbench.RegisterArtifact("report.html", Write)
	llmbench.RegisterComparison(".html", WriteComparison)
}
