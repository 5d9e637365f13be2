// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// opened is a log in a folder of the test's, with a clock that stands still.
func opened(t *testing.T, o Options) (l *Log, lines func() []Event) {
	t.Helper()
	if o.File == "" {
		o.File = filepath.Join(t.TempDir(), "audit.log")
	}
	if o.Now == nil {
		o.Now = func() time.Time { return time.Unix(1, 0) }
	}
	l, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l, func() []Event { return read(t, o.File) }
}

func read(t *testing.T, name string) (events []Event) {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		var e Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		events = append(events, e)
	}
	return events
}

// TestEvents: which events are written.
func TestEvents(t *testing.T) {
	actions := []string{"dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:CreateTable", "weft:ManageUsers",
		"weft:Grant", "dynamodb:PutResourcePolicy", "weft:ChangeIndex",
		"dynamodb:ListTables", "dynamodb:TagResource", "weft:NewAction", "dynamodb:NewAction"}
	for events, want := range map[Events]string{
		"":         "CreateTable ManageUsers Grant PutResourcePolicy ChangeIndex TagResource NewAction NewAction",
		OnlyDenied: "CreateTable ManageUsers Grant PutResourcePolicy ChangeIndex TagResource NewAction NewAction",
		Writes:     "PutItem CreateTable ManageUsers Grant PutResourcePolicy ChangeIndex TagResource NewAction NewAction",
		All:        "GetItem PutItem CreateTable ManageUsers Grant PutResourcePolicy ChangeIndex ListTables TagResource NewAction NewAction",
	} {
		l, lines := opened(t, Options{Events: events})
		for _, action := range actions {
			l.Record(Event{Kind: KindOf(action), Action: action, Outcome: Allowed})
		}
		var names []string
		for _, e := range lines() {
			_, name, _ := strings.Cut(e.Action, ":")
			names = append(names, name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q writes %s, not %s", events, got, want)
		}
		for _, action := range actions {
			l.Record(Event{Kind: KindOf(action), Action: action, Outcome: Denied})
		}
		if n := len(lines()); n != len(names)+len(actions) {
			t.Errorf("%q writes %d lines, with those that were denied", events, n)
		}
	}
	var none *Log
	none.Record(Event{Kind: Login, Outcome: Denied})
	if err := none.Close(); err != nil {
		t.Error(err)
	}
}

// TestText: what clients choose stays in its line, and short.
func TestText(t *testing.T) {
	l, lines := opened(t, Options{})
	l.Record(Event{Kind: Login, User: "a\"\n{\x00\xff", Outcome: Denied})
	l.Record(Event{Kind: Login, User: strings.Repeat("ü", 100_000), Outcome: Denied})
	got := lines()
	if len(got) != 2 || got[0].User != "a\"\n{\x00\ufffd" || got[1].User != strings.Repeat("ü", textBytesMax/2)+"..." {
		t.Errorf("%+v", got)
	}
}

// TestRotation: files are replaced by their length, as many as are wanted are kept, and every line is in one of them,
// whole and in order.
func TestRotation(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.log")
	o := Options{File: file, BytesMax: 1000, FilesKept: 3, Events: All}
	const events = 200
	l, _ := opened(t, o)
	for i := range events {
		if i == events/2 { // a restart goes on where it was
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			l, _ = opened(t, o)
		}
		l.Record(Event{Kind: Read, User: fmt.Sprint(i), Outcome: Allowed})
	}
	next := events - 1
	for _, name := range []string{file, file + ".1", file + ".2", file + ".3"} {
		info, err := os.Stat(name)
		if err != nil || info.Size() > o.BytesMax || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
		lines := read(t, name)
		for i := len(lines) - 1; i >= 0; i-- {
			if lines[i].User != fmt.Sprint(next) {
				t.Fatalf("%s: event %s where %d should be", name, lines[i].User, next)
			}
			next--
		}
	}
	if _, err := os.Stat(file + ".4"); err == nil {
		t.Error("a fourth file is kept")
	}
}

// TestConcurrent: lines of many writers don't mix.
func TestConcurrent(t *testing.T) {
	l, lines := opened(t, Options{})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 200 {
				l.Record(Event{Kind: Definition, Action: strings.Repeat("x", 100), Outcome: Allowed})
			}
		})
	}
	group.Wait()
	if n := len(lines()); n != 1600 {
		t.Errorf("%d lines", n)
	}
}

// TestLost: a line that can't be written is handed over whole, and the log goes on when it can be written again.
func TestLost(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "logs")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	var lost []string
	o := Options{File: filepath.Join(folder, "audit.log"), Lost: func(line string, err error) {
		if err == nil {
			t.Error("there is no reason")
		}
		lost = append(lost, line)
	}}
	l, lines := opened(t, o)
	record := func(user string) { l.Record(Event{Kind: Login, User: user, Outcome: Allowed}) }
	record("first")
	_ = l.file.Close() // so that writing fails
	record("second")
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	record("third")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	record("fourth")
	if len(lost) != 2 || !strings.Contains(lost[0], "second") || !strings.Contains(lost[1], "third") {
		t.Errorf("lost: %q", lost)
	}
	if got := lines(); len(got) != 1 || got[0].User != "fourth" {
		t.Errorf("%+v", got)
	}
	if _, err := Open(Options{File: filepath.Join(folder, "missing", "audit.log")}); err == nil {
		t.Error("a file that can't be created was opened")
	}
}

// TestFlood: of very many failures from one address, the first of each minute have lines and the others are counted;
// other addresses have their own lines.
func TestFlood(t *testing.T) {
	now := time.Unix(1, 0)
	l, lines := opened(t, Options{Now: func() time.Time { return now }})
	fail := func(from string, n int) {
		for range n {
			l.Record(Event{Kind: Login, From: from, Outcome: Denied})
		}
	}
	fail("192.0.2.1", 1000)
	fail("192.0.2.2", 3)
	l.Record(Event{Kind: Login, From: "192.0.2.1", Outcome: Allowed})
	if n := len(lines()); n != failuresWritten+3+1 {
		t.Errorf("%d lines", n)
	}
	now = now.Add(failuresInterval)
	fail("192.0.2.1", failuresWritten+7)
	for i := range 2 * addressesMax {
		fail(fmt.Sprint("host", i), 1)
	}
	if n := len(l.logins); n > addressesMax {
		t.Errorf("%d addresses are remembered", n)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, e := range lines() {
		if e.From == "192.0.2.1" && e.Outcome == Denied {
			sum += 1 + max(0, e.Repeated-1)
		}
	}
	if sum != 1000+failuresWritten+7 {
		t.Errorf("%d failures are in the log", sum)
	}
}
