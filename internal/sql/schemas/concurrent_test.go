// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/parse"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// TestConcurrentStatements lets several sessions make, change and drop the same few tables while rows are written: each
// statement is carried out or refused with an error that clients understand, none waits for ever, and what is left is
// whole.
func TestConcurrentStatements(t *testing.T) {
	seed := rounds.Seed(t)
	db := testdb.Open(t)
	s := &Statements{DB: db}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var sessions sync.WaitGroup
	for i := range 6 {
		sessions.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			for range 150 {
				if i < 2 {
					writeSome(ctx, t, db, random)
				} else {
					define(ctx, t, s, random)
				}
			}
		})
	}
	sessions.Wait()
	for _, name := range []string{"t0", "t1"} {
		define(ctx, t, s, nil, "CREATE TABLE IF NOT EXISTS "+name+
			" (k BIGINT PRIMARY KEY, v INT) WITH (DYNAMIC_COLUMNS='true')")
		table, err := db.Table(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.WaitJobs(ctx); err != nil {
			t.Fatal(err)
		}
		if report, err := table.Verify(ctx); err != nil || len(report.Faults) > 0 {
			t.Errorf("%s: %v %v", name, report.Faults, err)
		}
	}
}

// define runs one of the statements about tables.
func define(ctx context.Context, t *testing.T, s *Statements, random *rand.Rand, texts ...string) {
	if random != nil {
		name := fmt.Sprintf("t%d", random.IntN(2))
		texts = []string{[]string{
			"CREATE TABLE %s (k BIGINT PRIMARY KEY, v INT) WITH (DYNAMIC_COLUMNS='true')",
			"CREATE TABLE IF NOT EXISTS %s (k BIGINT PRIMARY KEY, v INT) WITH (DYNAMIC_COLUMNS='true')",
			"CREATE INDEX i ON %s (v)", "CREATE INDEX j ON %s (v DESC) INCLUDE (x) ASYNC",
			"CREATE INDEX IF NOT EXISTS i ON %s (v)", "DROP INDEX i ON %s", "DROP INDEX j ON %s",
			"ALTER TABLE %s ADD COLUMN x INT", "ALTER TABLE %s DROP COLUMN x", "ALTER TABLE %s COMPACT",
			"ALTER TABLE %s SET 'TTL'='60'", "TRUNCATE TABLE %s",
			"SHOW CREATE TABLE %s", "SHOW INDEX FROM %s", "SHOW REGIONS FROM %s", "DESCRIBE %s", "BUILD INDEX ON %s",
			"ALTER INDEX i ON %s REBUILD", "DROP TABLE IF EXISTS %s",
		}[random.IntN(19)]}
		texts[0] = fmt.Sprintf(texts[0], name)
	}
	statement, err := parse.Parse([]byte(texts[0]))
	if err == nil {
		_, err = s.Run(ctx, statement, Session{Database: database.DefaultDatabase}, &recorder{})
	}
	if _, known := fault.Of(err); err != nil && !known && database.KindOf(err) != database.KindNotFound &&
		database.KindOf(err) != database.KindConflict {
		t.Errorf("%s: %v", texts[0], err)
	}
}

// writeSome writes a row, or deletes it.
func writeSome(ctx context.Context, t *testing.T, db *database.DB, random *rand.Rand) {
	table, err := db.Table(fmt.Sprintf("t%d", random.IntN(2)))
	if err != nil {
		return
	}
	key := testdoc.Document{"k": random.IntN(50)}
	if random.IntN(3) == 0 {
		err = testdoc.Delete(ctx, table, key)
	} else {
		key["v"], key["x"] = random.IntN(10), random.IntN(10)
		err = testdoc.Put(ctx, table, key)
	}
	if kind := database.KindOf(err); err != nil && kind != database.KindNotFound && kind != database.KindConflict ||
		errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
