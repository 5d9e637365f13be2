// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestScripts runs the text files: plans, keys, boxes, ranges and costs.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/script", func(t *testing.T, path string) {
		s := &script{}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			out, err := s.run(t, d)
			if err != nil {
				return err.Error() + "\n"
			}
			return out
		})
	})
}

// script is what the commands of one file work on.
type script struct {
	plan  *Plan
	union *Boxes
}

// run runs one command. Codes are written in decimal, or as 0x and the digits of their []byte form, and keys in
// hexadecimal.
func (s *script) run(t *testing.T, d *datadriven.TestData) (string, error) {
	switch d.Cmd {
	case "round-robin", "composite", "prefixed", "plan":
		return s.makePlan(t, d)
	case "encode":
		return s.encode(d)
	case "decode":
		return s.decode(d)
	case "boxes":
		return s.boxes(t, d)
	case "product":
		return s.product(t, d)
	case "next":
		return s.steps(d, s.union.Next), nil
	case "prev":
		return s.steps(d, s.union.Prev), nil
	case "walk":
		return s.walk(), nil
	case "ranges":
		return s.ranges(t, d), nil
	case "cost":
		return s.cost(t, d), nil
	}
	d.Fatalf(t, "no command %s", d.Cmd)
	return "", nil
}

func numbers(t *testing.T, text string) []int {
	var list []int
	for _, field := range strings.Fields(text) {
		n, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, n)
	}
	return list
}

func (s *script) makePlan(t *testing.T, d *datadriven.TestData) (string, error) {
	var err error
	var p *Plan
	switch d.Cmd {
	case "round-robin":
		p, err = RoundRobin(numbers(t, d.Input)...)
	case "composite":
		p, err = Composite(numbers(t, d.Input)...)
	case "prefixed":
		var first int
		d.ScanArgs(t, "first", &first)
		p, err = Prefixed(first, numbers(t, d.Input)...)
	default:
		p, err = ParsePlan(d.Input)
	}
	if err != nil {
		return "", err
	}
	s.plan = p
	letters := make([]byte, min(p.Bits(), 64))
	for i := range letters {
		letters[i] = 'a' + p.Owners()[i]
	}
	return fmt.Sprintf("%s\n%s\n", p, letters), nil
}

// encode writes the key of each line of codes, by both forms where there are two.
func (s *script) encode(d *datadriven.TestData) (string, error) {
	var out strings.Builder
	for _, line := range strings.Split(d.Input, "\n") {
		key, err := s.key(strings.Fields(line))
		if err != nil {
			fmt.Fprintln(&out, err)
			continue
		}
		fmt.Fprintf(&out, "%x\n", key)
	}
	return out.String(), nil
}

func (s *script) key(fields []string) ([]byte, error) {
	var codes []uint64
	var long [][]byte
	for attribute, field := range fields {
		if digits, ok := strings.CutPrefix(field, "0x"); ok {
			code, err := hex.DecodeString(digits)
			if err != nil {
				return nil, err
			}
			long = append(long, code)
			continue
		}
		code, err := strconv.ParseUint(field, 10, 64)
		if err != nil {
			return nil, err
		}
		codes = append(codes, code)
		if aligned, err := s.plan.AppendCode(nil, attribute, code); err == nil {
			long = append(long, aligned)
		}
	}
	if len(codes) < len(fields) {
		return s.plan.AppendKeyBytes(nil, long...)
	}
	key, err := s.plan.AppendKey(nil, codes...)
	if err == nil {
		if again, err := s.plan.AppendKeyBytes(nil, long...); err != nil || !bytes.Equal(key, again) {
			return nil, fmt.Errorf("the two forms differ: %x %x %v", key, again, err)
		}
	}
	return key, err
}

func (s *script) decode(d *datadriven.TestData) (string, error) {
	var out strings.Builder
	for _, line := range strings.Split(d.Input, "\n") {
		key, err := hex.DecodeString(line)
		if err != nil {
			return "", err
		}
		codes, err := s.plan.AppendCodes(nil, key)
		fmt.Fprint(&out, codes)
		if err != nil {
			fmt.Fprint(&out, " ", err)
		}
		for attribute := range s.plan.Attributes() {
			if code, err := s.plan.AppendCodeBytes(nil, key, attribute); err == nil {
				fmt.Fprintf(&out, " %x", code)
			}
		}
		fmt.Fprintln(&out)
	}
	return out.String(), nil
}

// bounds reads "3..7", "5" or "*".
func (s *script) bounds(attribute int, text string) (Range, error) {
	if text == "*" {
		return Range{}, nil
	}
	first, last, ok := strings.Cut(text, "..")
	if !ok {
		last = first
	}
	low, err := s.code(attribute, first)
	if err != nil {
		return Range{}, err
	}
	high, err := s.code(attribute, last)
	return Range{low, high}, err
}

func (s *script) code(attribute int, text string) ([]byte, error) {
	if digits, ok := strings.CutPrefix(text, "0x"); ok {
		return hex.DecodeString(digits)
	}
	code, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return nil, err
	}
	return s.plan.AppendCode(nil, attribute, code)
}

// boxes makes a union of one box for each line.
func (s *script) boxes(t *testing.T, d *datadriven.TestData) (string, error) {
	var boxes []*Box
	for _, line := range strings.Split(d.Input, "\n") {
		var ranges []Range
		for attribute, field := range strings.Fields(line) {
			r, err := s.bounds(attribute, field)
			if err != nil {
				return "", err
			}
			ranges = append(ranges, r)
		}
		box, err := s.plan.BoxOfRanges(ranges...)
		if err != nil {
			return "", err
		}
		boxes = append(boxes, box)
	}
	boxesMax := 0
	d.MaybeScanArgs(t, "max", &boxesMax)
	union, err := Union(s.plan, boxes, boxesMax)
	return s.keep(union, err)
}

// product makes the union of the product of one list of ranges for each attribute, a line each.
func (s *script) product(t *testing.T, d *datadriven.TestData) (string, error) {
	var sets [][]Range
	for attribute, line := range strings.Split(d.Input, "\n") {
		if strings.TrimSpace(line) == "*" {
			sets = append(sets, nil)
			continue
		}
		set := []Range{}
		for _, field := range strings.Split(line, ",") {
			if strings.TrimSpace(field) == "none" {
				continue
			}
			r, err := s.bounds(attribute, strings.TrimSpace(field))
			if err != nil {
				return "", err
			}
			set = append(set, r)
		}
		sets = append(sets, set)
	}
	boxesMax := 0
	d.MaybeScanArgs(t, "max", &boxesMax)
	union, err := s.plan.Product(sets, boxesMax)
	return s.keep(union, err)
}

func (s *script) keep(union *Boxes, err error) (string, error) {
	if err != nil {
		return "", err
	}
	s.union = union
	covered := ""
	if union.Covered() {
		covered = " covered"
	}
	return strings.ReplaceAll(union.String(), " | ", "\n ") + covered +
		fmt.Sprintf("\nlow %x high %x share %.6g\n", union.Low(), union.High(), union.Share()), nil
}

func (s *script) steps(d *datadriven.TestData, step nextFunc) string {
	var out strings.Builder
	for _, line := range strings.Split(d.Input, "\n") {
		z, err := hex.DecodeString(line)
		if err != nil {
			return err.Error()
		}
		key, in, ok := step(nil, z)
		switch {
		case in:
			fmt.Fprintf(&out, "%s: inside\n", line)
		case ok:
			codes, _ := s.plan.AppendCodes(nil, key)
			fmt.Fprintf(&out, "%s: %x %d\n", line, key, codes)
		default:
			fmt.Fprintf(&out, "%s: none\n", line)
		}
	}
	return out.String()
}

// walk lists the runs of keys inside, found by Next alone, for plans of at most 16 bits.
func (s *script) walk() string {
	var out strings.Builder
	last := -2
	for z := 0; z < 1<<s.plan.Bits(); z++ {
		key, in, ok := s.union.Next(nil, keyOfNumber(s.plan, z))
		switch {
		case !ok:
			fmt.Fprintln(&out)
			return out.String()
		case !in:
			z = numberOf(s.plan, key) - 1
		case z == last+1:
			last = z
		default:
			fmt.Fprintf(&out, " %x", key)
			last = z
		}
	}
	fmt.Fprintln(&out)
	return out.String()
}

func numberOf(p *Plan, key []byte) int {
	number := 0
	for _, bit := range bitsOf(key, p.Bits()) {
		number = number<<1 | int(bit)
	}
	return number
}

func (s *script) ranges(t *testing.T, d *datadriven.TestData) string {
	var options RangesOptions
	d.MaybeScanArgs(t, "max", &options.RangesMax)
	d.MaybeScanArgs(t, "steps", &options.StepsMax)
	options.Separators = separators(t, d)
	var out strings.Builder
	for _, r := range s.union.Ranges(options) {
		word := "loose"
		if r.Exact {
			word = "exact"
		}
		fmt.Fprintf(&out, "%x..%x %s\n", r.First, r.Last, word)
	}
	return out.String()
}

// separators are the keys of the input's first line.
func separators(t *testing.T, d *datadriven.TestData) [][]byte {
	var list [][]byte
	for _, field := range strings.Fields(d.Input) {
		key, err := hex.DecodeString(field)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, key)
	}
	return list
}

func (s *script) cost(t *testing.T, d *datadriven.TestData) string {
	var out strings.Builder
	rows, rowsPerLeaf := 0, 0
	d.MaybeScanArgs(t, "rows", &rows)
	d.MaybeScanArgs(t, "leaf", &rowsPerLeaf)
	if rows > 0 {
		fmt.Fprintf(&out, "estimate %.6g leaves of %.6g\n", s.union.EstimateLeaves(float64(rows), float64(rowsPerLeaf)),
			float64(rows)/float64(rowsPerLeaf))
	}
	if d.Input != "" {
		leaves, runs := s.union.TouchedLeaves(separators(t, d))
		fmt.Fprintf(&out, "touched %d leaves in %d runs\n", leaves, runs)
	}
	return out.String()
}
