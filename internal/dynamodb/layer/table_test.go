// SPDX-License-Identifier: Apache-2.0

package layer

import (
	"slices"
	"testing"
)

// TestTable wants the rows to agree in themselves: what is needed is taken and is told when it is missing, and nothing is judged twice.
func TestTable(t *testing.T) {
	for i := range rows {
		row := &rows[i]
		var order Members
		for _, m := range row.Order {
			if order&m != 0 || row.Takes&m == 0 || m.Name() == "" {
				t.Errorf("%s: %q in its order", row.Operation, m.Name())
			}
			order |= m
		}
		if missed := row.Needs &^ order; missed != 0 {
			t.Errorf("%s: nobody tells that %q are missing", row.Operation, missed.List())
		}
		for n, step := range row.Steps {
			if slices.Contains(row.Steps[:n], step) {
				t.Errorf("%s: step %d comes twice", row.Operation, step)
			}
		}
		if RowOf(row.Operation) != row {
			t.Errorf("%s has two rows", row.Operation)
		}
		for _, m := range row.Takes.List() {
			if Of([]byte(m))&row.Takes == 0 {
				t.Errorf("%s: a request can't give %s", row.Operation, m)
			}
		}
		if judged := row.Takes & (TableName | IndexName | Select | Limit | ReturnConsumedCapacity | ReturnMetrics | ReturnValues | ReturnOnFailure | ConditionalOperator); judged&^order != 0 {
			t.Errorf("%s: nobody judges %q", row.Operation, (judged &^ order).List())
		}
	}
}

// TestEnum wants every value of an enumeration to be taken, and no other.
func TestEnum(t *testing.T) {
	for _, m := range []Members{ReturnConsumedCapacity, ReturnMetrics, ReturnValues, ReturnOnFailure, Select} {
		shown, ok := Enum(m, "HUH")
		if ok || len(shown) == 0 {
			t.Errorf("%s takes HUH: %q", m.Name(), shown)
		}
		for _, value := range shown {
			if _, ok := Enum(m, value); ok == (value == "UPDATE_NEW") {
				t.Errorf("%s: %s: %t", m.Name(), value, ok)
			}
		}
	}
	if _, ok := Enum(ReturnValues, "UPDATED_NEW"); !ok {
		t.Error("UPDATED_NEW is not taken")
	}
}
