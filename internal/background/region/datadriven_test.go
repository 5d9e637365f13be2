// SPDX-License-Identifier: Apache-2.0

package region

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/data/keytext"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/testing/valuetest"
)

// TestPoints shows where regions begin, for each line of a spec: `8`, `4 from 0 to 100`, `at "a" "b"`. The argument key
// is `name type`, with desc and nulls.
func TestPoints(t *testing.T) {
	datadriven.RunTest(t, "testdata/points", func(t *testing.T, d *datadriven.TestData) string {
		x := indexOf(t, d)
		var b strings.Builder
		for line := range strings.SplitSeq(d.Input, "\n") {
			spec, err := specOf(line)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			keys, err := Points(x, spec)
			if err != nil {
				fmt.Fprintf(&b, "error: %v\n", err)
				continue
			}
			for i, key := range keys {
				if i > 0 {
					b.WriteString("  ")
				}
				rest := indexkey.Leading(x, key, nil,
					func(_ *schema.KeyPart, v value.Value) { b.WriteString(v.String()) })
				if len(rest) > 0 {
					fmt.Fprintf(&b, "+%x", rest)
				}
			}
			b.WriteByte('\n')
		}
		return b.String()
	})
}

func indexOf(t *testing.T, d *datadriven.TestData) *schema.Index {
	var name, typed string
	d.ScanArgs(t, "part", &name)
	d.ScanArgs(t, "type", &typed)
	var of schema.Type
	if err := of.UnmarshalText([]byte(typed)); err != nil {
		d.Fatalf(t, "%v", err)
	}
	part, _, err := keytext.Parse(name, of)
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	x := &schema.Index{Key: []schema.KeyPart{part}, PartitionParts: 1, KeepNulls: d.HasArg("nulls")}
	if d.HasArg("hashed") {
		x.Key = append([]schema.KeyPart{keytext.HashDistribution(x.Key, 1)}, x.Key...)
	}
	return x
}

// specOf reads `[COUNT] [from VALUE to VALUE] [at VALUE ..]`.
func specOf(line string) (*Spec, error) {
	var s Spec
	into := (*value.Value)(nil)
	at := false
	for word := range strings.FieldsSeq(line) {
		switch word {
		case "from":
			into = &s.From
			continue
		case "to":
			into = &s.To
			continue
		case "at":
			at = true
			continue
		}
		if into == nil && !at {
			n, err := strconv.Atoi(word)
			if err != nil {
				return nil, err
			}
			s.Count = n
			continue
		}
		v, err := valuetest.ParseText(word)
		if err != nil {
			return nil, err
		}
		if at {
			s.Keys = append(s.Keys, v)
			continue
		}
		*into = v
	}
	return &s, nil
}

// TestSteps decides, for regions one a line: `ID BYTES READS WRITES AGE-IN-MINUTES [preset]`.
func TestSteps(t *testing.T) {
	datadriven.RunTest(t, "testdata/steps", func(t *testing.T, d *datadriven.TestData) string {
		const nowMS = 1_700_000_000_000
		var regions []Observation
		for line := range strings.SplitSeq(d.Input, "\n") {
			var r Observation
			var minutes int64
			if _, err := fmt.Sscan(line, &r.ID, &r.Bytes, &r.Reads, &r.Writes, &minutes); err != nil {
				d.Fatalf(t, "%q: %v", line, err)
			}
			r.CreatedAtMS, r.Preset = nowMS-minutes*60_000, strings.HasSuffix(line, "preset")
			regions = append(regions, r)
		}
		var b strings.Builder
		for _, step := range (Settings{BytesMax: 1000}).Steps(regions, nowMS) {
			fmt.Fprintf(&b, "%s %s\n", step.Kind, regions[step.At].ID)
		}
		return b.String()
	})
}

// TestDivide judges requests, oldest first: each word of the input is KEY or KEY*TIMES or FROM-TO (numbers, in order);
// `shuffle` mixes each line.
func TestDivide(t *testing.T) {
	datadriven.RunTest(t, "testdata/divide", func(t *testing.T, d *datadriven.TestData) string {
		var requests []Request
		for line := range strings.SplitSeq(d.Input, "\n") {
			var keys []string
			for word := range strings.FieldsSeq(line) {
				keys = append(keys, keysOf(t, d, word)...)
			}
			if d.HasArg("shuffle") { // every 7th of them in turn, which is no order and always the same
				keys = mixed(keys)
			}
			for _, key := range keys {
				requests = append(requests, Request{Key: []byte(key)})
			}
		}
		keys, verdict := Divide(requests)
		if len(keys) > 0 {
			return fmt.Sprintf("%s at %s\n", verdict, keys[0])
		}
		return verdict.String() + "\n"
	})
}

func keysOf(t *testing.T, d *datadriven.TestData, word string) (keys []string) {
	if key, times, ok := strings.Cut(word, "*"); ok {
		n, err := strconv.Atoi(times)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		for range n {
			keys = append(keys, key)
		}
		return keys
	}
	from, to, ok := strings.Cut(word, "-")
	if !ok {
		return []string{word}
	}
	prefix := strings.TrimRight(from, "0123456789")
	low, err := strconv.Atoi(from[len(prefix):])
	high, err2 := strconv.Atoi(to)
	if err != nil || err2 != nil {
		d.Fatalf(t, "%q: %v %v", word, err, err2)
	}
	for i := low; i <= high; i++ {
		keys = append(keys, fmt.Sprintf("%s%04d", prefix, i))
	}
	return keys
}

func mixed(keys []string) []string {
	list := make([]string, 0, len(keys))
	for offset := range 7 {
		for i := offset; i < len(keys); i += 7 {
			list = append(list, keys[i])
		}
	}
	return list
}
