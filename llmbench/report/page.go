package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"

	"github.com/llmbench/go/llmbench"
)

//go:embed page.html
var pageText string

//go:embed style.css
var styleText string

//go:embed script.js
var scriptText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// A page is what the template shows. What is template.HTML was made by this
// package out of escaped parts; all else the template escapes.
type page struct {
	Title, Subtitle string
	Style           template.CSS
	Script          template.JS
	// ScriptHash lets the browser run this script and no other.
	ScriptHash string
	Claims     []llmbench.Judgement
	Verdict    verdict
	Warnings   []string
	Cards      []card
	Sections   []section
	Facts      []fact
}

// A verdict sums up the claims.
type verdict struct{ State, Text string }

// A fact is a line about the run.
type fact struct{ Label, Value string }

// A section is a heading with pictures and tables.
type section struct {
	ID, Title, Intro string
	// Clock says that its charts zoom on the run's clock.
	Clock  bool
	Charts []picture
	Tables []titled
	// Text is shown as it stands, in columns.
	Text string
}

// A picture is a chart ready for the page.
type picture struct {
	ID, Title, Note string
	Clock           bool
	SVG             template.HTML
	Legend          []legend
	Table           grid
	Lanes           []string
}

type legend struct {
	Name  string
	Mark  mark
	Color int
}

// A grid is a table as the template reads it.
type grid struct {
	Head []string
	Rows [][]string
}

// A titled table has a heading of its own and may start folded.
type titled struct {
	Title  string
	Note   string
	Folded bool
	Table  grid
}

func (c *chart) picture() picture {
	p := picture{
		ID: c.id, Title: c.title, Note: c.note, Clock: c.clock, Lanes: c.lanes,
		SVG: template.HTML(c.svg()), Table: grid{c.table.head, c.table.rows},
	}
	for _, s := range c.shown(false) {
		if !s.quiet {
			p.Legend = append(p.Legend, legend{s.name, s.mark, s.color})
		}
	}
	return p
}

func pictures(charts []*chart) []picture {
	var all []picture
	for _, c := range charts {
		if c != nil {
			all = append(all, c.picture())
		}
	}
	return all
}

func (p *page) write(w io.Writer) error {
	p.Style, p.Script = template.CSS(styleText), template.JS(scriptText)
	hash := sha256.Sum256([]byte(scriptText))
	p.ScriptHash = base64.StdEncoding.EncodeToString(hash[:])
	return pageTemplate.Execute(w, p)
}
