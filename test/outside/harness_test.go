// SPDX-License-Identifier: Apache-2.0

package outside

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/testdb"
)

var ctx = context.Background()

// harness is a database that serves two protocols.
type harness struct {
	db      *database.DB
	api     *dynamodb.API
	session *sql.Session
}

func newHarness(t *testing.T) *harness {
	db := testdb.Open(t)
	session, err := sql.New(sql.Options{DB: db}).Open(ctx,
		result.Login{User: "root", Database: database.DefaultDatabase})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(session.Close)
	return &harness{db: db, api: &dynamodb.API{DB: db}, session: session}
}

// query runs a statement.
func (h *harness) query(statement string) (answer, error) {
	var a answer
	err := h.session.Query(ctx, []byte(statement), &a)
	return a, err
}

// must is query for statements that can't fail.
func (h *harness) must(t *testing.T, statement string) {
	t.Helper()
	if _, err := h.query(statement); err != nil {
		t.Fatalf("%s\n%v", statement, err)
	}
}

// refused is the answer of a statement that no key serves.
const refused = "refused"

// answer is the rows of a statement, sorted: the columns of each joined by commas, the rows by spaces.
func (h *harness) answer(statement string) string {
	a, err := h.query(statement)
	if f, ok := fault.Of(err); ok && f.Code == fault.Refused {
		return refused
	}
	if err != nil {
		return "error: " + err.Error()
	}
	slices.Sort(a.rows)
	return strings.Join(a.rows, " ")
}

// answer is a result.Sink.
type answer struct {
	rows []string
	done result.Done
}

// Columns is result.Sink's.
func (a *answer) Columns([]result.Column) error { return nil }

// Row is result.Sink's.
func (a *answer) Row(row []datum.Datum) error {
	var texts []string
	for i := range row {
		texts = append(texts, string(row[i].AppendText(nil)))
	}
	a.rows = append(a.rows, strings.Join(texts, ","))
	return nil
}

// Done is result.Sink's.
func (a *answer) Done(done result.Done) error {
	a.done = done
	return nil
}
