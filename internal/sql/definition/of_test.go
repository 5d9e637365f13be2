// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/sql/datum"
)

// TestOf runs testdata/of: descriptors as JSON, and the tables that SQL sees.
func TestOf(t *testing.T) {
	datadriven.RunTest(t, "testdata/of", func(t *testing.T, d *datadriven.TestData) string {
		var descriptor schema.Table
		if err := json.Unmarshal([]byte(d.Input), &descriptor); err != nil {
			t.Fatal(err)
		}
		if err := descriptor.Validate(); err != nil {
			t.Fatal(err)
		}
		table, err := Of(&descriptor)
		if err != nil {
			return "error: " + err.Error()
		}
		text := dump(table)
		if d.HasArg("names") {
			var names string
			d.ScanArgs(t, "names", &names)
			text += "dynamic names: " + strings.Join(DynamicNames(table, strings.Split(names, ";")), " ") + "\n"
		}
		return text
	})
}

func dump(t *Table) string {
	var text strings.Builder
	fmt.Fprintf(&text, "table %s.%s dynamic=%t options=%v wildcards=%v deleting=%v\n", t.Database, t.Name, t.Dynamic,
		t.Options, t.Wildcards, t.Deleting)
	for i := range t.Columns {
		c := &t.Columns[i]
		fmt.Fprintf(&text, "  %s %s notnull=%t key=%d", c.Name, TypeName(c.Type), c.NotNull, c.KeyPart)
		if c.Default != nil {
			fmt.Fprintf(&text, " default=%v", *storeDatum(*c.Default))
		}
		if c.DefaultNow {
			text.WriteString(" default=now")
		}
		if c.Comment != "" {
			fmt.Fprintf(&text, " comment=%q", c.Comment)
		}
		text.WriteByte('\n')
	}
	fmt.Fprintf(&text, "  key %v\n", t.Key)
	for i := range t.Indexes {
		x := &t.Indexes[i]
		fmt.Fprintf(&text, "  index %s %v include=%v covers=%q options=%v state=%s nulls=%t\n", x.Name, x.Key,
			x.Include, x.Covers, x.Options, x.Schema.State, x.Schema.KeepNulls)
	}
	return text.String()
}

func TestEveryTypeHasAName(t *testing.T) {
	for base := datum.Untyped; base <= datum.JSONBase; base++ {
		for _, lengths := range []datum.Type{{}, {Length: 7}, {Precision: 20, Scale: 3}} {
			want := lengths
			if want.Base = base; want.IsTemporal() {
				want = datum.Type{Base: base, Scale: want.Scale}
				if base == datum.Date {
					want.Scale = 0
				}
			} else if (want.Precision > 0) != (base == datum.DecimalBase) || base == datum.Untyped && want.Length > 0 {
				continue
			}
			got, ok := parseType(TypeName(want))
			if !ok || got != want {
				t.Errorf("%+v is written %q, which reads as %+v", want, TypeName(want), got)
			}
		}
	}
	if got, ok := parseType("POINT"); ok {
		t.Errorf("POINT is %+v", got)
	}
}

// TestOldTimes reads a column of a table that was made when times were stored in milliseconds, whatever digits they
// were declared with.
func TestOldTimes(t *testing.T) {
	typed := datum.Type{Base: datum.Timestamp, Variety: datum.DateTime, Scale: 6}
	for _, micro := range []bool{false, true} {
		c, err := (&storedColumn{Name: "t", Type: storedType(typed), Microseconds: micro}).column()
		if err != nil || (c.Type.TimeUnit() == 1) != micro {
			t.Errorf("microseconds %t: %+v, %v", micro, c.Type, err)
		}
	}
	c := Column{Name: "t", Type: typed}
	if kept := storeColumn(&c); !kept.Microseconds {
		t.Errorf("%+v", kept)
	}
}
