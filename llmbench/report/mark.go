package report

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// plot draws the series; width and ends of its lines are the style's.
func (s *series) plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := func(px, py float64) vg.Point {
		// The axes never end before the data, but a rounding may.
		return vg.Point{X: min(max(x(px), c.Min.X), c.Max.X), Y: min(max(y(py), c.Min.Y), c.Max.Y)}
	}
	c.SetColor(dataColor)
	c.SetLineWidth(1)
	switch s.mark {
	case area:
		c.Fill(s.outline(at, p.Y.Min))
	case level, dashed:
		v := s.points[0].y
		c.Stroke(vg.Path{move(at(p.X.Min, v)), to(at(p.X.Max, v))})
	default:
		c.Stroke(s.path(at))
	}
}

func move(p vg.Point) vg.PathComp { return vg.PathComp{Type: vg.MoveComp, Pos: p} }
func to(p vg.Point) vg.PathComp   { return vg.PathComp{Type: vg.LineComp, Pos: p} }

// path is the line that the mark makes of the points. A dot is a line without
// length: with round ends, and a width that does not scale, it stays a dot
// however the picture is zoomed.
func (s *series) path(at func(x, y float64) vg.Point) vg.Path {
	path := make(vg.Path, 0, 2*len(s.points))
	for i, p := range s.points {
		switch {
		case s.mark == dots:
			path = append(path, move(at(p.x, p.y)), to(at(p.x, p.y)))
		case i == 0 || s.mark == segments && i%2 == 0:
			path = append(path, move(at(p.x, p.y)))
		case s.mark == steps:
			path = append(path, to(at(p.x, s.points[i-1].y)), to(at(p.x, p.y)))
		default:
			path = append(path, to(at(p.x, p.y)))
		}
	}
	return path
}

// outline goes along the upper edge and back along the lower.
func (s *series) outline(at func(x, y float64) vg.Point, floor float64) vg.Path {
	var path vg.Path
	add := func(x, y float64) {
		if len(path) == 0 {
			path = append(path, move(at(x, y)))
			return
		}
		path = append(path, to(at(x, y)))
	}
	for _, p := range s.points {
		add(p.x, p.y)
	}
	for i := len(s.points) - 1; i >= 0; i-- {
		low := floor
		if s.low != nil {
			low = s.low[i]
		}
		if s.low != nil || i == 0 || i == len(s.points)-1 {
			add(s.points[i].x, low)
		}
	}
	return append(path, vg.PathComp{Type: vg.CloseComp})
}
