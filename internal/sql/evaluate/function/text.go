// SPDX-License-Identifier: Apache-2.0

package function

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
)

// texts are the functions of texts. Positions count characters from 1. // immutable
var texts = map[string]Function{
	"concat":           {Min: 1, Max: -1, Result: isText, Apply: concat},
	"concat_ws":        {Min: 2, Max: -1, Result: isText, Apply: concatWith, Nulls: true, Skips: hasNoSeparator},
	"length":           {Min: 1, Max: 1, Result: isInteger, Apply: length},
	"octet_length":     {Min: 1, Max: 1, Result: isInteger, Apply: length},
	"bit_length":       {Min: 1, Max: 1, Result: isInteger, Apply: bitLength},
	"char_length":      {Min: 1, Max: 1, Result: isInteger, Apply: characters},
	"character_length": {Min: 1, Max: 1, Result: isInteger, Apply: characters},
	"lower":            {Min: 1, Max: 1, Result: isText, Apply: lower},
	"lcase":            {Min: 1, Max: 1, Result: isText, Apply: lower},
	"upper":            {Min: 1, Max: 1, Result: isText, Apply: upper},
	"ucase":            {Min: 1, Max: 1, Result: isText, Apply: upper},
	"trim":             {Min: 1, Max: 3, Result: isText, Apply: trim},
	"ltrim":            {Min: 1, Max: 1, Result: isText, Apply: ltrim},
	"rtrim":            {Min: 1, Max: 1, Result: isText, Apply: rtrim},
	"substr":           {Min: 2, Max: 3, Result: likeFirst, Apply: substring},
	"substring":        {Min: 2, Max: 3, Result: likeFirst, Apply: substring},
	"mid":              {Min: 2, Max: 3, Result: likeFirst, Apply: substring},
	"substring_index":  {Min: 3, Max: 3, Result: isText, Apply: substringIndex},
	"left":             {Min: 2, Max: 2, Result: likeFirst, Apply: left},
	"right":            {Min: 2, Max: 2, Result: likeFirst, Apply: right},
	"replace":          {Min: 3, Max: 3, Result: isText, Apply: replace},
	"reverse":          {Min: 1, Max: 1, Result: isText, Apply: reverse},
	"repeat":           {Min: 2, Max: 2, Result: isText, Apply: repeat},
	"space":            {Min: 1, Max: 1, Result: isText, Apply: space},
	"lpad":             {Min: 3, Max: 3, Result: isText, Apply: lpad},
	"rpad":             {Min: 3, Max: 3, Result: isText, Apply: rpad},
	"locate":           {Min: 2, Max: 3, Result: isInteger, Apply: locate},
	"position":         {Min: 2, Max: 2, Result: isInteger, Apply: locate},
	"instr":            {Min: 2, Max: 2, Result: isInteger, Apply: instr},
	"insert":           {Min: 4, Max: 4, Result: isText, Apply: insert},
	"strcmp":           {Min: 2, Max: 2, Result: isInteger, Apply: strcmp},
	"field":            {Min: 2, Max: -1, Result: isInteger, Apply: field, Nulls: true, Skips: found, Alike: true},
	"elt":              {Min: 2, Max: -1, Result: isText, Apply: elt, Nulls: true, Skips: notChosen},
	"find_in_set":      {Min: 2, Max: 2, Result: isInteger, Apply: findInSet},
	"start_with":       {Min: 2, Max: 2, Result: isBoolean, Apply: startsWith},
	"starts_with":      {Min: 2, Max: 2, Result: isBoolean, Apply: startsWith},
	"end_with":         {Min: 2, Max: 2, Result: isBoolean, Apply: endsWith},
	"ends_with":        {Min: 2, Max: 2, Result: isBoolean, Apply: endsWith},
	"export_set":       {Min: 3, Max: 5, Result: isText, Apply: exportSet},
	"make_set":         {Min: 2, Max: -1, Result: isText, Apply: makeSet, Nulls: true, Skips: notInSet},
}

// TextOrNull returns a text in the arena, or NULL if it grew beyond PacketMax.
func (e *Environment) TextOrNull(grown []byte) (datum.Datum, error) {
	if len(grown)-len(e.arena) > PacketMax {
		return datum.Null, nil
	}
	if err := e.reserve(len(grown) - len(e.arena)); err != nil {
		return datum.Null, err
	}
	return e.text(grown), nil
}

// reserve counts the memory of a text that is made next, if it is long. Texts made before stay where they are until
// Reset.
func (e *Environment) reserve(bytes int) error {
	if n := len(e.arena) + bytes; n > arenaFree && !e.Memory.Hold(int64(n+n/4)) {
		return fault.New(fault.OutOfResources,
			"not enough memory for the texts of one row (--sql-memory): shorten them, or try again later")
	}
	return nil
}

func concat(e *Environment, a []datum.Datum) (datum.Datum, error) {
	dst := e.arena
	for _, d := range a {
		dst = d.AppendText(dst)
	}
	return e.TextOrNull(dst)
}

func concatWith(e *Environment, a []datum.Datum) (datum.Datum, error) {
	if a[0].IsNull() {
		return datum.Null, nil
	}
	separator := e.TextOf(a[0])
	dst, between := e.arena, []byte(nil)
	for _, d := range a[1:] {
		if !d.IsNull() {
			dst = d.AppendText(append(dst, between...))
			between = separator
		}
	}
	return e.TextOrNull(dst)
}

func length(e *Environment, a []datum.Datum) (datum.Datum, error) {
	return datum.Int(int64(len(e.TextOf(a[0])))), nil
}

func bitLength(e *Environment, a []datum.Datum) (datum.Datum, error) {
	return datum.Int(int64(len(e.TextOf(a[0]))) * 8), nil
}

func characters(e *Environment, a []datum.Datum) (datum.Datum, error) {
	if a[0].Kind() == datum.KindBinary {
		return length(e, a)
	}
	return datum.Int(int64(utf8.RuneCount(e.TextOf(a[0])))), nil
}

func lower(e *Environment, a []datum.Datum) (datum.Datum, error) {
	return e.mapLetters(a[0], 'A', bytes.ToLower)
}

func upper(e *Environment, a []datum.Datum) (datum.Datum, error) {
	return e.mapLetters(a[0], 'a', bytes.ToUpper)
}

// mapLetters changes the case of letters, first 'A' or 'a' being the first that changes; binaries are left alone.
func (e *Environment) mapLetters(d datum.Datum, first byte, other func([]byte) []byte) (datum.Datum, error) {
	if d.Kind() == datum.KindBinary {
		return d, nil
	}
	text := e.TextOf(d)
	dst := e.arena
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return e.text(append(e.arena, other(text)...)), nil
		}
		if c-first < 26 {
			c ^= 0x20
		}
		dst = append(dst, c)
	}
	return e.text(dst), nil
}

// trim takes a text; or, as the parser hands over TRIM(LEADING x FROM y), the text, "leading", "trailing" or "both",
// and what to cut.
func trim(e *Environment, a []datum.Datum) (datum.Datum, error) {
	text, cut, side := e.TextOf(a[0]), []byte(" "), "both"
	if len(a) > 1 {
		side = string(e.TextOf(a[1]))
	}
	if len(a) > 2 {
		cut = e.TextOf(a[2])
	}
	if len(cut) == 0 {
		return datum.Text(text), nil
	}
	if side != "trailing" {
		for bytes.HasPrefix(text, cut) {
			text = text[len(cut):]
		}
	}
	if side != "leading" {
		for bytes.HasSuffix(text, cut) {
			text = text[:len(text)-len(cut)]
		}
	}
	return datum.Text(text), nil
}

func ltrim(e *Environment, a []datum.Datum) (datum.Datum, error) {
	return datum.Text(bytes.TrimLeft(e.TextOf(a[0]), " ")), nil
}

func rtrim(e *Environment, a []datum.Datum) (datum.Datum, error) {
	return datum.Text(bytes.TrimRight(e.TextOf(a[0]), " ")), nil
}

// unit is how positions of a value count: bytes of binaries, characters else.
type unit bool

func unitOf(d datum.Datum) unit { return d.Kind() == datum.KindBinary }

// count returns the length in units.
func (u unit) count(text []byte) int {
	if u {
		return len(text)
	}
	return utf8.RuneCount(text)
}

// offset returns where unit n begins, counted from 0; the end if there are fewer.
func (u unit) offset(text []byte, n int) int {
	if u {
		return min(max(n, 0), len(text))
	}
	at := 0
	for ; n > 0 && at < len(text); n-- {
		if text[at] < utf8.RuneSelf {
			at++
			continue
		}
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	return at
}

// like makes a text, or a binary if d is one.
func like(d datum.Datum, text []byte) datum.Datum {
	if d.Kind() == datum.KindBinary {
		return datum.Binary(text)
	}
	return datum.Text(text)
}

// clampInt brings a count into the range of an int that no arithmetic here overflows.
func clampInt(d datum.Datum) int { return int(min(max(d.NumberInt(), -1<<40), 1<<40)) }

func substring(e *Environment, a []datum.Datum) (datum.Datum, error) {
	text, u := e.TextOf(a[0]), unitOf(a[0])
	from, size := clampInt(a[1]), 1<<40
	if len(a) == 3 {
		size = clampInt(a[2])
	}
	if from < 0 {
		from = u.count(text) + from + 1
	}
	if from <= 0 || size <= 0 {
		return like(a[0], nil), nil
	}
	text = text[u.offset(text, from-1):]
	return like(a[0], text[:u.offset(text, size)]), nil
}

func left(e *Environment, a []datum.Datum) (datum.Datum, error) {
	text := e.TextOf(a[0])
	return like(a[0], text[:unitOf(a[0]).offset(text, clampInt(a[1]))]), nil
}

func right(e *Environment, a []datum.Datum) (datum.Datum, error) {
	text, u := e.TextOf(a[0]), unitOf(a[0])
	n := max(clampInt(a[1]), 0)
	return like(a[0], text[u.offset(text, max(u.count(text)-n, 0)):]), nil
}

// substringIndex returns what stands before the n-th separator, or behind the n-th from the end.
func substringIndex(e *Environment, a []datum.Datum) (datum.Datum, error) {
	text, separator, n := e.TextOf(a[0]), e.TextOf(a[1]), clampInt(a[2])
	if len(separator) == 0 || n == 0 {
		return datum.Text(nil), nil
	}
	if n > 0 {
		at := 0
		for ; n > 0; n-- {
			found := bytes.Index(text[at:], separator)
			if found < 0 {
				return datum.Text(text), nil
			}
			at += found + len(separator)
		}
		return datum.Text(text[:at-len(separator)]), nil
	}
	end := len(text)
	for ; n < 0; n++ {
		found := bytes.LastIndex(text[:end], separator)
		if found < 0 {
			return datum.Text(text), nil
		}
		end = found
	}
	return datum.Text(text[end+len(separator):]), nil
}

func replace(e *Environment, a []datum.Datum) (datum.Datum, error) {
	text, old, with := e.TextOf(a[0]), e.TextOf(a[1]), e.TextOf(a[2])
	if len(old) == 0 {
		return datum.Text(text), nil
	}
	dst := e.arena
	for {
		at := bytes.Index(text, old)
		if at < 0 || len(dst)-len(e.arena) > PacketMax {
			return e.TextOrNull(append(dst, text...))
		}
		dst = append(append(dst, text[:at]...), with...)
		text = text[at+len(old):]
	}
}

func reverse(e *Environment, a []datum.Datum) (datum.Datum, error) {
	text := e.TextOf(a[0])
	dst := e.arena
	for len(text) > 0 {
		_, size := utf8.DecodeLastRune(text)
		if a[0].Kind() == datum.KindBinary {
			size = 1
		}
		dst = append(dst, text[len(text)-size:]...)
		text = text[:len(text)-size]
	}
	return like(a[0], e.Keep(dst)), nil
}

func repeat(e *Environment, a []datum.Datum) (datum.Datum, error) {
	return e.repeatText(e.TextOf(a[0]), clampInt(a[1]))
}

func space(e *Environment, a []datum.Datum) (datum.Datum, error) {
	return e.repeatText([]byte(" "), clampInt(a[0]))
}

func (e *Environment) repeatText(text []byte, times int) (datum.Datum, error) {
	if times <= 0 || len(text) == 0 {
		return datum.Text(nil), nil
	}
	if times > PacketMax/len(text) {
		return datum.Null, nil
	}
	if err := e.reserve(len(text) * times); err != nil {
		return datum.Null, err
	}
	dst := slices.Grow(e.arena, len(text)*times)
	for range times {
		dst = append(dst, text...)
	}
	return e.text(dst), nil
}

func lpad(e *Environment, a []datum.Datum) (datum.Datum, error) { return e.padText(a, true) }

func rpad(e *Environment, a []datum.Datum) (datum.Datum, error) { return e.padText(a, false) }

// padText brings a text to a number of characters by cutting its end, or by repeating the third argument in front or
// behind.
func (e *Environment) padText(a []datum.Datum, front bool) (datum.Datum, error) {
	text, size, pad := e.TextOf(a[0]), clampInt(a[1]), e.TextOf(a[2])
	u := unitOf(a[0])
	if size < 0 || size > PacketMax {
		return datum.Null, nil
	}
	missing := size - u.count(text)
	if missing <= 0 {
		return like(a[0], text[:u.offset(text, size)]), nil
	}
	if len(pad) == 0 {
		return datum.Text(nil), nil
	}
	dst := e.arena
	if !front {
		dst = append(dst, text...)
	}
	for width := u.count(pad); missing > 0; missing -= width {
		dst = append(dst, pad[:u.offset(pad, missing)]...)
	}
	if front {
		dst = append(dst, text...)
	}
	return e.TextOrNull(dst)
}

// locate is LOCATE(part, text[, from]).
func locate(e *Environment, a []datum.Datum) (datum.Datum, error) {
	part, text := e.TextOf(a[0]), e.TextOf(a[1])
	u := unitOf(a[1])
	from := 1
	if len(a) == 3 {
		from = clampInt(a[2])
	}
	if from < 1 || from > u.count(text)+1 {
		return datum.Int(0), nil
	}
	start := u.offset(text, from-1)
	at := bytes.Index(text[start:], part)
	if at < 0 {
		return datum.Int(0), nil
	}
	return datum.Int(int64(from + u.count(text[start:start+at]))), nil
}

func instr(e *Environment, a []datum.Datum) (datum.Datum, error) {
	return locate(e, []datum.Datum{a[1], a[0]})
}

// insert is INSERT(text, from, size, with).
func insert(e *Environment, a []datum.Datum) (datum.Datum, error) {
	text, from, size, with := e.TextOf(a[0]), clampInt(a[1]), clampInt(a[2]), e.TextOf(a[3])
	u := unitOf(a[0])
	if from < 1 || from > u.count(text) {
		return datum.Text(text), nil
	}
	start := u.offset(text, from-1)
	end := len(text)
	if size >= 0 {
		end = start + u.offset(text[start:], size)
	}
	return e.TextOrNull(append(append(append(e.arena, text[:start]...), with...), text[end:]...))
}

func strcmp(e *Environment, a []datum.Datum) (datum.Datum, error) {
	return datum.Int(int64(bytes.Compare(e.TextOf(a[0]), e.TextOf(a[1])))), nil
}

// field finds the first argument among the others. If numbers stand among arguments that are none, all are compared as
// numbers.
func field(_ *Environment, a []datum.Datum) (datum.Datum, error) {
	mixed := slices.ContainsFunc(a, datum.Datum.IsNumber) &&
		slices.ContainsFunc(a, func(d datum.Datum) bool { return !d.IsNull() && !d.IsNumber() })
	for i, d := range a[1:] {
		if mixed && !d.IsNull() && !a[0].IsNull() && a[0].NumberFloat() == d.NumberFloat() ||
			!mixed && datum.Equal(a[0], d) {
			return datum.Int(int64(i + 1)), nil
		}
	}
	return datum.Int(0), nil
}

// hasNoSeparator reports whether CONCAT_WS is NULL.
func hasNoSeparator(before []datum.Datum, _ int) bool { return before[0].IsNull() }

// found reports whether FIELD has found its text.
func found(before []datum.Datum, number int) bool {
	return number > 1 && datum.Equal(before[0], before[number-1]) || number > 2 && before[number-1].IsNull() &&
		found(before, number-1)
}

// notChosen reports whether ELT has another result.
func notChosen(before []datum.Datum, number int) bool {
	return before[0].IsNull() || before[0].NumberInt() != int64(number)
}

func elt(e *Environment, a []datum.Datum) (datum.Datum, error) {
	n := a[0].NumberInt()
	if a[0].IsNull() || n < 1 || n >= int64(len(a)) || a[n].IsNull() {
		return datum.Null, nil
	}
	return datum.Text(e.TextOf(a[n])), nil
}

func findInSet(e *Environment, a []datum.Datum) (datum.Datum, error) {
	part, set := e.TextOf(a[0]), e.TextOf(a[1])
	if len(set) == 0 {
		return datum.Int(0), nil
	}
	for n := int64(1); ; n++ {
		element, rest, more := bytes.Cut(set, []byte{','})
		if bytes.Equal(element, part) {
			return datum.Int(n), nil
		}
		if !more {
			return datum.Int(0), nil
		}
		set = rest
	}
}

func startsWith(e *Environment, a []datum.Datum) (datum.Datum, error) {
	return datum.Bool(bytes.HasPrefix(e.TextOf(a[0]), e.TextOf(a[1]))), nil
}

func endsWith(e *Environment, a []datum.Datum) (datum.Datum, error) {
	return datum.Bool(bytes.HasSuffix(e.TextOf(a[0]), e.TextOf(a[1]))), nil
}

// notInSet reports whether MAKE_SET leaves a text out.
func notInSet(before []datum.Datum, number int) bool {
	return before[0].IsNull() || before[0].Bits()>>(number-1)&1 == 0
}

// makeSet joins with commas the arguments whose bits are set in the first.
func makeSet(e *Environment, a []datum.Datum) (datum.Datum, error) {
	if a[0].IsNull() {
		return datum.Null, nil
	}
	dst, between := e.arena, ""
	for i, bits := 1, a[0].Bits(); i < len(a) && bits != 0; i, bits = i+1, bits>>1 {
		if bits&1 == 1 && !a[i].IsNull() {
			dst = a[i].AppendText(append(dst, between...))
			between = ","
		}
	}
	return e.TextOrNull(dst)
}

// exportSet is a text for each bit of a number, the lowest first.
func exportSet(e *Environment, a []datum.Datum) (datum.Datum, error) {
	on, off, separator, count := e.TextOf(a[1]), e.TextOf(a[2]), []byte{','}, int64(64)
	if len(a) > 3 {
		separator = e.TextOf(a[3])
	}
	if len(a) > 4 {
		if n := a[4].NumberInt(); n >= 0 && n < count {
			count = n
		}
	}
	dst, bits := e.arena, a[0].Bits()
	for i := range count {
		if i > 0 {
			dst = append(dst, separator...)
		}
		if bits>>i&1 == 1 {
			dst = append(dst, on...)
		} else {
			dst = append(dst, off...)
		}
	}
	return e.TextOrNull(dst)
}
