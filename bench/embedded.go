// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/weftdb/weft/bench/loadgen"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/pebble"
)

// embedded is Weft in process, used through the exported API alone.
type embedded struct {
	store      *pebble.Store
	db         *database.DB
	table      *database.Table
	partitions int
}

func openEmbedded(ctx context.Context, dir string, partitions int) (*embedded, error) {
	store, err := pebble.Open(pebble.Options{Dir: dir})
	if err != nil {
		return nil, err
	}
	e := &embedded{store: store, partitions: partitions}
	if e.db, err = database.Open(ctx, store, database.Options{Admin: store}); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return e, nil
}

// Load implements database.
func (e *embedded) Load(ctx context.Context) (err error) {
	e.table, err = e.db.CreateTable(ctx,
		database.TableSpec{Name: tableName, Key: database.Columns("pk", schema.String, "sk", schema.String),
			PartitionParts: 1})
	if err != nil {
		return err
	}
	w, err := newEmbeddedWorker(e, opBatch, 0)
	if err != nil {
		return err
	}
	for partition := range e.partitions {
		for sort := 0; sort < partitionItems; sort += batchItems {
			if err := w.putBatch(partition, sort, partition*partitionItems+sort); err != nil {
				return err
			}
		}
	}
	return e.store.Compact(ctx, kv.Range{})
}

// Close implements database.
func (e *embedded) Close() error { return errors.Join(e.db.Close(), e.store.Close()) }

// Worker implements database.
func (e *embedded) Worker(operation string, seed int) (loadgen.Worker, error) {
	return newEmbeddedWorker(e, operation, seed)
}

// embeddedWorker is one client. Rows are built anew for each write, from values of which most are encoded beforehand.
type embeddedWorker struct {
	*embedded
	picker
	ctx     context.Context
	builder value.RowBuilder
	values  []attribute
	texts   [4][]byte // of the partition key, the sort key, and fresh content
	row     value.Row
	found   []byte
	writes  []database.TableWrite
	do      func() error
}

// attribute is one that all items have.
type attribute struct {
	name  []byte
	value value.Value
}

func newEmbeddedWorker(e *embedded, operation string, seed int) (*embeddedWorker, error) {
	w := &embeddedWorker{embedded: e, picker: pickerFor(operation, e.partitions, seed), ctx: context.Background(),
		writes: make([]database.TableWrite, batchItems)}
	for _, a := range []struct {
		name  string
		value any
	}{
		{"visits", 1}, {"balance", 12345.67}, {"active", true}, {"since", "2024-05-06T07:08:09Z"},
		{"tags", []string{"gold", "weekly"}},
		{"address", map[string]any{"city": "Nara", "zip": "630-8001", "country": "JP"}}, {"remark", noteText},
	} {
		v, err := govalue.AppendValue(nil, a.value)
		if err != nil {
			return nil, err
		}
		w.values = append(w.values, attribute{[]byte(a.name), v})
	}
	w.texts = [4][]byte{[]byte("p00000"), []byte("s000"), []byte("customer 00000000"),
		[]byte("customer.00000000@example.com")}
	w.do = map[string]func() error{
		opGet: w.get, opPut: w.put, opUpdate: w.update, opQuery: w.query, opScan: w.scan,
		opBatch:  func() error { return w.putBatch(w.next()) },
		opHotGet: w.get, opHotPut: w.put, opOtherPut: w.put,
	}[operation]
	if w.do == nil {
		return nil, fmt.Errorf("embedded can't do %s", operation)
	}
	return w, nil
}

// Do implements worker.
func (w *embeddedWorker) Do() error { return w.do() }

// Close implements worker.
func (w *embeddedWorker) Close() error { return nil }

// set adds a string attribute to the row being built.
func (w *embeddedWorker) set(name string, text []byte) error {
	w.builder.Begin([]byte(name))
	w.builder.Buf = value.AppendString(w.builder.Buf, text)
	return w.builder.End()
}

// key starts a row with the two key attributes.
func (w *embeddedWorker) key(names value.Names, partition, sort int) error {
	digits(w.texts[0][1:], partition)
	digits(w.texts[1][1:], sort)
	w.builder.Reset(names)
	if err := w.set("pk", w.texts[0]); err != nil {
		return err
	}
	return w.set("sk", w.texts[1])
}

// item appends a whole item.
func (w *embeddedWorker) item(dst value.Row, names value.Names, partition, sort, fresh int) (value.Row, error) {
	if err := w.key(names, partition, sort); err != nil {
		return nil, err
	}
	digits(w.texts[2][9:], fresh)
	digits(w.texts[3][9:17], fresh)
	if err := w.set("customer", w.texts[2]); err != nil {
		return nil, err
	}
	if err := w.set("mail", w.texts[3]); err != nil {
		return nil, err
	}
	for _, a := range w.values {
		if err := w.builder.Set(a.name, a.value); err != nil {
			return nil, err
		}
	}
	return w.builder.AppendTo(dst), nil
}

func (w *embeddedWorker) get() error {
	p, err := w.table.Pin()
	if err != nil {
		return err
	}
	defer p.Release()
	partition, sort, _ := w.next()
	if err := w.key(p.Names(), partition, sort); err != nil {
		return err
	}
	w.row = w.builder.AppendTo(w.row[:0])
	row, ok, err := p.Get(w.ctx, w.row, w.found[:0])
	if err == nil && !ok {
		err = errors.New("an item is missing")
	}
	w.found = row
	return err
}

func (w *embeddedWorker) put() error {
	p, err := w.table.Pin()
	if err != nil {
		return err
	}
	defer p.Release()
	partition, sort, fresh := w.next()
	if w.row, err = w.item(w.row[:0], p.Names(), partition, sort, fresh); err != nil {
		return err
	}
	var result database.WriteResult
	return p.Write(w.ctx, &database.Write{Op: database.OpPut, Row: w.row}, &result)
}

func (w *embeddedWorker) update() error {
	partition, sort, fresh := w.next()
	digits(w.texts[0][1:], partition)
	digits(w.texts[1][1:], sort)
	digits(w.texts[2][9:], fresh)
	key := testdoc.Document{"pk": string(w.texts[0]), "sk": string(w.texts[1])}
	change := govalue.Updates(govalue.Attribute("visits").Add(1), govalue.Attribute("customer").Set(string(w.texts[2])))
	_, err := testdoc.Update(w.ctx, w.table, key, change, govalue.Attribute("pk").Exists(),
		govalue.Attribute("visits").AtLeast(1))
	return err
}

func (w *embeddedWorker) putBatch(partition, sort, fresh int) error {
	p, err := w.table.Pin()
	if err != nil {
		return err
	}
	defer p.Release()
	for i := range w.writes {
		row, err := w.item(w.writes[i].Row[:0], p.Names(), partition, (sort+i)%partitionItems, fresh+i)
		if err != nil {
			return err
		}
		w.writes[i] = database.TableWrite{Table: p, Write: database.Write{Op: database.OpPut, Row: row}}
	}
	_, err = w.db.WriteAll(w.ctx, w.writes)
	return err
}

func (w *embeddedWorker) query() error {
	partition, _, _ := w.next()
	digits(w.texts[0][1:], partition)
	return w.walk(database.Query{Where: govalue.Attribute("pk").Equal(string(w.texts[0]))}, partitionItems)
}

func (w *embeddedWorker) scan() error {
	p, err := w.table.Pin()
	if err != nil {
		return err
	}
	defer p.Release()
	partition, sort, _ := w.next()
	if err := w.key(p.Names(), partition, sort); err != nil {
		return err
	}
	w.row = w.builder.AppendTo(w.row[:0])
	return w.walk(database.Query{After: w.row, ExaminedMax: scanItems}, 0)
}

// walk reads all rows of a query, wanted of them unless that is 0.
func (w *embeddedWorker) walk(q database.Query, wanted int) error {
	cursor, err := w.table.Query(w.ctx, q)
	if err != nil {
		return err
	}
	count, bytes := 0, 0
	for cursor.Next() {
		count++
		bytes += len(cursor.Row())
	}
	if wanted > 0 && count != wanted {
		err = fmt.Errorf("a query found %d items, not %d", count, wanted)
	}
	return errors.Join(err, cursor.Close())
}
