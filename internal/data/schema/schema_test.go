// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestValidate runs testdata/validate: descriptors as JSON, and their faults.
func TestValidate(t *testing.T) {
	datadriven.RunTest(t, "testdata/validate", func(t *testing.T, d *datadriven.TestData) string {
		var table Table
		if err := json.Unmarshal([]byte(d.Input), &table); err != nil {
			return err.Error()
		}
		err := table.Validate()
		if err == nil {
			return "valid"
		}
		var invalid *InvalidError
		if !errors.As(err, &invalid) {
			t.Fatalf("%T: %v", err, err)
		}
		var lines []string
		for _, f := range invalid.Faults {
			lines = append(lines, f.String())
		}
		return strings.Join(lines, "\n")
	})
}

// sample is a table that uses every field.
func sample() *Table {
	column := func(name string, typ Type) KeyPart {
		return KeyPart{Name: name, Type: typ, Args: []Argument{{Column: name, Type: typ}}}
	}
	hidden := KeyPart{Name: "hash32(a)", Function: Hash32, Type: Binary, Hidden: true,
		Args: []Argument{{Column: "a", Type: String}}}
	concat := KeyPart{Name: "concat(b,'#')", Function: Concat, Type: String,
		Args: []Argument{{Column: "b"}, {Literal: "#"}}, Descending: true}
	expiry := ExpiryIndex("concat(b,'#')")
	expiry.ID, expiry.Partial = 3, true
	return &Table{
		ID: 7, Database: "default", Name: "t", UUID: "u", Version: 3, CreatedAtMS: 5, NextIndexID: 4,
		Primary: Index{Key: []KeyPart{hidden, column("a", String), column("n", Number)}, PartitionParts: 1},
		Columns: []Column{{"b", Float}},
		Indexes: []Index{
			{ID: 1, Name: "i", Key: []KeyPart{concat}, PartitionParts: 1, Projection: ProjectInclude,
				Include: []string{"c"}, State: Backfill,
				Dialect: map[string]json.RawMessage{"sql": json.RawMessage(`{"x":1}`)}},
			{ID: 2, Name: "l", Key: []KeyPart{column("a", String), column("b", Number)}, PartitionParts: 1, Local: true,
				KeepNulls: true},
			expiry,
		},
		Dialect: map[string]json.RawMessage{"dynamodb": json.RawMessage(`[]`)},
	}
}

func TestSampleIsValid(t *testing.T) {
	if err := sample().Validate(); err != nil {
		t.Fatal(err)
	}
}

func TestDescriptorsSurviveJSON(t *testing.T) {
	text, err := json.Marshal(sample())
	if err != nil {
		t.Fatal(err)
	}
	var back Table
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(&back, sample()) {
		t.Fatalf("%+v became %s, which reads as %+v", sample(), text, &back)
	}
}

func TestCloneSharesNothingThatChanges(t *testing.T) {
	original := sample()
	clone := original.Clone()
	if !reflect.DeepEqual(original, clone) {
		t.Fatalf("%+v is no copy of %+v", clone, original)
	}
	clone.Columns[0].Name = "z"
	clone.Primary.Key[1].Name = "z"
	clone.Indexes[0].Key[0].Name = "z"
	clone.Indexes[0].Include[0] = "z"
	clone.Indexes[0].Dialect["sql"][0] = 'z'
	clone.Dialect["dynamodb"][0] = 'z'
	if !reflect.DeepEqual(original, sample()) {
		t.Fatalf("changing the clone changed the original to %+v", original)
	}
}

func TestLookups(t *testing.T) {
	table := sample()
	if x, ok := table.Index(""); !ok || x != &table.Primary || !x.IsPrimary() {
		t.Error("the empty name is the primary index")
	}
	if x, ok := table.Index("l"); !ok || x != &table.Indexes[1] || x.IsPrimary() {
		t.Error("index l")
	}
	if _, ok := table.Index("none"); ok {
		t.Error("there is no index none")
	}
	if x, ok := table.IndexByID(1); !ok || x != &table.Indexes[0] {
		t.Error("index 1")
	}
	if _, ok := table.IndexByID(9); ok {
		t.Error("there is no index 9")
	}
	if x, ok := table.Expiry(); !ok || x != &table.Indexes[2] || x.Key[0].Name != "concat(b,'#')" {
		t.Error("the index of expiry")
	}
	if x, ok := table.Index(table.Indexes[2].Name); ok {
		t.Errorf("an internal index is found by its name: %+v", x)
	}
	if x, ok := table.IndexByID(3); !ok || !x.Internal {
		t.Error("an internal index is not found by its id")
	}
	var declared []string
	for x := range table.Declared() {
		declared = append(declared, x.Name)
	}
	if !slices.Equal(declared, []string{"i", "l"}) {
		t.Errorf("declared are %s", declared)
	}
	if p := table.Primary.Partition(); len(p) != 1 || p[0].Column() != "a" {
		t.Errorf("the partition key is %+v", p)
	}
	if p := table.Primary.Sort(); len(p) != 1 || p[0].Column() != "n" || p[0].Computed() {
		t.Errorf("the sort key is %+v", p)
	}
	if p := table.Indexes[0].Visible(); p[0].Column() != "" || !p[0].Computed() {
		t.Errorf("the concatenation is %+v", p)
	}
}

// TestStatesSideBySide says what must hold for two neighbouring stages: whoever reads an index finds entries of all
// writers, and whoever adds entries meets only writers that delete them.
func TestStatesSideBySide(t *testing.T) {
	for _, pair := range [][2]State{{DeleteOnly, WriteOnly}, {WriteOnly, Backfill}, {Backfill, Active},
		{Active, Retiring}} {
		for i, s := range pair {
			other := pair[1-i]
			if s.Readable() && !other.TakesWrites() {
				t.Errorf("%s is read while writers in %s leave entries out", s, other)
			}
			if s.TakesWrites() && !other.TakesDeletes() {
				t.Errorf("%s adds entries while writers in %s leave old ones behind", s, other)
			}
		}
	}
}

func TestUnknownWords(t *testing.T) {
	var s State
	if err := s.UnmarshalText([]byte("frozen")); err == nil {
		t.Errorf("frozen is state %s", s)
	}
	var typ Type
	if err := typ.UnmarshalText([]byte("point")); err == nil {
		t.Errorf("point is type %s", typ)
	}
	if got := Type(99).String(); got != "99" {
		t.Errorf("type 99 is called %s", got)
	}
}
