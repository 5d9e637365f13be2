// SPDX-License-Identifier: Apache-2.0

package variable

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/order"
)

// TestValues runs a script of sets and gets over one catalog and one session. Commands: set NAME VALUE, global NAME
// VALUE, get NAME, settings.
func TestValues(t *testing.T) {
	catalog := NewCatalog()
	values := catalog.Global()
	datadriven.RunTest(t, "testdata/values", func(t *testing.T, d *datadriven.TestData) string {
		var out strings.Builder
		for _, line := range strings.Split(d.Input, "\n") {
			name, text, _ := strings.Cut(line, " ")
			switch d.Cmd {
			case "set":
				changed, err := catalog.Set(values, name, literal(text))
				if err != nil {
					fmt.Fprintln(&out, err)
					continue
				}
				values = changed
			case "global":
				if err := catalog.SetGlobal(name, literal(text)); err != nil {
					fmt.Fprintln(&out, err)
				}
			case "fresh":
				values = catalog.Global()
			case "settings":
				fmt.Fprintf(&out, "%+v\n", values.Settings)
				continue
			}
			if name == "" {
				continue
			}
			got, err := catalog.Get(values, name)
			if err != nil {
				fmt.Fprintln(&out, err)
				continue
			}
			fmt.Fprintf(&out, "%s = %s (kind %d)\n", name, valueText(got), got.Kind())
		}
		return out.String()
	})
}

// literal reads a number, DEFAULT or a text.
func literal(text string) *datum.Datum {
	var d datum.Datum
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		d = datum.Int(n)
	} else if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		d = datum.Uint(n)
	} else if x, err := order.ParseDecimal([]byte(text)); err == nil {
		d = datum.Decimal(x)
	} else if text == "DEFAULT" {
		return nil
	} else {
		d = datum.Text([]byte(text))
	}
	return &d
}

// TestPresets checks that every default is a value that the variable takes, and that no name comes twice.
func TestPresets(t *testing.T) {
	catalog := NewCatalog()
	for i := range catalog.all {
		d := &catalog.all[i]
		if i > 0 && catalog.all[i-1].name == d.name {
			t.Errorf("%s comes twice", d.name)
		}
		if d.name != strings.ToLower(d.name) {
			t.Errorf("%s is not in lower case", d.name)
		}
		shown, err := catalog.judge(d, *literal(d.preset))
		if d.preset != "" && (err != nil || shown != d.preset) {
			t.Errorf("%s: the default %s becomes %s, %v", d.name, d.preset, shown, err)
		}
	}
}
