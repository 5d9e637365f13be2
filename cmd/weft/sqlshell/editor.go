// SPDX-License-Identifier: Apache-2.0

package sqlshell

import (
	"errors"
	"io"
	"strings"

	"golang.org/x/term"
)

// errInterrupted says that Ctrl-C was pressed at the prompt.
var errInterrupted = errors.New("interrupted")

// The keys that are the shell's own; golang.org/x/term knows those that move and delete.
const (
	keyInterrupt = 0x03 // Ctrl-C
	keyTab       = '\t'
	keySearch    = 0x12 // Ctrl-R
)

// editor reads lines from a terminal.
type editor struct {
	in       io.Reader
	out      io.Writer
	terminal *term.Terminal // nil: a new one is needed
	history  *history
	// complete returns the candidates to complete a line. pos is the cursor, and from the beginning of the candidates.
	complete func(line string, pos int) (from int, candidates []string)
	// raw makes the terminal hand over each key until restore is called, and returns its size.
	raw func() (width, height int, restore func(), err error)

	interrupted bool
	found       string // the line that the last search showed
	sought      string // its text
	newer       int    // how many entries are newer than that
}

// Read hands the terminal's keys to the line editor.
func (e *editor) Read(p []byte) (n int, err error) {
	n, err = e.in.Read(p)
	e.interrupted = e.interrupted || strings.IndexByte(string(p[:n]), keyInterrupt) >= 0
	return n, err
}

// Write shows what the line editor draws.
func (e *editor) Write(p []byte) (n int, err error) { return e.out.Write(p) }

// read reads a line. Errors: io.EOF for Ctrl-D, errInterrupted for Ctrl-C.
func (e *editor) read(prompt string) (line string, err error) {
	width, height, restore, err := e.raw()
	if err != nil {
		return "", err
	}
	defer restore()
	if e.terminal == nil {
		e.terminal = term.NewTerminal(e, "")
		e.terminal.History, e.terminal.AutoCompleteCallback = e.history, e.press
	}
	if width > 0 {
		_ = e.terminal.SetSize(width, height) // it has no error for sizes above 0
	}
	e.terminal.SetBracketedPasteMode(true)
	e.terminal.SetPrompt(prompt)
	defer e.leave()
	e.interrupted, e.found = false, ""
	switch line, err = e.terminal.ReadLine(); {
	case errors.Is(err, term.ErrPasteIndicator):
		err = nil
	case errors.Is(err, io.EOF) && e.interrupted:
		err = errInterrupted
	}
	return line, err
}

// leave ends what read began. After Ctrl-C the line editor would go on with the old line.
func (e *editor) leave() {
	e.terminal.SetBracketedPasteMode(false)
	if e.interrupted {
		e.terminal = nil
		_, _ = io.WriteString(e.out, "^C\r\n")
	}
}

// press handles the keys that the line editor leaves to us.
func (e *editor) press(line string, pos int, key rune) (newLine string, newPos int, ok bool) {
	switch key {
	case keyTab:
		newLine, newPos = e.fill(line, pos)
		return newLine, newPos, true
	case keySearch:
		return e.search(line, pos)
	}
	return "", 0, false
}

// search shows the newest entry of the history that contains what was typed; pressed again, an older one.
func (e *editor) search(line string, pos int) (newLine string, newPos int, ok bool) {
	from := e.newer + 1
	if e.found == "" || line != e.found {
		e.sought, from = line, 0
	}
	entry, newer, ok := e.history.find(e.sought, from)
	if !ok {
		return line, pos, true
	}
	e.found, e.newer = entry, newer
	return entry, len(entry), true
}

// fill completes the word before the cursor as far as it is clear, and shows the candidates if it is not at all.
func (e *editor) fill(line string, pos int) (newLine string, newPos int) {
	from, candidates := e.complete(line, pos)
	if len(candidates) == 0 {
		return line, pos
	}
	word := common(candidates)
	if len(candidates) == 1 && !strings.HasPrefix(line[pos:], " ") {
		word += " "
	}
	if len(candidates) > 1 && len(word) <= pos-from {
		e.show(candidates)
		return line, pos
	}
	return line[:from] + word + line[pos:], from + len(word)
}

// shownMax is the number of candidates that are shown.
const shownMax = 100

// show prints candidates above the line.
func (e *editor) show(candidates []string) {
	more := ""
	if len(candidates) > shownMax {
		candidates, more = candidates[:shownMax], "  .."
	}
	_, _ = e.terminal.Write([]byte(strings.Join(candidates, "  ") + more + "\n"))
}

// common is how all texts begin.
func common(texts []string) string {
	first := texts[0]
	for _, text := range texts[1:] {
		for !strings.HasPrefix(text, first) {
			first = first[:len(first)-1]
		}
	}
	return strings.ToValidUTF8(first, "")
}
