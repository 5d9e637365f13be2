// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"math"
)

// The frame of the plot, in pixels.
const (
	plotLeft, plotTop     = 60, 30
	plotWidth, plotHeight = 440, 300
)

// plot draws the time of each operation over the rows, both axes logarithmic: a cost that is proportional to the rows
// would rise as the dotted line does.
func plot(all []sized) []byte {
	colors := []string{"#1a73e8", "#d93025", "#188038", "#9334e6"}
	var b bytes.Buffer
	xLow, xHigh := math.Log10(float64(all[0].rows)), math.Log10(float64(all[len(all)-1].rows))
	xHigh = max(xHigh, xLow+1)
	yLow, yHigh := bounds(all)
	x := func(rows float64) float64 { return plotLeft + (math.Log10(rows)-xLow)/(xHigh-xLow)*plotWidth }
	y := func(micros float64) float64 {
		return plotTop + plotHeight - (math.Log10(micros)-yLow)/(yHigh-yLow)*plotHeight
	}
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
		plotLeft+plotWidth+140, plotTop+plotHeight+50)
	for e := yLow; e <= yHigh; e++ {
		at := y(math.Pow(10, e))
		fmt.Fprintf(&b, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#dadce0\"/>\n<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
			plotLeft, at, plotLeft+plotWidth, at, plotLeft-6, at+4, math.Pow(10, e))
	}
	for _, one := range all {
		at := x(float64(one.rows))
		fmt.Fprintf(&b, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#dadce0\"/>\n<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>\n",
			at, plotTop, at, plotTop+plotHeight, at, plotTop+plotHeight+18, one.rows)
	}
	fmt.Fprintf(&b, "<text x=\"%d\" y=\"18\">µs an operation</text>\n<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">rows of the table</text>\n",
		plotLeft-50, plotLeft+plotWidth/2, plotTop+plotHeight+40)
	// What a cost that is proportional to the rows would look like, as far as the frame reaches.
	first := all[0].rows
	end := math.Pow(10, min(xHigh, xLow+yHigh-yLow))
	fmt.Fprintf(&b, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#9aa0a6\" stroke-dasharray=\"3 4\"/>\n<text x=\"%.1f\" y=\"%.1f\" fill=\"#5f6368\">proportional</text>\n",
		x(float64(first)), y(math.Pow(10, yLow)), x(end), y(math.Pow(10, yLow)*end/float64(first)), x(end)+
			6, y(math.Pow(10, yLow)*end/float64(first))+4)
	for i, name := range sizeOperations() {
		b.WriteString(`<polyline fill="none" stroke-width="2" stroke="` + colors[i] + `" points="`)
		for _, one := range all {
			fmt.Fprintf(&b, "%.1f,%.1f ", x(float64(one.rows)), y(one.figures[i].micros))
		}
		last := all[len(all)-1]
		fmt.Fprintf(&b, "\"/>\n<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">%s</text>\n", x(float64(last.rows))+6,
			y(last.figures[i].micros)+4, colors[i], name)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// bounds are the powers of ten between which all times are.
func bounds(all []sized) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, one := range all {
		for _, f := range one.figures {
			low, high = min(low, math.Floor(math.Log10(f.micros))), max(high, math.Ceil(math.Log10(f.micros)))
		}
	}
	return low, max(high, low+1)
}
