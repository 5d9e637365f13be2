// SPDX-License-Identifier: Apache-2.0

package itemkey

import (
	"testing"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// TestDeclaredColumns: what does not fit a column that another protocol declared is refused in DynamoDB's words.
func TestDeclaredColumns(t *testing.T) {
	table, err := testdb.Open(t).CreateTable(t.Context(),
		database.TableSpec{Name: "t", Key: database.Columns("id", schema.String), Columns: []schema.Column{
			{Name: "size", Type: schema.Int}, {Name: "name", Type: schema.String}}})
	if err != nil {
		t.Fatal(err)
	}
	pin, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	defer pin.Release()
	for _, one := range []struct {
		name  string
		value any
		want  string
	}{
		{"size", "x", "ValidationException: One or more parameter values were invalid: Type mismatch for attribute size expected: N actual: S"},
		{"size", 1.5, "ValidationException: One or more parameter values were invalid: The number in attribute size does not fit its column, which is of type int"},
		{"name", true, "ValidationException: One or more parameter values were invalid: Type mismatch for attribute name expected: S actual: BOOL"},
	} {
		err := Fault(pin, nil, testdoc.Put(t.Context(), table, testdoc.Document{"id": "a", one.name: one.value}))
		if err == nil || err.Error() != one.want {
			t.Errorf("%s of %v: %v", one.name, one.value, err)
		}
	}
}
