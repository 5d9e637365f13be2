// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weftdb/weft/cmd/weft/commandline"
)

// value is one field of config as text.
type value interface {
	Set(text string) error // the error says what was expected, not where
	String() string        // as Set reads it
	Type() string          // how --help calls it
}

// text is any text.
type text struct {
	to   *string
	kind string
}

func (v text) Set(s string) error { *v.to = s; return nil }
func (v text) String() string     { return *v.to }
func (v text) Type() string       { return v.kind }

// choice is one of a few words.
type choice struct {
	to    *string
	words []string
}

func (v choice) Set(s string) error {
	if !slices.Contains(v.words, s) {
		return fmt.Errorf("%q is not one of %s%s", s, strings.Join(v.words, ", "), commandline.DidYouMean(s, v.words))
	}
	*v.to = s
	return nil
}

func (v choice) String() string { return *v.to }
func (v choice) Type() string   { return strings.Join(v.words, "|") }

// list is words with commas between them.
type list struct {
	to    *[]string
	item  string // the form of an item, in help
	check func(item string) error
}

func (v list) Set(s string) error {
	*v.to = nil
	if s == "" {
		return nil
	}
	for _, item := range strings.Split(s, ",") {
		item = strings.TrimSpace(item)
		if err := v.check(item); err != nil {
			return err
		}
		*v.to = append(*v.to, item)
	}
	return nil
}

func (v list) String() string { return strings.Join(*v.to, ",") }
func (v list) Type() string   { return v.item + ",..." }

// address is host:port or off.
type address struct{ to *string }

func (v address) Set(s string) error {
	if s != off {
		if err := checkAddress(s); err != nil {
			return fmt.Errorf("%w, or 'off'", err)
		}
	}
	*v.to = s
	return nil
}

func (v address) String() string { return *v.to }
func (v address) Type() string   { return "HOST:PORT" }

func checkAddress(s string) error {
	_, port, err := net.SplitHostPort(s)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return fmt.Errorf("%q is not an address such as 127.0.0.1:8000", s)
	}
	return nil
}

// checkName wants the name of a host alone.
func checkName(s string) error {
	if s == "" || strings.ContainsAny(s, ":/ ") {
		return fmt.Errorf("%q is not a name such as db.example.com: leave out scheme and port", s)
	}
	return nil
}

// toggle is true or false.
type toggle struct{ to *bool }

func (v toggle) Set(s string) error {
	if s != "true" && s != "false" {
		return fmt.Errorf("%q is neither true nor false", s)
	}
	*v.to = s == "true"
	return nil
}

func (v toggle) String() string { return strconv.FormatBool(*v.to) }
func (v toggle) Type() string   { return "bool" }

// duration is a time with a unit.
type duration struct{ to *time.Duration }

func (v duration) Set(s string) error {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return fmt.Errorf("%q is not a duration such as 8s or 500ms", s)
	}
	*v.to = d
	return nil
}

func (v duration) String() string { return v.to.String() }
func (v duration) Type() string   { return "DURATION" }

// count is a number of things, at least least.
type count struct {
	to    *int
	least int
}

func (v count) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < v.least {
		return fmt.Errorf("%q is not a number above %d", s, v.least-1)
	}
	*v.to = n
	return nil
}

func (v count) String() string { return strconv.Itoa(*v.to) }
func (v count) Type() string   { return "N" }

// size is a number of bytes with a unit, at least least.
type size struct {
	to    *int64
	least int64
}

// sizeUnits are immutable. The longer suffix of two that fit stands first.
var sizeUnits = []struct {
	suffix string
	bytes  int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB",
	1e12}, {"B", 1}, {"", 1}}

func (v size) Set(s string) error {
	for _, unit := range sizeUnits {
		digits, found := strings.CutSuffix(s, unit.suffix)
		if !found {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err != nil || n < 0 || n > (1<<62)/unit.bytes {
			return fmt.Errorf("%q is not a size such as 64MiB, 1GiB or a number of bytes", s)
		}
		if n*unit.bytes < v.least {
			return fmt.Errorf("%s is too small: at least %s", s, formatSize(v.least))
		}
		*v.to = n * unit.bytes
		return nil
	}
	return fmt.Errorf("%q is not a size such as 64MiB", s)
}

// share is a size, or 0B for a share of something.
type share struct{ size }

func (v share) Set(s string) error {
	if err := (size{v.to, 0}).Set(s); err != nil || *v.to == 0 {
		return err
	}
	return v.size.Set(s)
}

func (v size) String() string { return formatSize(*v.to) }
func (v size) Type() string   { return "SIZE" }

// formatSize writes a number of bytes with the largest binary unit that divides it.
func formatSize(n int64) string {
	for _, unit := range []struct {
		suffix string
		shift  uint
	}{{"TiB", 40}, {"GiB", 30}, {"MiB", 20}, {"KiB", 10}} {
		if n > 0 && n&(1<<unit.shift-1) == 0 {
			return strconv.FormatInt(n>>unit.shift, 10) + unit.suffix
		}
	}
	return strconv.FormatInt(n, 10) + "B"
}
