// SPDX-License-Identifier: Apache-2.0

package bulk

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/weftdb/weft/internal/load"
)

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// loadProgress draws a line on a terminal, and writes one now and then elsewhere.
type loadProgress struct {
	out      io.Writer
	terminal bool
	begun    time.Time
	drawn    time.Time
	every    time.Duration
	isDrawn  bool
}

func newLoadProgress(out io.Writer) *loadProgress {
	p := &loadProgress{out: out, terminal: isTerminal(out), begun: time.Now(), every: 10 * time.Second}
	if p.drawn = p.begun; p.terminal {
		p.every = 100 * time.Millisecond
	}
	return p
}

// say writes a line of its own.
func (p *loadProgress) say(text string) {
	p.end()
	fmt.Fprintln(p.out, text)
}

func (p *loadProgress) end() {
	if p.isDrawn && p.terminal {
		fmt.Fprintln(p.out)
	}
	p.isDrawn = false
}

func (p *loadProgress) show(now load.Progress) {
	at := time.Now()
	if at.Sub(p.drawn) < p.every {
		return
	}
	p.drawn, p.isDrawn = at, true
	line := fmt.Sprintf("%s: %d records, %.0f/s", now.Step, now.Records, float64(now.Records)/max(at.Sub(p.begun).Seconds(), 0.001))
	if now.Bytes > 0 {
		line += fmt.Sprintf(", %d %% of %d MiB read", 100*now.BytesRead/now.Bytes, now.Bytes>>20)
	}
	if now.Expected > 0 {
		line += fmt.Sprintf(", %d %% of %d rows written", 100*now.Written/now.Expected, now.Expected)
	}
	if p.terminal {
		fmt.Fprintf(p.out, "\r%-78s", line)
		return
	}
	fmt.Fprintln(p.out, line)
}
