// SPDX-License-Identifier: Apache-2.0

package weft_test

import (
	"context"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft"
)

func open(t *testing.T) *weft.DB {
	t.Helper()
	db, err := weft.OpenMemory(t.Context(), weft.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// each calls visit for the items of a query.
func each(table *weft.Table, q weft.Query, visit func(weft.Item)) error {
	for item, err := range table.Query(context.Background(), q) {
		if err != nil {
			return err
		}
		visit(item)
	}
	return nil
}

func makeTable(t *testing.T, db *weft.DB, spec weft.TableSpec) *weft.Table {
	t.Helper()
	table, err := db.CreateTable(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// TestUsers: a program that asks for a user gets what the user's policies allow.
func TestUsers(t *testing.T) {
	db, ctx := open(t), t.Context()
	books := makeTable(t, db, weft.TableSpec{Name: "books", Key: weft.Key(weft.String("isbn"))})
	for _, name := range []string{"root", "ann"} {
		if err := db.AddUser(ctx, name, "a long password"); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.AddUser(ctx, "ann", "x"); weft.KindOf(err) != weft.KindExists {
		t.Errorf("a second ann: %v", err)
	}
	if err := db.PutPolicy(ctx, "ann", "bad", "{"); weft.KindOf(err) != weft.KindInvalid {
		t.Errorf("a policy that is no JSON: %v", err)
	}
	if err := db.PutPolicy(ctx, "bob", "AmazonDynamoDBReadOnlyAccess", ""); weft.KindOf(err) != weft.KindNotFound {
		t.Errorf("a policy of nobody: %v", err)
	}
	if err := db.PutPolicy(ctx, "ann", "AmazonDynamoDBReadOnlyAccess", ""); err != nil {
		t.Fatal(err)
	}
	ann := db.As(ctx, weft.Principal{User: "ann"})
	if _, _, err := books.Get(ann, weft.Document{"isbn": "1"}); err != nil {
		t.Errorf("ann may read: %v", err)
	}
	var denied *weft.Denied
	if err := books.Put(ann, weft.Document{"isbn": "1"}); weft.KindOf(err) != weft.KindDenied ||
		!errors.As(err, &denied) || denied.Action != "dynamodb:PutItem" {
		t.Errorf("ann may not write: %v", err)
	}
	if err := db.DropPolicy(ctx, "ann", "nothing"); weft.KindOf(err) != weft.KindInvalid {
		t.Errorf("a policy that ann does not have: %v", err)
	}
	if err := errors.Join(db.DropPolicy(ctx, "ann", "AmazonDynamoDBReadOnlyAccess"),
		db.DropUser(ctx, "ann")); err != nil {
		t.Error(err)
	}
}

// TestSpecs: what Indexes tells of an index makes the same index again.
func TestSpecs(t *testing.T) {
	db, ctx := open(t), t.Context()
	specs := []weft.IndexSpec{
		{Name: "all", Key: weft.Key(weft.Number("b"), weft.String("c").Desc()), PartitionParts: 1},
		{Name: "keys", Key: weft.Key(weft.Number("b")), PartitionParts: 1, KeysOnly: true, Unique: true},
		{Name: "local", Key: weft.Key(weft.String("a"), weft.String("c")), PartitionParts: 1, Local: true},
		{Name: "some", Key: weft.Key(weft.String("c")), PartitionParts: 1, KeepNulls: true, Include: []string{"d"}},
	}
	first := makeTable(t, db, weft.TableSpec{Name: "first", Key: weft.Key(weft.String("a"), weft.Int("k")),
		Indexes: specs, Columns: []weft.Column{{"d", weft.TypeBool}}})
	tell := func(table *weft.Table) (specs []weft.IndexSpec, text string) {
		indexes, err := table.Indexes()
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		for _, x := range indexes {
			specs = append(specs, x.IndexSpec)
			for _, part := range x.Key {
				out.WriteString(x.Name + " " + part.String() + "\n")
			}
			if !x.Active {
				t.Errorf("index %s is not active", x.Name)
			}
		}
		return specs, out.String()
	}
	told, text := tell(first)
	again, textAgain := tell(makeTable(t, db,
		weft.TableSpec{Name: "again", Key: weft.Key(weft.String("a"), weft.Int("k")), Indexes: told}))
	if len(again) != len(specs) || text != textAgain {
		t.Errorf("%s\nbecame\n%s", text, textAgain)
	}
	for i := range again {
		a, b := again[i], specs[i]
		if a.Name != b.Name || a.PartitionParts != b.PartitionParts || a.Local != b.Local ||
			a.KeepNulls != b.KeepNulls || a.Unique != b.Unique || a.KeysOnly != b.KeysOnly ||
			len(a.Include) != len(b.Include) {
			t.Errorf("index %d is %+v, not %+v", i, a, b)
		}
	}
	if err := first.Put(ctx, weft.Document{"a": "x", "k": 1, "d": "no truth"}); weft.KindOf(err) != weft.KindInvalid {
		t.Errorf("a declared column takes a value of another type: %v", err)
	}
	if err := first.Put(ctx, weft.Document{"a": "x", "k": 1, "b": 7}); err != nil {
		t.Error(err)
	}
	var duplicate *weft.DuplicateError
	if err := first.Put(ctx, weft.Document{"a": "x", "k": 2, "b": 7}); !errors.As(err, &duplicate) ||
		weft.KindOf(err) != weft.KindConditionFailed {
		t.Errorf("a second item in a unique index: %v", err)
	}
}

// TestTransaction: savepoints, commit and conflict through the public types.
func TestTransaction(t *testing.T) {
	db, ctx := open(t), t.Context()
	table := makeTable(t, db, weft.TableSpec{Name: "t", Key: weft.Key(weft.Int("id"))})
	tx, err := db.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, _, err := tx.Table("t").Get(ctx, weft.Document{"id": 9}); err != nil {
		t.Fatal(err)
	}
	put := func(id int) { check(tx.Table("t").Put(ctx, weft.Document{"id": id})) }
	put(1)
	point := tx.Savepoint()
	put(2)
	check(tx.RollbackTo(point))
	put(3)
	check(tx.Table("t").Delete(ctx, weft.Document{"id": 4}, weft.Attribute("id").Missing()))
	c, err := tx.Table("t").Cursor(ctx, weft.Query{Reverse: true})
	check(err)
	var ids []any
	for c.Next() {
		id, ok := c.Item().Value("id")
		if _, missing := c.Item().Value("none"); !ok || missing {
			t.Error("Value finds what is not there, or not what is")
		}
		ids = append(ids, id)
	}
	if counts := c.Counts(); len(ids) != 2 || counts.Returned != 2 {
		t.Errorf("%v, %+v", ids, counts)
	}
	check(c.Close())
	check(table.Put(ctx, weft.Document{"id": 9})) // guarded by tx
	if err := tx.Commit(ctx); weft.KindOf(err) != weft.KindConflict {
		t.Errorf("the commit of a transaction whose item was changed: %v", err)
	}
}

// TestExplain: the text names the index that AnyIndex takes.
func TestExplain(t *testing.T) {
	db, ctx := open(t), t.Context()
	table := makeTable(t, db, weft.TableSpec{Name: "t", Key: weft.Key(weft.Int("id")),
		Indexes: []weft.IndexSpec{{Name: "by_color", Key: weft.Key(weft.String("color"))}}})
	for id := range 100 {
		check(table.Put(ctx, weft.Document{"id": id, "color": []string{"red", "blue"}[id%2]}))
	}
	text, err := table.Explain(ctx, weft.Query{AnyIndex: true, Where: weft.Attribute("color").Equal("red"),
		Wanted: []string{"id"}, Order: []weft.Ordering{{Attribute: "id"}}})
	if err != nil || !strings.Contains(text, "by_color") {
		t.Errorf("%v\n%s", err, text)
	}
	if _, err := table.Explain(ctx, weft.Query{Index: "none"}); weft.KindOf(err) != weft.KindNotFound {
		t.Errorf("an index that is not there: %v", err)
	}
}

// TestBuildProgress: a unique index that can't be built says which item stands in the way, and is built once that is
// gone.
func TestBuildProgress(t *testing.T) {
	db, ctx := open(t), t.Context()
	table := makeTable(t, db, weft.TableSpec{Name: "t", Key: weft.Key(weft.Int("id"))})
	for id := range 2 {
		check(table.Put(ctx, weft.Document{"id": id, "mail": "ann@example.com"}))
	}
	check(table.AddIndex(ctx, weft.IndexSpec{Name: "mail", Key: weft.Key(weft.String("mail")), Unique: true}))
	for {
		progress, building, err := table.BuildProgress(ctx, "mail")
		if err != nil || !building {
			t.Fatalf("building %v, %v", building, err)
		}
		if d := progress.Duplicate; d != nil {
			if d.Index != "mail" || progress.Fault == "" {
				t.Errorf("%+v", progress)
			}
			break
		}
		time.Sleep(time.Millisecond)
	}
	check(table.Delete(ctx, weft.Document{"id": 1}))
	check(db.WaitJobs(ctx))
	if _, building, err := table.BuildProgress(ctx, "mail"); building || err != nil {
		t.Errorf("building %v, %v", building, err)
	}
}

// TestFaultsOfValues: a condition or an update with a value that can't be stored makes the call that uses it fail, and
// says which.
func TestFaultsOfValues(t *testing.T) {
	db, ctx := open(t), t.Context()
	table := makeTable(t, db, weft.TableSpec{Name: "t", Key: weft.Key(weft.String("k"))})
	if err := table.Put(ctx, weft.Document{"k": "a", "n": 1}); err != nil {
		t.Fatal(err)
	}
	key, bad := weft.Document{"k": "a"}, weft.Attribute("n").Equal(make(chan int))
	conditions := map[string]weft.Condition{"plain": bad, "all": weft.All(weft.Attribute("k").Exists(), bad),
		"any": weft.Any(bad), "not": weft.Not(bad),
		"in": weft.Attribute("n").In(1, func() {}), "between": weft.Attribute("n").Between(1, complex(1, 2))}
	for name, c := range conditions {
		_, update := table.Update(ctx, key, weft.Attribute("n").Set(2), c)
		_, query := table.Cursor(ctx, weft.Query{Where: c})
		_, filter := table.Cursor(ctx, weft.Query{Filter: c})
		for call, err := range map[string]error{"put": table.Put(ctx, key, c), "delete": table.Delete(ctx, key, c),
			"update": update, "query": query, "filter": filter,
			"transaction": db.Update(ctx,
				func(ctx context.Context, tx *weft.Tx) error { return tx.Table("t").Put(ctx, key, c) })} {
			if weft.KindOf(err) != weft.KindInvalid || !strings.Contains(err.Error(), "attribute n") {
				t.Errorf("%s, %s: %v", name, call, err)
			}
		}
	}
	for name, u := range map[string]weft.Update{"set": weft.Attribute("n").Set(func() {}),
		"add":     weft.Attribute("n").Add(make(chan int)),
		"several": weft.Updates(weft.Attribute("m").Set(1), weft.Attribute("n").Set(func() {}))} {
		_, err := table.Update(ctx, key, u)
		if weft.KindOf(err) != weft.KindInvalid || !strings.Contains(err.Error(), "attribute n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if item, ok, err := table.Get(ctx, key); err != nil || !ok || item.Text("k") != "a" {
		t.Errorf("%v, %v, %v", item, ok, err)
	}
}

// TestZeroValues: a zero Condition is true of all items, negated of none; a zero Update changes nothing.
func TestZeroValues(t *testing.T) {
	db, ctx := open(t), t.Context()
	table := makeTable(t, db, weft.TableSpec{Name: "t", Key: weft.Key(weft.String("k"))})
	for _, update := range []weft.Update{{}, weft.Updates(), weft.Updates(weft.Update{}, weft.Update{})} {
		if item, err := table.Update(ctx, weft.Document{"k": "a"}, update); err != nil || item.Text("k") != "a" {
			t.Errorf("%v, %v", item, err)
		}
	}
	if err := db.Update(ctx, func(ctx context.Context, tx *weft.Tx) error {
		_, err := tx.Table("t").Update(ctx, weft.Document{"k": "b"}, weft.Update{})
		return err
	}); err != nil {
		t.Error(err)
	}
	for want, where := range []weft.Condition{weft.Not(weft.Condition{}), weft.Attribute("k").Equal("b"), {},
		weft.All(), weft.Any(weft.Condition{})} {
		n := 0
		if err := each(table, weft.Query{Where: where}, func(weft.Item) { n++ }); err != nil || n != min(want, 2) {
			t.Errorf("%d: %d items, %v", want, n, err)
		}
	}
}

// TestZeroTables: each method of a table that belongs to no database, typed or not, fails with KindInvalid.
func TestZeroTables(t *testing.T) {
	type row struct{ K string }
	var none *weft.Table
	for _, table := range []any{none, new(weft.Table), none.At(weft.Stamp{}), weft.Typed[row]{}} {
		zero := reflect.ValueOf(table)
		for i := range zero.NumMethod() {
			name, method := zero.Type().Method(i).Name, zero.Method(i)
			if name == "Name" || name == "At" || name == "In" {
				continue
			}
			if err := errorOf(t.Context(), method); weft.KindOf(err) != weft.KindInvalid {
				t.Errorf("%s of %s: %v", name, zero.Type(), err)
			}
		}
	}
	err := (weft.Typed[row]{}).In(nil).Put(t.Context(), row{})
	if weft.KindOf(err) != weft.KindInvalid || none.Name() != "" {
		t.Error(err)
	}
}

// errorOf calls a method with zero arguments behind a context, and returns the error that is the last of its results or
// of the first step of its iterator.
func errorOf(ctx context.Context, method reflect.Value) error {
	var arguments []reflect.Value
	for i := range method.Type().NumIn() {
		if in := method.Type().In(i); i == 0 && in.Kind() == reflect.Interface {
			arguments = append(arguments, reflect.ValueOf(&ctx).Elem())
		} else if !method.Type().IsVariadic() || i < method.Type().NumIn()-1 {
			arguments = append(arguments, reflect.Zero(in))
		}
	}
	results := method.Call(arguments)
	last := results[len(results)-1]
	if last.Kind() == reflect.Func {
		for _, last = range last.Seq2() {
			break
		}
	}
	err, _ := last.Interface().(error)
	return err
}

// TestLimitAndOrder: a limit ends the page, whose key leads on; an order is that of an index, or refused.
func TestLimitAndOrder(t *testing.T) {
	db, ctx := open(t), t.Context()
	table := makeTable(t, db, weft.TableSpec{Name: "t", Key: weft.Key(weft.String("p"), weft.Number("at")),
		Indexes: []weft.IndexSpec{{Name: "by_n", Key: weft.Key(weft.String("p"), weft.Number("n"))}}})
	for i := range 7 {
		if err := table.Put(ctx, weft.Document{"p": "x", "at": i, "n": i * 3 % 7}); err != nil {
			t.Fatal(err)
		}
	}
	walk := func(q weft.Query) (list []string, more bool, last weft.PageKey) {
		t.Helper()
		c, err := table.Cursor(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for c.Next() {
			n, _ := c.Item().Int("n")
			list = append(list, strconv.FormatInt(n, 10))
		}
		if last, err = c.LastKey(); err != nil {
			t.Fatal(err)
		}
		return list, c.More(), last
	}
	of := weft.Attribute("p").Equal("x")
	for _, one := range []struct {
		q    weft.Query
		want string
	}{
		{weft.Query{AnyIndex: true, Where: of, Order: []weft.Ordering{{Attribute: "n"}}}, "0123456"},
		{weft.Query{AnyIndex: true, Where: of, Order: []weft.Ordering{{Attribute: "n", Descending: true}}, Limit: 3},
			"654"},
		{weft.Query{Index: "by_n", Where: of, Order: []weft.Ordering{{Attribute: "n", Descending: true}}}, "6543210"},
		{weft.Query{Where: of, Order: []weft.Ordering{{Attribute: "at", Descending: true}}, Limit: 2}, "41"},
		{weft.Query{Where: of, Limit: 100}, "0362514"},
	} {
		if got, _, _ := walk(one.q); strings.Join(got, "") != one.want {
			t.Errorf("%+v: %v, want %s", one.q, got, one.want)
		}
	}
	for _, q := range []weft.Query{{AnyIndex: true, Where: of, Order: []weft.Ordering{{Attribute: "m"}}},
		{Where: of, Order: []weft.Ordering{{Attribute: "n"}}}} {
		if _, err := table.Cursor(ctx, q); weft.KindOf(err) != weft.KindInvalid ||
			!strings.Contains(err.Error(), "add one whose key") {
			t.Errorf("%+v: %v", q, err)
		}
	}
	var pages []string
	for q, more := (weft.Query{Where: of, Limit: 3}), true; more; {
		var page []string
		page, more, q.After = walk(q)
		pages = append(pages, strings.Join(page, ""))
	}
	if got := strings.Join(pages, " "); got != "036 251 4" {
		t.Errorf("pages: %s", got)
	}
}

// TestClosed: a closed database refuses.
func TestClosed(t *testing.T) {
	db, ctx := open(t), t.Context()
	table := makeTable(t, db, weft.TableSpec{Name: "t", Key: weft.Key(weft.String("k"))})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	_, _, get := table.Get(ctx, weft.Document{"k": "a"})
	_, query := table.Cursor(ctx, weft.Query{})
	_, begin := db.Begin(ctx)
	for call, err := range map[string]error{"put": table.Put(ctx, weft.Document{"k": "a"}), "get": get, "query": query,
		"begin":  begin,
		"update": db.Update(ctx, func(context.Context, *weft.Tx) error { return nil })} {
		if weft.KindOf(err) != weft.KindClosed {
			t.Errorf("%s: %v", call, err)
		}
	}
}

// TestTimes: a time comes back in UTC, in whole milliseconds, and compares as one.
func TestTimes(t *testing.T) {
	db, ctx := open(t), t.Context()
	table := makeTable(t, db, weft.TableSpec{Name: "t", Key: weft.Key(weft.String("k"), weft.Timestamp("at")),
		PartitionParts: 1})
	at := time.Date(2026, 2, 3, 4, 5, 6, 789_000_000, time.FixedZone("east", 3600))
	if err := table.Put(ctx, weft.Document{"k": "a", "at": at, "took": 1500 * time.Millisecond,
		"seen": at}); err != nil {
		t.Fatal(err)
	}
	item, ok, err := table.Get(ctx, weft.Document{"k": "a", "at": at})
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if seen, _ := item.Value("seen"); seen != at.UTC() {
		t.Errorf("%v", seen)
	}
	if took, _ := item.Int("took"); time.Duration(took) != 1500*time.Millisecond {
		t.Errorf("%v", took)
	}
	n := 0
	where := weft.All(weft.Attribute("k").Equal("a"), weft.Attribute("at").Between(at.Add(-time.Hour), at),
		weft.Attribute("seen").Greater(at.Add(-time.Minute)))
	if err := each(table, weft.Query{Where: where}, func(weft.Item) { n++ }); err != nil || n != 1 {
		t.Errorf("%d items, %v", n, err)
	}
}
