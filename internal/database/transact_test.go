// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/kvwrap"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
)

// transactions is a database with a clock that the test moves and a store that fails when told to.
type transactions struct {
	db    *database.DB
	store *kvwrap.FaultyStore
	table database.Pinned
	mu    sync.Mutex
	now   time.Time
}

func openTransactions(t *testing.T) *transactions {
	t.Helper()
	store := mem.Open(mem.Options{})
	x := &transactions{store: kvwrap.Faulty(store, kvwrap.FaultyOptions{}), now: time.UnixMilli(1_800_000_000_000)}
	db, err := database.Open(t.Context(), x.store,
		database.Options{Admin: store, Logger: slog.New(slog.DiscardHandler), ExpiryInterval: -1, Now: x.clock})
	if err != nil {
		t.Fatal(err)
	}
	x.db = db
	mustTable(t, db, database.TableSpec{
		Name: "t", Key: database.Columns("pk", schema.String),
		Indexes: []database.IndexSpec{{Name: "by", Key: database.Columns("n", schema.Number)}},
	})
	if x.table, err = db.PinIn("", "t"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		x.table.Release()
		if err := errors.Join(db.Close(), x.store.Close()); err != nil {
			t.Error(err)
		}
	})
	return x
}

func (x *transactions) clock() time.Time {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.now
}

func (x *transactions) pass(d time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.now = x.now.Add(d)
}

// add is a write that adds 1 to each of some items.
func (x *transactions) add(t *testing.T, keys ...string) (writes []database.TableWrite) {
	t.Helper()
	for _, key := range keys {
		row, err := testdoc.Document{"pk": key}.AppendRow(nil, x.table.Names())
		if err != nil {
			t.Fatal(err)
		}
		writes = append(writes, database.TableWrite{Table: x.table,
			Write: database.Write{Op: database.OpUpdate, Row: row, Update: govalue.Attribute("n").Add(1)}})
	}
	return writes
}

// value is an item's number, 0 if it is not there.
func (x *transactions) value(t *testing.T, key string) (n int64) {
	t.Helper()
	table, err := x.db.Table("t")
	if err != nil {
		t.Fatal(err)
	}
	item, ok, err := testdoc.Get(t.Context(), table, testdoc.Document{"pk": key})
	if err != nil {
		t.Fatal(err)
	}
	if ok {
		n, _ = item.Int("n")
	}
	return n
}

// TestTransact: all writes or none, and every refusal in its place.
func TestTransact(t *testing.T) {
	x := openTransactions(t)
	if done, err := x.db.Transact(t.Context(), x.add(t, "a", "b"), nil); done || err != nil {
		t.Fatal(done, err)
	}
	writes := x.add(t, "a", "b", "c")
	writes[1].Condition = govalue.Attribute("n").Equal(7)
	writes[2].Update = govalue.Attribute("n").Set("text") // no key of the index
	_, err := x.db.Transact(t.Context(), writes, nil)
	refused, ok := errors.AsType[*database.TransactionError](err)
	if !ok {
		t.Fatal(err)
	}
	kinds := []string{}
	for _, refusal := range refused.Refusals {
		kind := "none"
		if refusal != nil {
			kind = database.KindOf(refusal).String()
		}
		kinds = append(kinds, kind)
	}
	if got := strings.Join(kinds, ", "); got != "none, condition failed, invalid" {
		t.Errorf("refused are: %s", got)
	}
	if a, b, c := x.value(t, "a"), x.value(t, "b"), x.value(t, "c"); a != 1 || b != 1 || c != 0 {
		t.Errorf("the items are %d, %d, %d after a transaction that was refused", a, b, c)
	}
	if _, err := x.db.Transact(t.Context(), x.add(t, "a", "a"), nil); database.KindOf(err) != database.KindInvalid {
		t.Errorf("two writes of one item: %v", err)
	}
}

// TestToken: a transaction with a token happens once, until the token is forgotten after TokenWindow; records of old
// tokens go away.
func TestToken(t *testing.T) {
	x := openTransactions(t)
	token := func(id string, digest byte) *database.Token { return &database.Token{ID: id, Digest: [16]byte{digest}} }
	want := func(n int64, wantDone bool, token *database.Token) {
		t.Helper()
		done, err := x.db.Transact(t.Context(), x.add(t, "a"), token)
		if err != nil || done != wantDone || x.value(t, "a") != n {
			t.Fatalf("done before: %t, value %d, %v; want %t, %d", done, x.value(t, "a"), err, wantDone, n)
		}
	}
	want(1, false, token("one", 1))
	want(1, true, token("one", 1))
	want(2, false, token("two", 1))
	if _, err := x.db.Transact(t.Context(), x.add(t, "a"), token("one", 2)); !errors.Is(err, database.ErrTokenReused) {
		t.Fatalf("another transaction with the same token: %v", err)
	}
	x.pass(database.TokenWindow - time.Second)
	want(2, true, token("one", 1))
	x.pass(2 * time.Second)
	want(3, false, token("one", 1))
	for range 3 { // each in another bucket: the first ones are swept
		x.pass(database.TokenWindow + time.Second)
		want(x.value(t, "a")+1, false, token("later", 1))
	}
	deadline := time.Now().Add(time.Minute) // the sweep is in the background
	for x.records(t) > 2 && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	if records := x.records(t); records > 2 {
		t.Errorf("%d records of tokens are left", records)
	}
}

// records counts the records of tokens.
func (x *transactions) records(t *testing.T) (n int) {
	reader, err := x.store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	start := keyspace.AppendAllTokens(nil)
	cursor := reader.Scan(t.Context(), kv.Range{Start: start, End: []byte{start[0] + 1}}, false)
	for cursor.Next() {
		n++
	}
	if err := cursor.Close(); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestTokenLost: a transaction whose commit got no answer has happened once when it is asked for again, whether it took
// effect or not.
func TestTokenLost(t *testing.T) {
	for _, took := range []bool{true, false} {
		t.Run(fmt.Sprintf("took effect %t", took), func(t *testing.T) {
			x := openTransactions(t)
			// Names get ids by commits of their own: that is done before.
			if _, err := x.db.Transact(t.Context(), x.add(t, "a"), nil); err != nil {
				t.Fatal(err)
			}
			x.store.Inject(kvwrap.Fault{Call: kvwrap.CallCommit, Nth: 1, Err: kv.ErrUnknownOutcome, After: took})
			token := &database.Token{ID: "one"}
			if _, err := x.db.Transact(t.Context(), x.add(t, "a"),
				token); database.KindOf(err) != database.KindUnknownOutcome {
				t.Fatal(err)
			}
			done, err := x.db.Transact(t.Context(), x.add(t, "a"), token)
			if err != nil || done != took || x.value(t, "a") != 2 {
				t.Fatalf("done before: %t, value %d, %v", done, x.value(t, "a"), err)
			}
		})
	}
}

// TestTransactConflict: a conflict with other processes that does not end is told, at the write whose key it is about.
func TestTransactConflict(t *testing.T) {
	x := openTransactions(t)
	writes := x.add(t, "a", "b")
	if _, err := x.db.Transact(t.Context(), writes, nil); err != nil {
		t.Fatal(err)
	}
	x.store.Inject(kvwrap.Fault{Call: kvwrap.CallCommit, Err: kv.ErrConflict})
	_, err := x.db.Transact(t.Context(), x.add(t, "a", "b"), nil)
	refused, ok := errors.AsType[*database.TransactionError](err)
	if !ok || database.KindOf(err) != database.KindConflict ||
		database.KindOf(refused.Refusals[0]) != database.KindConflict || refused.Refusals[1] != nil {
		t.Fatal(err)
	}
	x.store.Heal()
	if a := x.value(t, "a"); a != 1 {
		t.Errorf("the item is %d after a transaction that was refused", a)
	}
}

// TestTokenInUse: the same token at the same time is refused or finds the transaction done, but never does it twice.
func TestTokenInUse(t *testing.T) {
	x := openTransactions(t)
	var group sync.WaitGroup
	var mu sync.Mutex
	first := 0
	for range 32 {
		group.Go(func() {
			done, err := x.db.Transact(t.Context(), x.add(t, "a"), &database.Token{ID: "one"})
			if err != nil && !errors.Is(err, database.ErrTokenInUse) {
				t.Error(err)
			}
			if err == nil && !done {
				mu.Lock()
				first++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if n := x.value(t, "a"); n != 1 || first != 1 {
		t.Errorf("the transaction happened %d times and said so %d times", n, first)
	}
}
