// SPDX-License-Identifier: Apache-2.0

package check

import (
	"fmt"
	"strconv"
	"strings"
)

// A history as text has a line for each transaction: its call and return, its outcome, its operations. A return of "-"
// is Never.
//
//	0-10 ok: append k1 1, append k2 2
//	12-20 ok: read k1 [1], read k2 []
//	14-15 aborted: append k1 3
//	16-- unknown: append k1 4

// outcomes are the words of outcomes. // immutable
var outcomes = [...]string{Committed: "ok", Aborted: "aborted", Unknown: "unknown"}

// Format writes a history as text that Parse reads.
func Format(h History) string {
	var b strings.Builder
	for i := range h {
		b.WriteString(h[i].String())
		b.WriteByte('\n')
	}
	return b.String()
}

// String is a line of Format.
func (t *Txn) String() string {
	end := "-"
	if t.Return != Never {
		end = strconv.FormatInt(t.Return, 10)
	}
	ops := make([]string, len(t.Ops))
	for i := range t.Ops {
		ops[i] = t.Ops[i].String()
	}
	return fmt.Sprintf("%d-%s %s: %s", t.Call, end, outcomes[t.Outcome], strings.Join(ops, ", "))
}

// String is one operation as Format writes it.
func (o *Op) String() string {
	if o.Append {
		return fmt.Sprintf("append k%d %d", o.Key, o.Element)
	}
	return fmt.Sprintf("read k%d %v", o.Key, o.List)
}

// Parse reads a history from text. Empty lines and lines that begin with # are passed over. Errors: a line that is none
// of these.
func Parse(text string) (History, error) {
	var h History
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		t, err := parseTxn(line)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		h = append(h, t)
	}
	return h, nil
}

func parseTxn(line string) (t Txn, err error) {
	head, tail, _ := strings.Cut(line, ": ")
	times, outcome, _ := strings.Cut(head, " ")
	call, end, _ := strings.Cut(times, "-")
	if t.Call, err = strconv.ParseInt(call, 10, 64); err != nil {
		return t, err
	}
	t.Return = Never
	if end != "-" {
		if t.Return, err = strconv.ParseInt(end, 10, 64); err != nil {
			return t, err
		}
	}
	known := false
	for i, word := range outcomes {
		if word == outcome {
			t.Outcome, known = Outcome(i), true
		}
	}
	if !known {
		return t, fmt.Errorf("outcome %q: write one of %v", outcome, outcomes)
	}
	for text := range strings.SplitSeq(tail, ", ") {
		op, err := parseOp(text)
		if err != nil {
			return t, err
		}
		t.Ops = append(t.Ops, op)
	}
	return t, nil
}

func parseOp(text string) (o Op, err error) {
	words := strings.Fields(strings.NewReplacer("[", " ", "]", " ").Replace(text))
	if len(words) < 2 || words[1][0] != 'k' {
		return o, fmt.Errorf("operation %q: write \"append k1 2\" or \"read k1 [2 3]\"", text)
	}
	numbers := make([]int32, 0, len(words)-1)
	for _, word := range append([]string{words[1][1:]}, words[2:]...) {
		n, err := strconv.ParseInt(word, 10, 32)
		if err != nil {
			return o, err
		}
		numbers = append(numbers, int32(n))
	}
	o.Key = numbers[0]
	switch {
	case words[0] == "append" && len(numbers) == 2:
		o.Append, o.Element = true, numbers[1]
	case words[0] == "read":
		o.List = numbers[1:]
	default:
		return o, fmt.Errorf("operation %q: write \"append k1 2\" or \"read k1 [2 3]\"", text)
	}
	return o, nil
}
