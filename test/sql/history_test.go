// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// The bank: its accounts, what they hold at first, and how many clients do how many things each.
const (
	accounts, held   = 8, 100
	clients, actions = 6, 60
)

// conflicted reports whether a transaction lost against another one: it was rolled back, and is tried again.
func conflicted(err error) bool {
	known := (*mysql.MySQLError)(nil)
	return errors.As(err, &known) && known.Number == 1213
}

// TestTransfers lets clients move money between accounts while others look: nothing is lost or made, and every look
// sees a whole. Where conflicts wait, what is read in order to be written is read FOR UPDATE; where they abort, the
// commit finds that it has changed.
func TestTransfers(t *testing.T) {
	t.Run("wait", func(t *testing.T) { transfers(t, "interpolateParams=false", " FOR UPDATE") })
	t.Run("abort", func(t *testing.T) { transfers(t, "interpolateParams=false&weft_conflicts=%27abort%27", "") })
}

func transfers(t *testing.T, parameters, lock string) {
	seed := rounds.Seed(t)
	db := open(t, server, "default", parameters)
	must(t, db, "DROP TABLE IF EXISTS bank")
	must(t, db, "CREATE TABLE bank (id BIGINT PRIMARY KEY, n BIGINT, moves BIGINT)")
	for id := range accounts {
		must(t, db, "INSERT INTO bank VALUES (?, ?, 0)", id, held)
	}
	var moved, lost atomic.Int64
	var group sync.WaitGroup
	for client := range clients {
		group.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(client)))
			for range actions {
				var err error
				switch {
				case client%3 == 0:
					err = look(t.Context(), db, random)
				default:
					for err = transfer(t.Context(), db, random, lock); conflicted(err); err = transfer(t.Context(), db,
						random, lock) {
						lost.Add(1)
					}
					moved.Add(1)
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	var sum, moves int64
	if err := db.QueryRowContext(t.Context(), "SELECT sum(n), sum(moves) FROM bank").Scan(&sum, &moves); err != nil {
		t.Fatal(err)
	}
	if sum != accounts*held || moves != 2*moved.Load() {
		t.Errorf("%d in %d moves, not %d in %d", sum, moves, accounts*held, 2*moved.Load())
	}
	t.Logf("%d transfers, %d tried again", moved.Load(), lost.Load())
}

// transfer moves an amount in a transaction that reads before it writes. lock stands behind the reads.
func transfer(ctx context.Context, db *sql.DB, random *rand.Rand, lock string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // it is over if it was committed
	from, to := random.IntN(accounts), random.IntN(accounts-1)
	if to >= from {
		to++
	}
	var there, here int64
	if err := tx.QueryRowContext(ctx, "SELECT n FROM bank WHERE id = ?"+lock, from).Scan(&there); err != nil {
		return err
	}
	if err := tx.QueryRowContext(ctx, "SELECT n FROM bank WHERE id = ?"+lock, to).Scan(&here); err != nil {
		return err
	}
	amount := random.Int64N(20)
	for _, set := range []struct {
		id int
		n  int64
	}{{from, there - amount}, {to, here + amount}} {
		if _, err := tx.ExecContext(ctx, "UPDATE bank SET n = ?, moves = moves + 1 WHERE id = ?", set.n,
			set.id); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// look sums the accounts: by one statement, or one by one in a transaction.
func look(ctx context.Context, db *sql.DB, random *rand.Rand) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	var sum int64
	if random.IntN(2) == 0 {
		if err := tx.QueryRowContext(ctx, "SELECT sum(n) FROM bank").Scan(&sum); err != nil {
			return err
		}
	} else {
		for _, id := range random.Perm(accounts) {
			var n int64
			if err := tx.QueryRowContext(ctx, "SELECT n FROM bank WHERE id = ?", id).Scan(&n); err != nil {
				return err
			}
			sum += n
		}
	}
	if sum != accounts*held {
		return fmt.Errorf("a look saw %d, not %d", sum, accounts*held)
	}
	return tx.Commit()
}

// TestIncrements counts by single statements and by requests of DynamoDB's API, which wait for each other instead of
// failing.
func TestIncrements(t *testing.T) {
	db := open(t, server, "default", "")
	must(t, db, "CREATE TABLE counter (id BIGINT PRIMARY KEY, n BIGINT)")
	must(t, db, "INSERT INTO counter VALUES (1, 0), (2, 0)")
	item := func(id int) string {
		return fmt.Sprintf(`"TableName":"counter","Key":{"id":{"N":"%d"}},"UpdateExpression":"ADD n :one","ExpressionAttributeValues":{":one":{"N":"1"}}`, id)
	}
	var group sync.WaitGroup
	for client := range clients {
		group.Go(func() {
			for range actions {
				text, operation, body := "UPDATE counter SET n = n + 1 WHERE id = 1", "UpdateItem", "{"+item(2)+"}"
				if client%2 == 1 {
					text = "INSERT INTO counter (id, n) VALUES (2, 1), (1, 1) ON DUPLICATE KEY UPDATE n = n + VALUES(n)"
					operation, body = "TransactWriteItems", `{"TransactItems":[{"Update":{`+item(1)+`}},{"Update":{`+
						item(2)+`}}]}`
				}
				if _, err := db.ExecContext(t.Context(), text); err != nil {
					t.Error(err)
					return
				}
				if answer := ask(t, server, operation, body); strings.HasPrefix(answer, "ERROR") {
					t.Error(answer)
					return
				}
			}
		})
	}
	group.Wait()
	var one, two int
	if err := db.QueryRowContext(t.Context(), "SELECT min(n), max(n) FROM counter").Scan(&one, &two); err != nil {
		t.Fatal(err)
	}
	if want := 3 * clients / 2 * actions; one != want || two != want {
		t.Errorf("%d and %d, not %d", one, two, want)
	}
}

// TestOnCall has a rule over two rows: one doctor at least is on call. Each leaves if the other stays; FOR UPDATE
// guards what was read.
func TestOnCall(t *testing.T) {
	db := open(t, server, "default", "")
	must(t, db, "CREATE TABLE doctors (id BIGINT PRIMARY KEY, on_call BIGINT)")
	for range 20 {
		must(t, db, "UPSERT INTO doctors VALUES (1, 1), (2, 1)")
		var group sync.WaitGroup
		for id := 1; id <= 2; id++ {
			group.Go(func() {
				if err := leave(t.Context(), db, id); err != nil && !conflicted(err) {
					t.Error(err)
				}
			})
		}
		group.Wait()
		var left int
		if err := db.QueryRowContext(t.Context(), "SELECT sum(on_call) FROM doctors").Scan(&left); err != nil {
			t.Fatal(err)
		}
		if left < 1 {
			t.Fatal("both left")
		}
	}
}

func leave(ctx context.Context, db *sql.DB, id int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // it is over if it was committed
	var there int
	if err := tx.QueryRowContext(ctx, "SELECT sum(on_call) FROM doctors FOR UPDATE").Scan(&there); err != nil ||
		there < 2 {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE doctors SET on_call = 0 WHERE id = ?", id); err != nil {
		return err
	}
	return tx.Commit()
}

// must runs a statement that can't fail.
func must(t testing.TB, db *sql.DB, text string, values ...any) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), text, values...); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}
