// SPDX-License-Identifier: Apache-2.0

package control_test

import (
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// TestDeleteReferred deletes a table to which another one refers: not before that one is gone.
func TestDeleteReferred(t *testing.T) {
	db := testdb.Open(t)
	api := &dynamodb.API{DB: db}
	key := database.Columns("id", schema.String)
	rules := schema.Rules{Dialect: "SQL", Puts: true, Deletes: true,
		Referrers: []schema.Referrer{{Database: database.DefaultDatabase, Table: "child"},
			{Database: "gone", Table: "child"}}}
	for _, spec := range []database.TableSpec{{Name: "parent", Key: key, Rules: rules}, {Name: "child", Key: key}} {
		if _, err := db.CreateTable(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(table string) error {
		_, err := api.Do(t.Context(), "DeleteTable", []byte(`{"TableName":"`+table+`"}`), nil)
		return err
	}
	if err := remove("parent"); err == nil || !strings.HasPrefix(show(err), "400 ResourceInUseException: ") ||
		!strings.Contains(show(err), "default.child") {
		t.Errorf("the parent: %v", err)
	}
	for _, table := range []string{"child", "parent"} {
		if err := remove(table); err != nil {
			t.Errorf("%s: %v", table, err)
		}
	}
}
