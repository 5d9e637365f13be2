// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"html"
	"slices"
	"strings"
)

const (
	pictureFile  = "docs/layers.svg"
	pictureWidth = 980 // pixels, as all lengths here
	pictureLeft  = 90  // of the boxes: the names of bands stand before them
	boxGap       = 8
	boxLine      = 15
	boxLetters   = 6.2 // the width of a letter of a package's name
)

// A band is a row of the picture.
type band struct {
	title string
	color string
	boxes []box
}

// A box is a room, or a kind of client.
type box struct {
	title string
	lines []string
}

// layersPicture draws the rooms by their layers, as SVG.
func layersPicture() string {
	var b strings.Builder
	y := 10
	for _, band := range bands() {
		y = drawBand(&b, band, y)
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n"+
		`<rect width="100%%" height="100%%" fill="white"/>`+"\n%s</svg>\n", pictureWidth, y, b.String())
}

// bands are the rows of the picture from the clients down to the engines.
func bands() []band {
	clients := band{title: "clients", color: "#e8f0fe"}
	for _, title := range []string{"AWS SDKs, CLI", "MySQL clients, ORMs", "HBase, Thrift clients",
		"browsers, Prometheus", "Go programs"} {
		clients.boxes = append(clients.boxes, box{title: title})
	}
	below := []band{
		{title: "protocols", color: "#d2e3fc"},
		{title: "dialects", color: "#aecbfa"},
		{title: "database", color: "#8ab4f8"},
		{title: "rooms", color: "#ceead6"},
		{title: "data", color: "#e6f4ea"},
		{title: "seams", color: "#fef7e0"},
	}
	for _, r := range rooms() {
		if i := bandOf(r); i >= 0 {
			below[i].boxes = append(below[i].boxes, box{r.name(), insides(r)})
		}
	}
	return append([]band{clients}, below...)
}

// bandOf is the index of a room's row in bands below the clients, -1 for what is not part of the product.
func bandOf(r room) int {
	switch layer := r.layer(); {
	case r.dir == "internal/testing":
		return -1
	case slices.Contains([]string{"kv", "storage"}, r.dir):
		return 5
	case layer >= 7:
		return 0
	case r.dir == "internal/database":
		return 2
	case layer == 6:
		return 1
	case layer == 4:
		return 3
	default:
		return 4
	}
}

// insides are the names of a room's packages, apart from the room's own.
func insides(r room) []string {
	var names []string
	for _, p := range r.packages {
		if rest, inside := strings.CutPrefix(p, r.dir+"/"); inside && !strings.Contains(rest, "/internal/") {
			names = append(names, rest)
		}
	}
	return names
}

// drawBand draws a band at y and returns where the next one begins. Boxes are as wide as what they hold needs.
func drawBand(b *strings.Builder, band band, y int) int {
	weights, sum := make([]int, len(band.boxes)), 0
	for i, x := range band.boxes {
		weights[i] = 16 + len(strings.Join(x.lines, ", "))/3 + len(x.title)
		sum += weights[i]
	}
	x, room, height := pictureLeft, pictureWidth-pictureLeft-boxGap*len(band.boxes), 0
	type placed struct {
		x, width int
		lines    []string
	}
	var all []placed
	for i, box := range band.boxes {
		width := room * weights[i] / sum
		lines := wrapWords(strings.Fields(strings.Join(box.lines, ", ")), int(float64(width-12)/boxLetters))
		all = append(all, placed{x, width, lines})
		height = max(height, 30+boxLine*len(lines))
		x += width + boxGap
	}
	fmt.Fprintf(b, "<text x=\"10\" y=\"%d\" fill=\"#5f6368\">%s</text>\n", y+20, band.title)
	for i, p := range all {
		fmt.Fprintf(b, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\" fill=\"%s\" stroke=\"#9aa0a6\"/>\n",
			p.x, y, p.width, height, band.color)
		fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s</text>\n", p.x+8, y+20,
			html.EscapeString(band.boxes[i].title))
		for n, line := range p.lines {
			fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" font-size=\"11\">%s</text>\n", p.x+8, y+20+boxLine*(n+1),
				html.EscapeString(line))
		}
	}
	return y + height + 10
}

// wrapWords joins words by spaces to lines of at most so many letters.
func wrapWords(words []string, letters int) []string {
	var lines []string
	for _, word := range words {
		last := len(lines) - 1
		if last >= 0 && len(lines[last])+1+len(word) <= letters {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
