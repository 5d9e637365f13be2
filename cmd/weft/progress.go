// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/weftdb/weft/cmd/weft/storecommand"
)

// progressEvery is the least time between two drawings of the bar.
const progressEvery = 100 * time.Millisecond

// progress is a bar on a terminal; elsewhere only its last line is written.
type progress struct {
	out      io.Writer
	what     string
	total    int
	done     int
	begun    time.Time
	drawn    time.Time
	terminal bool
}

func newProgress(out io.Writer, what string, total int) *progress {
	return &progress{out: out, what: what, total: total, begun: time.Now(), terminal: storecommand.IsTerminal(out)}
}

// add counts n more.
func (p *progress) add(n int) {
	p.done += n
	if now := time.Now(); p.terminal && now.Sub(p.drawn) >= progressEvery {
		p.drawn = now
		p.draw("\r")
	}
}

// finish draws the end and begins a new line.
func (p *progress) finish() error {
	begin := ""
	if p.terminal {
		begin = "\r"
	}
	p.draw(begin)
	_, err := fmt.Fprintln(p.out)
	return err
}

func (p *progress) draw(begin string) {
	const width = 30
	seconds := max(time.Since(p.begun).Seconds(), 0.001)
	rate := float64(p.done) / seconds
	filled := min(width*p.done/max(p.total, 1), width)
	left := ""
	if p.done < p.total && rate > 0 {
		left = fmt.Sprintf(", %.0f s left", float64(p.total-p.done)/rate)
	}
	fmt.Fprintf(p.out, "%s%s [%s%s] %d of %d, %.0f/s, %.1f s%s  ", begin, p.what, strings.Repeat("=", filled),
		strings.Repeat(" ", width-filled),
		p.done, p.total, rate, seconds, left)
}
