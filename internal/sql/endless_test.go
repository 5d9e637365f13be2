// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// dropped is a Sink that forgets everything.
type dropped struct{}

func (dropped) Columns([]result.Column) error { return nil }
func (dropped) Row([]datum.Datum) error       { return nil }
func (dropped) Done(result.Done) error        { return nil }

// endless is a statement that reads no table and would take hours.
const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) " +
	"SELECT COUNT(*) FROM n a, n b, n c WHERE a.i + b.i + c.i < 0"

// TestEndless checks that a statement's time and a kill end what it does without reading a table.
func TestEndless(t *testing.T) {
	engine := New(Options{DB: testdb.Open(t)})
	session, err := engine.Open(t.Context(),
		result.Login{User: "ann", Host: "localhost", Database: database.DefaultDatabase})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	wants := func(ctx context.Context, code fault.Code, text string) {
		t.Helper()
		err := session.Query(ctx, []byte(text), dropped{})
		if f, ok := fault.Of(err); !ok || f.Code != code {
			t.Errorf("%v, wanted code %d", err, code)
		}
	}
	wants(t.Context(), fault.StatementTimeout,
		strings.Replace(endless, "SELECT COUNT", "SELECT /*+ _l_operation_timeout_(50) */ COUNT", 1))
	if err := session.Query(t.Context(), []byte("SET max_execution_time = 50"), dropped{}); err != nil {
		t.Fatal(err)
	}
	wants(t.Context(), fault.StatementTimeout, endless)
	if err := session.Query(t.Context(), []byte("SET max_execution_time = 0"), dropped{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { cancel(errKilled) })
	wants(ctx, fault.Interrupted, endless)
}
