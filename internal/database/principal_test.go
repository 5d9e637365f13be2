// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/history/backup"
	"github.com/weftdb/weft/internal/history/capture"
	"github.com/weftdb/weft/internal/history/journal"
	"github.com/weftdb/weft/internal/history/recovery"
	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv/mem"
	"github.com/weftdb/weft/storage"
)

// asked is what an operation of the matrix is done with.
type asked struct {
	db    *database.DB
	table *database.Table
	pin   database.Pinned
	key   string
	// folder is empty.
	folder string
	// backup is the id of one of the table.
	backup string
}

func (a *asked) document() testdoc.Document { return testdoc.Document{"k": a.key} }

func (a *asked) row() value.Row {
	row, err := a.document().AppendRow(nil, a.pin.Names())
	if err != nil {
		panic(err)
	}
	return row
}

func (a *asked) update() *expr.Update { return govalue.Attribute("v").Set("new") }

func (a *asked) write(op database.Op) database.Write {
	w := database.Write{Op: op, Row: a.row()}
	if op == database.OpUpdate {
		w.Update = a.update()
	}
	return w
}

func (a *asked) tables(op database.Op) []database.TableWrite {
	return []database.TableWrite{{Table: a.pin, Write: a.write(op)}}
}

// bound is a Query of the items with the key.
func (a *asked) bound() database.Query {
	return database.Query{Where: govalue.Attribute("k").Equal(a.key)}
}

// inTx runs fn in a transaction that is given up.
func (a *asked) inTx(ctx context.Context, fn func(*database.Tx) error) error {
	tx, err := a.db.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	return fn(tx)
}

// inView runs fn over a view.
func (a *asked) inView(ctx context.Context, fn func(*database.View) error) error {
	view, err := a.db.View(ctx)
	if err != nil {
		return err
	}
	defer view.Close()
	return fn(view)
}

func ended(c *database.Cursor, err error) error {
	if err != nil {
		return err
	}
	for c.Next() {
	}
	return c.Close()
}

func nothing(int, value.Row) error { return nil }

// askingOperations are all that ask, by their names. They do it and return its error.
var askingOperations = map[string]func(ctx context.Context, a *asked) error{
	"DB.CreateTable": func(ctx context.Context, a *asked) error {
		_, err := a.db.CreateTable(ctx, database.TableSpec{Name: a.table.Name(),
			Key: database.Columns("k", schema.String)})
		return err
	},
	"DB.EnsureTable": func(ctx context.Context, a *asked) error {
		lacked := database.IndexSpec{Name: "lacked", Key: database.Columns("w", schema.String)}
		_, err := a.db.EnsureTable(ctx, database.TableSpec{
			Name: a.table.Name(), Key: database.Columns("k", schema.String), Indexes: []database.IndexSpec{lacked},
		})
		return err
	},
	"DB.CreateLike": func(ctx context.Context, a *asked) error {
		outline, err := a.pin.Descriptor().Outline()
		if err == nil {
			_, err = a.db.CreateLike(ctx, outline)
		}
		return err
	},
	"DB.DropTable": func(ctx context.Context, a *asked) error { return a.db.DropTable(ctx, "", a.table.Name()) },
	"DB.TruncateTable": func(ctx context.Context,
		a *asked) error {
		return a.db.TruncateTable(ctx, "", a.table.Name(), nil)
	},
	"DB.CreateDatabase": func(ctx context.Context, a *asked) error { return a.db.CreateDatabase(ctx, "new") },
	"DB.CreateTemporary": func(ctx context.Context, a *asked) error {
		_, err := a.db.CreateTemporary(ctx)
		return err
	},
	"DB.DropDatabase": func(ctx context.Context, a *asked) error { return a.db.DropDatabase(ctx, "shop", false) },
	"DB.SetDatabaseOption": func(ctx context.Context,
		a *asked) error {
		return a.db.SetDatabaseOption(ctx, "shop", "a", "b")
	},
	"recovery.Keeper.BackupStore": func(ctx context.Context, a *asked) error {
		_, err := a.db.Recovery().BackupStore(ctx, storage.Folder(a.folder), backup.Options{})
		return err
	},
	"DB.Mark": func(ctx context.Context, a *asked) error {
		mark, err := a.db.Mark(ctx)
		if database.KindOf(err) == database.KindInvalid {
			return nil // by the engine of this test, and only once it was allowed
		}
		if err != nil {
			return err
		}
		return errors.Join(mark.Return(ctx), mark.Forget())
	},
	"recovery.Keeper.ShipStore": func(ctx context.Context, a *asked) error {
		s, err := a.db.Recovery().ShipStore(ctx, storage.Folder(a.folder), backup.ShipOptions{})
		if errors.Is(err, backup.ErrCannotShip) {
			return nil // by the engine of this test, and only once it was allowed
		}
		if err == nil {
			s.Close()
		}
		return err
	},
	"recovery.Keeper.Backup": func(ctx context.Context, a *asked) error {
		_, err := a.db.Recovery().Backup(ctx, "", a.table.Name(), "b")
		return err
	},
	"recovery.Keeper.DeleteBackup": func(ctx context.Context, a *asked) error {
		_, err := a.db.Recovery().DeleteBackup(ctx, a.backup)
		return err
	},
	"recovery.Keeper.Restore": func(ctx context.Context, a *asked) error {
		_, err := a.db.Recovery().Restore(ctx, a.backup, "", a.table.Name(), unchanged)
		return err
	},
	"DB.GetAll": func(ctx context.Context, a *asked) error {
		_, err := a.db.GetAll(ctx, []database.KeyRead{{Table: a.pin, Key: a.row()}}, nothing)
		return err
	},
	"DB.WriteAll": func(ctx context.Context, a *asked) error {
		_, err := a.db.WriteAll(ctx, a.tables(database.OpPut))
		return err
	},
	"DB.Transact": func(ctx context.Context, a *asked) error {
		_, err := a.db.Transact(ctx, a.tables(database.OpCheck), nil)
		return err
	},
	"Pinned.Get": func(ctx context.Context, a *asked) error {
		_, _, err := a.pin.Get(ctx, a.row(), nil)
		return err
	},
	"Pinned.GetStored": func(ctx context.Context, a *asked) error {
		_, _, _, err := a.pin.GetStored(ctx, a.row())
		return err
	},
	"Pinned.GetStoredAll": func(ctx context.Context, a *asked) error {
		return a.pin.GetStoredAll(ctx, []value.Row{a.row()}, func(int, value.Row, int64) error { return nil })
	},
	"Pinned.Write": func(ctx context.Context, a *asked) error {
		w := a.write(database.OpPut)
		return a.pin.Write(ctx, &w, new(database.WriteResult))
	},
	"Pinned.Query": func(ctx context.Context, a *asked) error { return ended(a.pin.Query(ctx, a.bound())) },
	"Pinned.Explain": func(ctx context.Context, a *asked) error {
		_, err := a.pin.Explain(ctx, a.bound())
		return err
	},
	"Pinned.Analyze": func(ctx context.Context, a *asked) error {
		_, err := a.pin.Analyze(ctx, database.Query{})
		return err
	},
	"Pinned.Regions": func(ctx context.Context, a *asked) error {
		_, err := a.pin.Regions(ctx, "by_v")
		return err
	},
	"capture.Keeper.EndShards": func(ctx context.Context, a *asked) error { return a.db.Changes().EndShards(ctx, "", a.table.Name()) },
	"recovery.Keeper.Rewind": func(ctx context.Context, a *asked) error {
		a.pin.Release()
		if err := a.table.Edit(context.Background(), withRecovery(a.db, 1)); err != nil {
			return err
		}
		<-time.After(2 * time.Millisecond) // the moments that it can be restored to begin
		_, err := a.db.Recovery().Rewind(ctx, "", a.table.Name(), time.Now())
		return err
	},
	"recovery.Keeper.RestoreAt": func(ctx context.Context, a *asked) error {
		_, err := a.db.Recovery().RestoreAt(ctx, "", a.table.Name(), time.Now(), "restored", unchanged)
		return err
	},
	"recovery.Keeper.Past": func(ctx context.Context, a *asked) error {
		view, err := a.db.Recovery().Past(ctx, a.pin.Descriptor().ID, time.Now(), "")
		if err == nil {
			err = view.Close()
		}
		return err
	},
	"capture.Table.Shards": func(ctx context.Context, a *asked) error {
		_, err := a.pin.Changes().Shards(ctx, &schema.Stream{Label: "s"})
		return err
	},
	"capture.Table.Read": func(ctx context.Context, a *asked) error {
		_, _, err := a.pin.Changes().Read(ctx, &schema.Stream{Label: "s"}, journal.Shard{}, journal.Position{},
			func(*capture.Record) bool { return true })
		return err
	},
	"put":    func(ctx context.Context, a *asked) error { return testdoc.Put(ctx, a.table, a.document()) },
	"delete": func(ctx context.Context, a *asked) error { return testdoc.Delete(ctx, a.table, a.document()) },
	"update": func(ctx context.Context, a *asked) error {
		_, err := testdoc.Update(ctx, a.table, a.document(), a.update())
		return err
	},
	"Table.Query": func(ctx context.Context, a *asked) error { return ended(a.table.Query(ctx, a.bound())) },
	"scan": func(ctx context.Context, a *asked) error {
		return testdoc.Each(ctx, a.table, database.Query{}, func(testdoc.Document) bool { return true })
	},
	"Table.Verify": func(ctx context.Context, a *asked) error {
		_, err := a.table.Verify(ctx)
		return err
	},
	"Table.VerifyTelling": func(ctx context.Context, a *asked) error {
		_, err := a.table.VerifyTelling(ctx, nil)
		return err
	},
	"Table.AddIndex": func(ctx context.Context, a *asked) error {
		return a.table.AddIndex(ctx, database.IndexSpec{Name: "by_w", Key: database.Columns("w", schema.String)})
	},
	"Table.SetFields": func(ctx context.Context, a *asked) error {
		return a.table.SetFields(ctx, "by_words", database.Columns("w", schema.String))
	},
	"Table.DropIndex": func(ctx context.Context, a *asked) error { return a.table.DropIndex(ctx, "by_v") },
	"Table.Edit":      func(ctx context.Context, a *asked) error { return a.table.Edit(ctx, unchanged) },
	"Table.SetExpiry": func(ctx context.Context, a *asked) error { return a.table.SetExpiry(ctx, "at") },
	"Table.Reveal":    func(ctx context.Context, a *asked) error { return a.table.Reveal(ctx) },
	"Table.Discard":   func(ctx context.Context, a *asked) error { return a.table.Discard(ctx) },
	"Table.Hold":      func(ctx context.Context, a *asked) error { return a.table.Hold(ctx) },
	"Table.Free":      func(ctx context.Context, a *asked) error { return a.table.Free(ctx) },
	"Table.Replace": func(ctx context.Context, a *asked) error {
		return a.table.Replace(ctx, a.table, func(_, _ *schema.Table) error { return nil })
	},
	"Table.Compact":      func(ctx context.Context, a *asked) error { return a.table.Compact(ctx) },
	"Table.RebuildIndex": func(ctx context.Context, a *asked) error { return a.table.RebuildIndex(ctx, "by_v") },
	"Table.Rename": func(ctx context.Context,
		a *asked) error {
		return a.table.Rename(ctx, "", "renamed", unchanged)
	},
	"Table.RenameAttributes": func(ctx context.Context, a *asked) error {
		return a.table.RenameAttributes(ctx, []database.Renaming{{From: "v", To: "w"}}, unchanged)
	},
	"Table.Split": func(ctx context.Context, a *asked) error {
		_, err := a.table.Split(ctx, "", database.RegionSpec{Count: 2})
		return err
	},
	"Table.LearnFrom": func(ctx context.Context, a *asked) error {
		_, err := a.table.LearnFrom(ctx, nil)
		return err
	},
	"Tx.GetGuarded": func(ctx context.Context, a *asked) error {
		return a.inTx(ctx, func(tx *database.Tx) error {
			_, _, err := tx.GetGuarded(ctx, a.pin, a.row())
			return err
		})
	},
	"Tx.Walk": func(ctx context.Context, a *asked) error {
		return a.inTx(ctx, func(tx *database.Tx) error { return ended(tx.Walk(ctx, a.pin, a.bound())) })
	},
	"Tx.Write": func(ctx context.Context, a *asked) error {
		w := a.write(database.OpUpdate)
		w.NeedOld = true
		return a.inTx(ctx, func(tx *database.Tx) error { return tx.Write(ctx, a.pin, &w, new(database.WriteResult)) })
	},
	"index": func(ctx context.Context, a *asked) error {
		return a.inTx(ctx, func(tx *database.Tx) error {
			return ended(tx.View().Query(ctx, a.pin, database.Query{Index: "by_v", Where: govalue.Attribute("v").In(a.key)}))
		})
	},
	"Tx.Holder": func(ctx context.Context, a *asked) error {
		row, err := testdoc.Document{"v": a.key}.AppendRow(nil, a.pin.Names())
		if err != nil {
			return err
		}
		return a.inTx(ctx, func(tx *database.Tx) error {
			_, _, err := tx.Holder(ctx, a.pin, "by_v", row, nil)
			return err
		})
	},
	"View.Get": func(ctx context.Context, a *asked) error {
		return a.inView(ctx, func(v *database.View) error {
			_, _, err := v.Get(ctx, a.pin, a.row(), nil)
			return err
		})
	},
	"View.GetAll": func(ctx context.Context, a *asked) error {
		return a.inView(ctx, func(v *database.View) error {
			_, err := v.GetAll(ctx, []database.KeyRead{{Table: a.pin, Key: a.row()}}, nothing)
			return err
		})
	},
	"View.Stored": func(ctx context.Context, a *asked) error {
		return a.inView(ctx, func(v *database.View) error {
			return v.Stored(ctx, a.pin, func(value.Row) error { return nil })
		})
	},
	"View.Query": func(ctx context.Context, a *asked) error {
		return a.inView(ctx, func(v *database.View) error {
			q := a.bound()
			q.AnyIndex = true
			return ended(v.Query(ctx, a.pin, q))
		})
	},
}

func unchanged(*schema.Table) error { return nil }

// unasked need no right, for they read and write no items and change no table: transactions and locks; what is known of
// tables, indexes and jobs; work that is done anyway; numbers.
var unasked = strings.Fields("DB.As DB.AsItself DB.Begin DB.BeginWith DB.Update DB.UpdateWith DB.View DB.WaitJobs " +
	"DB.Reading recovery.Keeper.Arrivals recovery.Keeper.CheckArrivals DB.Await DB.DropLost DB.Lags capture.Keeper.Send capture.Keeper.SettleDestination capture.Keeper.Settle capture.Keeper.SettleTable capture.Keeper.Divide capture.Keeper.Trim recovery.Keeper.WaitArrival Pinned.AwaitIndexes capture.Table.Follows Pinned.Lag Table.WaitIndex DB.Rebuild recovery.Keeper.Find recovery.Keeper.Backups capture.Table.Newest Tx.ChangeTask Tx.Commit Tx.Hold Tx.Lock Tx.Mark Tx.Prefetch Tx.Renew View.Split " +
	"Pinned.BuildProgress Pinned.Count Pinned.CurveOf Pinned.Estimate Pinned.NextNumber Pinned.PassNumber Pinned.RegionBorders Pinned.Scorer Pinned.TakeNumbers")

// TestPrincipalOperations: every operation that has a context asks, or is one of those that need no right.
func TestPrincipalOperations(t *testing.T) {
	var all []string
	for _, x := range []any{(*database.DB)(nil), (*database.Table)(nil), (*database.Tx)(nil), (*database.View)(nil),
		(*database.Cursor)(nil), database.Pinned{}, (*capture.Keeper)(nil), capture.Table{}, (*recovery.Keeper)(nil)} {
		for m := range reflect.TypeOf(x).Methods() {
			if m.Type.NumIn() > 1 && m.Type.In(1) == reflect.TypeFor[context.Context]() {
				all = append(all, strings.TrimPrefix(strings.TrimPrefix(reflect.TypeOf(x).String(), "*"), "database.")+
					"."+m.Name)
			}
		}
	}
	known := append(slices.Collect(maps.Keys(askingOperations)), unasked...)
	known = slices.DeleteFunc(known, func(name string) bool { return !strings.Contains(name, ".") })
	slices.Sort(all)
	slices.Sort(known)
	if !slices.Equal(all, known) {
		t.Errorf("there are\n%s\nand known\n%s", all, known)
	}
}

// TestPrincipal runs testdata/principal: it gives users policies, and shows what they may do. Of the three marks of a
// user the first is for an item of the table t whose key is the user's name, the second for another item of it, the
// third for one of the table other with the user's name. + is allowed, - is denied.
func TestPrincipal(t *testing.T) {
	rounds.SkipRace(t)
	policies, users := map[string]string{}, []string{""}
	datadriven.RunTest(t, "testdata/principal", func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "user":
			users = append(users, d.CmdArgs[0].Key)
			policies[d.CmdArgs[0].Key] = d.Input
			return ""
		case "matrix":
			return principalMatrix(t, users, policies)
		}
		t.Fatalf("no command %s", d.Cmd)
		return ""
	})
}

func principalMatrix(t *testing.T, users []string, policies map[string]string) string {
	operations := slices.Sorted(maps.Keys(askingOperations))
	marks := principalMarks(t, operations, users, policies)
	var b strings.Builder
	fmt.Fprintf(&b, "%-28s", "")
	for _, user := range users {
		fmt.Fprintf(&b, " %-6s", user)
	}
	for i, name := range operations {
		fmt.Fprintf(&b, "\n%-28s", name)
		for j := range users {
			fmt.Fprintf(&b, " %-6s", strings.Join(marks[i][j][:], ""))
		}
	}
	return b.String() + "\n"
}

// principalMarks are the marks of each operation for each user. They are found side by side, since a database may wait
// for its cluster.
func principalMarks(t *testing.T, operations, users []string, policies map[string]string) [][][3]string {
	marks := make([][][3]string, len(operations))
	t.Run("marks", func(t *testing.T) {
		for i, name := range operations {
			marks[i] = make([][3]string, len(users))
			for j, user := range users {
				for k, at := range [][2]string{{"t", user}, {"t", "zoe"}, {"other", user}} {
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						marks[i][j][k] = principalMark(t, name, user, policies, at[0], at[1])
					})
				}
			}
		}
	})
	return marks
}

// principalMark does an operation in a database of its own.
func principalMark(t *testing.T, operation, user string, policies map[string]string, table, key string) string {
	db := testdb.OpenWith(t, database.Options{Idle: true})
	defer db.Close()
	addPrincipals(t, db, policies)
	if err := db.CreateDatabase(t.Context(), "shop"); err != nil {
		t.Fatal(err)
	}
	if key == "" {
		key = "nobody"
	}
	for _, name := range []string{"t", "other"} {
		made, err := db.CreateTable(t.Context(),
			database.TableSpec{Name: name, Key: database.Columns("k", schema.String),
				Indexes: []database.IndexSpec{{Name: "by_v", Key: database.Columns("v", schema.String),
					Unique: operation == "Tx.Holder"}}})
		if err == nil {
			err = testdoc.Put(t.Context(), made, testdoc.Document{"k": key, "v": key})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	a := &asked{db: db, key: key, folder: t.TempDir()}
	var err error
	if a.table, err = db.Table(table); err == nil {
		a.pin, err = a.table.Pin()
	}
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(operation, "Table.") || strings.HasSuffix(operation, "Table") {
		a.pin.Release() // changes of a table wait for who has it pinned
	} else {
		defer a.pin.Release()
	}
	if strings.Contains(operation, "Backup") || operation == "recovery.Keeper.Restore" {
		b, err := db.Recovery().Backup(t.Context(), "", table, "b")
		if err != nil {
			t.Fatal(err)
		}
		a.backup = b.ID
	}
	switch err := askingOperations[operation](db.As(t.Context(), database.Principal{User: user}), a); {
	case database.KindOf(err) == database.KindDenied && err != nil:
		return "-"
	case err == nil || slices.Contains([]database.Kind{database.KindExists, database.KindInvalid, database.KindNotFound,
		database.KindBusy}, database.KindOf(err)):
		return "+"
	default:
		t.Errorf("%s as %q: %v", operation, user, err)
		return "!"
	}
}

func addPrincipals(t *testing.T, db *database.DB, policies map[string]string) {
	accounts := db.Accounts()
	if err := accounts.Add(t.Context(), "root", "secret"); err != nil { // the first user may do everything
		t.Fatal(err)
	}
	for user, document := range policies {
		if err := accounts.Add(t.Context(), user, "secret"); err != nil {
			t.Fatal(err)
		}
		if document == "" {
			continue
		}
		if err := accounts.Change(t.Context(), user,
			func(u *account.Account) error { return u.PutPolicy("p", document) }); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPrincipalError: what is denied has AWS's text, nothing is written, and the program itself is not asked.
func TestPrincipalError(t *testing.T) {
	ctx := t.Context()
	db := testdb.Open(t)
	addPrincipals(t, db, map[string]string{"ann": ""})
	table, err := db.CreateTable(ctx, database.TableSpec{Name: "t", Key: database.Columns("k", schema.String)})
	if err != nil {
		t.Fatal(err)
	}
	err = testdoc.Put(db.As(ctx, database.Principal{User: "ann"}), table, testdoc.Document{"k": "a"})
	denied, ok := errors.AsType[*database.Denied](err)
	const text = "weft: table t: User: arn:aws:iam::000000000000:user/ann is not authorized to perform: dynamodb:PutItem on resource: " +
		"arn:aws:dynamodb:us-east-1:000000000000:table/t because no identity-based policy allows the dynamodb:PutItem action"
	if !ok || denied.User != "ann" || err.Error() != text || database.KindOf(err) != database.KindDenied {
		t.Errorf("%v", err)
	}
	if _, ok, err := testdoc.Get(ctx, table, testdoc.Document{"k": "a"}); ok || err != nil {
		t.Errorf("it was written: %v", err)
	}
	other, err := database.Open(ctx, mem.Open(mem.Options{}), database.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.CreateTable(db.As(ctx, database.Principal{User: "ann"}),
		database.TableSpec{Name: "t", Key: database.Columns("k", schema.String)}); err != nil {
		t.Errorf("another database asks the users of the first: %v", err)
	}
}
