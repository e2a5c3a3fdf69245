package report

// A point is a place in a chart, in the units of its axes.
type point struct{ x, y float64 }

// A mark is how a series is drawn.
type mark string

const (
	line     mark = "line"     // points joined
	steps    mark = "steps"    // each height holds until the next point
	area     mark = "area"     // filled between low and y, or the axis and y
	dots     mark = "dots"     // one dot per point
	segments mark = "segments" // points in pairs, a thick line for each
	level    mark = "level"    // a horizontal line across the chart, the first point's y
	dashed   mark = "dashed"   // a level, dashed
)

// A series is one set of points with a name in the legend.
type series struct {
	name   string
	mark   mark
	color  int // the palette's, see style.css
	points []point
	// low is the lower edge of an area, point by point; nil is the axis.
	low []float64
	// quiet leaves the series out of legend and hover: it adds to another.
	quiet bool
}

// A chart is a picture, the words around it, and its figures as a table.
type chart struct {
	id, title string
	// note says what is drawn, how, and what was left out.
	note string
	x, y axis
	// height is that of the wide picture, in its units; 0 is usual.
	height float64
	// clock says that x is the run's clock, so that the chart zooms together
	// with all others on it.
	clock  bool
	series []series
	// narrow are the series for a telephone; nil takes the same.
	narrow []series
	table  table
	// lanes name the rows of a chart of requests, from the bottom up.
	lanes []string
}

// shown are the series of a size that have points.
func (c *chart) shown(narrow bool) []series {
	from := c.series
	if narrow && c.narrow != nil {
		from = c.narrow
	}
	var all []series
	for _, s := range from {
		if len(s.points) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// A table is figures in rows, all text already.
type table struct {
	head []string
	rows [][]string
}
