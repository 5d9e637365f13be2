// SPDX-License-Identifier: Apache-2.0

package sqlshell

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"

	"github.com/weftdb/weft/internal/sql/parse/token"
)

// historyMax is the number of entries left in a file that grew to twice as many.
const historyMax = 1000

// history holds the typed statements, the newest last. It implements term.History, for which the newest is 0.
type history struct {
	entries []string
	file    string // "": it ends with the process
}

// Add does nothing: the editor adds lines, but whole statements are kept. See keep.
func (*history) Add(string) {}

// Len returns the number of entries.
func (h *history) Len() int { return len(h.entries) }

// At returns an entry; 0 is the newest.
func (h *history) At(i int) string { return h.entries[len(h.entries)-1-i] }

// openHistory reads a history from its file. One that cannot be read is empty: it is no reason not to work.
func openHistory(file string) *history {
	h := &history{file: file}
	f, err := os.Open(file)
	if err != nil {
		return h
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		h.entries = append(h.entries, lines.Text())
	}
	if len(h.entries) > 2*historyMax {
		h.entries = h.entries[len(h.entries)-historyMax:]
		_ = os.WriteFile(file, []byte(strings.Join(h.entries, "\n")+"\n"), 0o600) // else it is long another time
	}
	return h
}

// keep adds a statement, in one line if that says the same. What may hold a password is not kept.
func (h *history) keep(typed string) {
	typed = strings.TrimSpace(typed)
	if typed == "" || token.HasPassword([]byte(typed)) {
		return
	}
	lines := []string{typed}
	if strings.Contains(typed, "\n") {
		lines = strings.Split(typed, "\n")
		if !strings.Contains(typed, "--") && !strings.ContainsAny(typed, "#'\"`") {
			lines = []string{strings.Join(strings.Fields(typed), " ")}
		}
	}
	for _, line := range lines {
		if n := len(h.entries); line != "" && (n == 0 || h.entries[n-1] != line) {
			h.entries = append(h.entries, line)
			h.write(line)
		}
	}
}

// write appends a line to the file, which nobody else may read.
func (h *history) write(line string) {
	if h.file == "" {
		return
	}
	_ = os.MkdirAll(filepath.Dir(h.file), 0o700) // the next call says whether it is there
	f, err := os.OpenFile(h.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return // a history that can't be kept is no reason not to work
	}
	_, _ = f.WriteString(line + "\n")
	_ = f.Close()
}

// find returns the newest entry with a text that is older than the n newest ones, and how many are newer.
func (h *history) find(text string, n int) (entry string, newer int, ok bool) {
	for i := n; i < len(h.entries); i++ {
		if strings.Contains(h.At(i), text) {
			return h.At(i), i, true
		}
	}
	return "", 0, false
}

// historyFile returns the path of the history: by XDG's rule if its variable is set, else in the home folder.
func historyFile(getenv func(string) string) string {
	if state := getenv("XDG_STATE_HOME"); state != "" {
		return filepath.Join(state, "weft", "history")
	}
	if home := getenv("HOME"); home != "" {
		return filepath.Join(home, ".weft_history")
	}
	return ""
}
