package main

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"time"
)

// plot is panels side by side. Both axes of each are logarithmic.
type plot []panel

type panel struct {
	title, x, y string
	series      []series
}

// series is one line: milliseconds against an amount of work.
type series struct {
	name   string
	points []point
}

type point struct{ x, y float64 }

func (s *series) add(n int, took time.Duration) {
	s.points = append(s.points, point{float64(n), max(float64(took)/float64(time.Millisecond), 1e-3)})
}

// Sizes in pixels.
const (
	panelWidth, panelHeight = 330, 250
	left, right             = 48, 14
	top, bottom             = 40, 64
)

// colours tell series apart by name, so that a name looks the same in each panel.
var colours = map[string]string{
	docker: "#1d63ed", docker + ", gathered": "#7aa7ff",
	gvisor: "#c2410c", gvisor + ", gathered": "#fb923c",
	bare: "#6b7280",
}

func (p plot) svg() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="11" fill="#111">`+"\n",
		panelWidth*len(p), panelHeight)
	fmt.Fprintln(&b, `<rect width="100%" height="100%" fill="#fff"/>`)
	for i, panel := range p {
		fmt.Fprintf(&b, `<g transform="translate(%d 0)">`+"\n", i*panelWidth)
		panel.draw(&b)
		fmt.Fprintln(&b, "</g>")
	}
	fmt.Fprintln(&b, "</svg>")
	return b.Bytes()
}

func (p panel) draw(b *bytes.Buffer) {
	x, y := p.axes()
	fmt.Fprintf(b, `<text x="%d" y="18" font-weight="600">%s</text>`+"\n", left, html.EscapeString(p.title))
	fmt.Fprintf(b, `<text x="%d" y="32" fill="#555">%s</text>`+"\n", left, html.EscapeString(p.y))
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end" fill="#555">%s</text>`+"\n", panelWidth-right, panelHeight-bottom+30, html.EscapeString(p.x))
	for _, t := range y.ticks() {
		fmt.Fprintf(b, `<path d="M%d %.1fH%d" stroke="#e5e5e5"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n",
			left, y.at(t), panelWidth-right, left-5, y.at(t)+4, number(t))
	}
	for _, t := range x.ticks() {
		fmt.Fprintf(b, `<path d="M%.1f %dv4" stroke="#999"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n",
			x.at(t), panelHeight-bottom, x.at(t), panelHeight-bottom+16, number(t))
	}
	fmt.Fprintf(b, `<path d="M%d %dH%d" stroke="#999"/>`+"\n", left, panelHeight-bottom, panelWidth-right)
	for i, s := range p.series {
		s.draw(b, x, y)
		p.legend(b, i, s.name)
	}
}

func (s series) draw(b *bytes.Buffer, x, y axis) {
	fmt.Fprintf(b, `<polyline fill="none" stroke-width="2" stroke="%s" points="`, colours[s.name])
	for _, p := range s.points {
		fmt.Fprintf(b, "%.1f,%.1f ", x.at(p.x), y.at(p.y))
	}
	fmt.Fprintln(b, `"/>`)
	for _, p := range s.points {
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="2.5" fill="%s"><title>%s: %s at %s</title></circle>`+"\n",
			x.at(p.x), y.at(p.y), colours[s.name], html.EscapeString(s.name), digits(p.y), number(p.x))
	}
}

// legend names the i-th series below the panel, two in a line.
func (p panel) legend(b *bytes.Buffer, i int, name string) {
	x := left + i%2*130
	y := panelHeight - 18 + i/2*14
	fmt.Fprintf(b, `<path d="M%d %dh14" stroke-width="3" stroke="%s"/><text x="%d" y="%d">%s</text>`+"\n",
		x, y-4, colours[name], x+18, y, html.EscapeString(name))
}

// axis maps what lies between lo and hi to pixels.
type axis struct {
	lo, hi float64
	a, b   float64 // the pixels of lo and hi
}

// axes fit the points, y in whole powers of ten.
func (p panel) axes() (x, y axis) {
	x = axis{math.Inf(1), math.Inf(-1), left + 8, panelWidth - right - 12}
	y = axis{math.Inf(1), math.Inf(-1), panelHeight - bottom, top}
	for _, s := range p.series {
		for _, p := range s.points {
			x.lo, x.hi = min(x.lo, p.x), max(x.hi, p.x)
			y.lo, y.hi = min(y.lo, p.y), max(y.hi, p.y)
		}
	}
	y.lo = math.Pow(10, math.Floor(math.Log10(y.lo)))
	y.hi = math.Pow(10, math.Ceil(math.Log10(y.hi)))
	return x, y
}

func (a axis) at(v float64) float64 {
	if a.lo == a.hi {
		return (a.a + a.b) / 2
	}
	return a.a + (a.b-a.a)*math.Log(v/a.lo)/math.Log(a.hi/a.lo)
}

// ticks are powers of ten, or of two where those would be fewer than three.
func (a axis) ticks() (ticks []float64) {
	for _, base := range []float64{10, 2} {
		ticks = nil
		for t := math.Pow(base, math.Ceil(math.Log(a.lo)/math.Log(base)-1e-9)); t <= a.hi*1.0001; t *= base {
			ticks = append(ticks, t)
		}
		if len(ticks) > 2 || base == 2 {
			break
		}
	}
	return ticks
}

func number(x float64) string {
	if x >= 1000 {
		return thousands(int(x))
	}
	return fmt.Sprintf("%g", x)
}
