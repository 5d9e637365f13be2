// SPDX-License-Identifier: Apache-2.0

// Package audit writes who did what, and what was refused, as lines of JSON to a file. Values of rows are never among
// it.
//
// Knows: events, which of them are wanted, files that are replaced when they are long.
// Never: protocols, rights.
package audit

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Event is one line.
type Event struct {
	Time time.Time `json:"time"`
	Kind Kind      `json:"event"`
	// Port is the listener of a login: dynamodb, mysql or admin.
	Port string `json:"port,omitempty"`
	User string `json:"user,omitempty"`
	// AccessKey is the key that a refused request claimed to be signed with.
	AccessKey string  `json:"access_key,omitempty"`
	From      string  `json:"from,omitempty"` // the client's address
	Action    string  `json:"action,omitempty"`
	Resource  string  `json:"resource,omitempty"`
	Detail    string  `json:"detail,omitempty"` // of a change of a user or a role: what of it is changed
	Outcome   Outcome `json:"outcome"`
	Reason    string  `json:"reason,omitempty"`
	Request   string  `json:"request,omitempty"` // its id, as clients and the log have it
	// Repeated is the number of further failed logins from the address in the last minute, which have no lines of their
	// own.
	Repeated int `json:"repeated,omitempty"`
}

// Kind is the subject of an event.
type Kind string

// The kinds.
const (
	Login          Kind = "login"          // who came in, or did not
	Administration Kind = "administration" // users, rights, the server
	Definition     Kind = "definition"     // tables and indexes
	Write          Kind = "write"
	Read           Kind = "read"
)

// Outcome is how an event ended.
type Outcome string

// The outcomes.
const (
	Allowed Outcome = "allowed"
	Denied  Outcome = "denied"
	Warned  Outcome = "warned" // it was let in, and would not have been if signing in were required
)

// Events says which events are written. Logins, administration, definitions and whatever is denied always are.
type Events string

// The choices.
const (
	OnlyDenied Events = "denied" // the zero value means the same
	Writes     Events = "writes"
	All        Events = "all"
)

// KindOf returns the subject of an action, by its name.
func KindOf(action string) Kind {
	service, name, _ := strings.Cut(action, ":")
	if service == "weft" {
		switch name {
		case "ChangeIndex", "CreateView", "References":
			return Definition
		case "ShowView", "ShowProcesses":
			return Read
		}
		return Administration
	}
	switch name {
	case "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "PartiQLInsert", "PartiQLUpdate", "PartiQLDelete":
		return Write
	case "Query", "Scan", "GetItem", "BatchGetItem", "PartiQLSelect", "ConditionCheckItem", "SearchVectors":
		return Read
	case "PutResourcePolicy", "DeleteResourcePolicy":
		return Administration
	}
	for _, reads := range []string{"Get", "List", "Describe"} {
		if strings.HasPrefix(name, reads) {
			return Read
		}
	}
	return Definition
}

// Options are the settings of a Log. File must be set; for the rest the zero value works.
type Options struct {
	File string
	// BytesMax is the length at which the file is renamed to FILE.1 and a new one is begun. Default 100 MiB.
	BytesMax int64
	// FilesKept is the most renamed files that are kept: FILE.1 is the newest. Default 10.
	FilesKept int
	Events    Events
	// Lost gets the lines that could not be written, and why. Default: they are dropped.
	Lost func(line string, err error)
	Now  func() time.Time // default time.Now
}

// Log is an audit log. It is safe for concurrent use; Open makes one. A nil Log takes events and writes none.
type Log struct {
	options Options

	mu     sync.Mutex
	file   *os.File // nil if it could not be opened again
	info   os.FileInfo
	size   int64
	logins map[string]*failures // by address
}

// failures are the logins that failed from one address.
type failures struct {
	since            time.Time
	written, dropped int
}

// The number of failed logins with lines of their own: anybody who reaches a port could fill the log otherwise.
const (
	failuresInterval = time.Minute
	failuresWritten  = 60     // of an address, in the interval
	addressesMax     = 10_000 // that are remembered
)

// textBytesMax bounds what clients choose: names.
const textBytesMax = 256

// Open opens the file, at whose end it goes on.
func Open(o Options) (*Log, error) {
	o.BytesMax = cmp.Or(o.BytesMax, 100<<20)
	o.FilesKept = cmp.Or(o.FilesKept, 10)
	if o.Lost == nil {
		o.Lost = func(string, error) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	l := &Log{options: o, logins: map[string]*failures{}}
	return l, l.open()
}

func (l *Log) open() error {
	file, err := os.OpenFile(l.options.File, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	l.file, l.info, l.size = file, info, info.Size()
	return nil
}

// Wants reports whether an event of a kind and with an outcome would be written: to find out costs less than to make
// one.
func (l *Log) Wants(k Kind, o Outcome) bool {
	switch {
	case l == nil:
		return false
	case o != Allowed || l.options.Events == All:
		return true
	case l.options.Events == Writes:
		return k != Read
	}
	return k != Read && k != Write
}

// Record writes an event, whose time it sets, if it is wanted. When Record returns, the operating system has the line.
func (l *Log) Record(e Event) {
	if !l.Wants(e.Kind, e.Outcome) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e.Time = l.options.Now().UTC()
	if e.Kind == Login && e.Outcome != Allowed && !l.admit(&e) {
		return
	}
	l.write(&e)
}

// admit reports whether a login that failed has a line of its own.
func (l *Log) admit(e *Event) bool {
	f := l.logins[e.From]
	if f == nil || e.Time.Sub(f.since) >= failuresInterval || e.Time.Before(f.since) {
		if l.summarize(e.From, f, e.Time); len(l.logins) >= addressesMax {
			l.summarizeAll(e.Time)
		}
		f = &failures{since: e.Time}
		l.logins[e.From] = f
	}
	if f.written >= failuresWritten {
		f.dropped++
		return false
	}
	f.written++
	return true
}

// summarize writes how many failures of an address have no lines.
func (l *Log) summarize(from string, f *failures, now time.Time) {
	if f != nil && f.dropped > 0 {
		l.write(&Event{Time: now, Kind: Login, From: from, Outcome: Denied, Reason: "more logins failed",
			Repeated: f.dropped})
	}
}

func (l *Log) summarizeAll(now time.Time) {
	for from, f := range l.logins {
		l.summarize(from, f, now)
	}
	clear(l.logins)
}

// write writes a line.
func (l *Log) write(e *Event) {
	for _, text := range []*string{&e.User, &e.AccessKey, &e.Resource, &e.Detail, &e.Reason, &e.Action} {
		*text = cut(*text)
	}
	line, err := json.Marshal(e)
	if err == nil {
		err = l.append(append(line, '\n'))
	}
	if err != nil {
		l.options.Lost(string(line), err)
	}
}

// cut bounds a text, at the beginning of a character.
func cut(text string) string {
	if len(text) <= textBytesMax {
		return text
	}
	end := textBytesMax
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "..."
}

// append writes a line to the file, or to a new one if it does not fit. A line is never torn: what was written of one
// that failed is taken back.
func (l *Log) append(line []byte) error {
	switch {
	case l.file == nil:
	case l.isMoved():
		_ = l.file.Close()
		l.file = nil
	case l.size > 0 && l.size+int64(len(line)) > l.options.BytesMax:
		l.rotate()
	}
	if l.file == nil {
		if err := l.open(); err != nil {
			return err
		}
	}
	n, err := l.file.Write(line)
	if err != nil {
		err = errors.Join(err, l.file.Truncate(l.size), l.file.Close())
		l.file = nil // opened again for the next line
		return err
	}
	l.size += int64(n)
	return nil
}

// isMoved reports whether another program has renamed or removed the file: what is written to it then would be lost.
func (l *Log) isMoved() bool {
	info, err := os.Stat(l.options.File)
	return err != nil || !os.SameFile(info, l.info)
}

// rotate renames the file and those before it. If that fails, the file grows on: no line is lost for it.
func (l *Log) rotate() {
	name := func(i int) string { return l.options.File + "." + strconv.Itoa(i) }
	for i := l.options.FilesKept - 1; i > 0; i-- {
		_ = os.Rename(name(i), name(i+1)) // there may be none
	}
	if os.Rename(l.options.File, name(1)) != nil {
		return
	}
	_ = l.file.Close() // every line is with the operating system already
	l.file = nil
}

// Close writes what is still held back, and closes the file.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.summarizeAll(l.options.Now().UTC())
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}
