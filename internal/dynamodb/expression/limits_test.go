// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/value"
)

func TestReservedWordsAreSorted(t *testing.T) {
	if len(reservedWords) != 573 || !slices.IsSorted(reservedWords[:]) {
		t.Error("the table must be sorted, and have 573 words")
	}
	for _, word := range reservedWords {
		if !IsReserved(word) || !IsReserved(strings.ToLower(word)) {
			t.Errorf("%s is not found", word)
		}
		if IsReserved(word+"_") || IsReserved("#"+word) {
			t.Errorf("%s is found with more letters", word)
		}
	}
}

func TestOperandsOfIn(t *testing.T) {
	one := value.AppendInt(nil, 1)
	for _, count := range []int{1, 100, 101} {
		known := &Substitutions{}
		known.AddValue(":v", one)
		_, err := ParseFilter("a IN (:v"+strings.Repeat(", :v", count-1)+")", known)
		want := ""
		if count > 100 {
			want = "Invalid FilterExpression: The IN operator is provided with too many operands; number of operands: 101"
		}
		checkError(t, err, want)
	}
}

func TestOperatorsOfUpdate(t *testing.T) {
	for _, count := range []int{300, 301} {
		known := &Substitutions{}
		known.AddValue(":v", value.AppendInt(nil, 1))
		var actions []string
		for i := range count {
			actions = append(actions, fmt.Sprintf("l[%d]=a+:v", i))
		}
		_, err := ParseUpdate("SET "+strings.Join(actions, ","), known)
		want := ""
		if count > 300 {
			want = "Invalid UpdateExpression: The expression contains too many operators; operator count: 301"
		}
		checkError(t, err, want)
	}
}

func TestTextBytes(t *testing.T) {
	for _, size := range []int{4096, 4097} {
		longName := &Substitutions{}
		longName.AddName("#a", strings.Repeat("x", 5000))
		_, err := ParseProjection("#a"+strings.Repeat(" ", size-2), longName)
		want := ""
		if size > 4096 {
			want = "Invalid ProjectionExpression: Expression size has exceeded the maximum allowed size; expression size: 4097"
		}
		checkError(t, err, want)
	}
}

func checkError(t *testing.T, err error, want string) {
	t.Helper()
	var typed *Error
	switch {
	case err == nil && want == "":
	case !errors.As(err, &typed) || typed.Message != want:
		t.Errorf("got %v, want %q", err, want)
	}
}

// More placeholders than are looked through one by one.
func TestManyPlaceholders(t *testing.T) {
	known := &Substitutions{}
	for round := range 2 {
		known.Reset()
		for i := range 100 {
			known.AddName(fmt.Sprintf("#n%d", i), fmt.Sprintf("attribute%d_%d", i, round))
		}
		known.AddName("#n99", "last")
		var names []string
		for i := range 99 {
			names = append(names, fmt.Sprintf("#n%d", i))
		}
		paths, err := ParseProjection(strings.Join(names, ","), known)
		if err != nil || len(paths) != 99 || paths[0].Name != fmt.Sprintf("attribute0_%d", round) {
			t.Fatalf("%d paths, %v", len(paths), err)
		}
		checkError(t, known.CheckUsed(),
			"Value provided in ExpressionAttributeNames unused in expressions: keys: {#n99}")
		paths, err = ParseProjection("#n99", known)
		if err != nil || paths[0].Name != "last" {
			t.Fatalf("%v, %v", paths, err)
		}
		checkError(t, known.CheckUsed(), "")
	}
	if err := checkSyntax(known); err != nil {
		t.Error(err)
	}
	known.AddName("#empty", "")
	checkError(t, checkSyntax(known), "ExpressionAttributeNames contains invalid value: Empty attribute name for key #empty")
}

func TestNoSubstitutions(t *testing.T) {
	if _, err := ParseCondition("attribute_exists(a)", nil); err != nil {
		t.Error(err)
	}
	_, err := ParseCondition("a = :v", nil)
	checkError(t, err, "Invalid ConditionExpression: An expression attribute value used in expression is not defined; attribute value: :v")
}

func TestSubstitutionBytes(t *testing.T) {
	for _, size := range []int{2 << 20, 2<<20 + 1} {
		known := &Substitutions{}
		known.AddName("#a", strings.Repeat("x", 1000))
		const header = 4 // of a binary as long as this
		known.AddValue(":v", value.AppendBinary(nil, make([]byte, size-len("#a:v")-1000-header)))
		want := ""
		if size > 2<<20 {
			want = fmt.Sprintf("The total size of ExpressionAttributeNames and ExpressionAttributeValues has exceeded the maximum allowed size; size: %d", size)
		}
		checkError(t, checkSyntax(known), want)
	}
}

// checkSyntax is CheckNames and then CheckValues.
func checkSyntax(s *Substitutions) error {
	if err := s.CheckNames(); err != nil {
		return err
	}
	return s.CheckValues()
}
