// SPDX-License-Identifier: Apache-2.0

package record

import (
	"cmp"
	"context"
	"fmt"
	"testing"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/explore"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
)

// Faults that are planted in the world of an index build.
const (
	noDeleteOnly = "the index begins with WriteOnly"
	noWait       = "a stage begins while a write two stages behind is under way"
	noFill       = "the row that is there is not filled in"
)

// build is an index build while two writers write one row, each by the schema of the stage that its gateway has
// installed: the newest, or, until all are known to have followed, the one before.
type build struct {
	t       *testing.T
	planted string
	stages  []*Table
	store   *mem.Store
	key     []byte
	stage   int
	agreed  bool // nobody uses the stage before
	filling underWay
	filled  bool
	writes  [2]underWay
	left    int // writes to come
	commits int
	fault   string
}

// underWay is a write between its beginning and its commit.
type underWay struct {
	txn     kv.Txn
	stage   int
	before  string
	commits int // there were at its beginning
}

func newBuild(t *testing.T, planted string) *build {
	b := &build{t: t, planted: planted, store: mem.Open(mem.Options{}), agreed: true, left: 3}
	bare := Compile(&schema.Table{ID: 1, Primary: people(t, schema.Active).Schema.Primary}, value.NoNames)
	b.stages = []*Table{bare, people(t, schema.DeleteOnly), people(t, schema.WriteOnly), people(t, schema.Backfill),
		people(t, schema.Active)}
	if planted == noDeleteOnly {
		b.stages = append(b.stages[:1:1], b.stages[2:]...)
	}
	var err error
	if b.key, err = bare.AppendKey(nil, person(t, "ann", "")); err != nil {
		t.Fatal(err)
	}
	b.check(kv.Update(t.Context(), b.store, func(txn kv.Txn) error {
		return new(Writer).Write(txn, bare, b.key, nil, person(t, "ann", "Rome"))
	}))
	return b
}

func (b *build) check(err error) {
	if err != nil {
		b.t.Fatal(err)
	}
}

// Steps are those of the builder and of the writers.
func (b *build) Steps() (steps []explore.Step) {
	add := func(name string, do func()) { steps = append(steps, explore.Step{Name: name, Do: do}) }
	last := len(b.stages) - 1
	switch {
	case b.stage < last-1 && b.agreed, b.stage == last-1 && b.filled:
		add("the next stage begins", func() {
			b.stage, b.agreed = b.stage+1, false
			b.verify()
		})
	case !b.agreed && (b.planted == noWait || !b.isHeld()):
		add("all have followed", func() { b.agreed = true })
	case b.stage == last-1 && b.agreed && b.planted == noFill:
		add("the row is not filled in", func() { b.filled = true })
	case b.stage == last-1 && b.agreed && b.filling.txn == nil:
		add("the row is read to be filled in", b.fill)
	case b.filling.txn != nil:
		add("it is filled in", b.commitFill)
	}
	for i := range b.writes {
		if b.writes[i].txn != nil {
			add(fmt.Sprint("write ", i, " commits"), func() { b.commit(&b.writes[i]) })
			continue
		}
		for _, city := range []string{"", "Oslo"} {
			for stage := b.oldest(); b.left > 0 && stage <= b.stage; stage++ {
				add(fmt.Sprintf("write %d of %q begins in stage %d", i, city, stage),
					func() { b.begin(&b.writes[i], city, stage) })
			}
		}
	}
	return steps
}

// oldest is the oldest stage that a gateway may have installed.
func (b *build) oldest() int {
	if b.agreed {
		return b.stage
	}
	return b.stage - 1
}

// isHeld reports whether a write uses a stage before the newest.
func (b *build) isHeld() bool {
	for _, w := range b.writes {
		if w.txn != nil && w.stage < b.stage {
			return true
		}
	}
	return false
}

// row reads the row as a transaction sees it.
func (b *build) row(txn kv.Txn) value.Row {
	row, _, err := b.stages[0].Get(b.t.Context(), txn, b.key, nil)
	b.check(err)
	return row
}

func (b *build) begin(w *underWay, city string, stage int) {
	txn, err := b.store.Begin(b.t.Context())
	b.check(err)
	b.left--
	old := b.row(txn)
	*w = underWay{txn: txn, stage: stage, before: fmt.Sprintf("%x to %q", old, city), commits: b.commits}
	var row value.Row
	if city != "" {
		row = person(b.t, "ann", city)
	}
	if old == nil && row == nil {
		b.check(txn.Guard(b.key))
		return
	}
	b.check(new(Writer).Write(txn, b.stages[stage], b.key, old, row))
}

func (b *build) commit(w *underWay) {
	if w.txn.Commit(b.t.Context()) == nil {
		b.commits++
	}
	*w = underWay{}
	b.verify()
}

func (b *build) fill() {
	txn, err := b.store.Begin(b.t.Context())
	b.check(err)
	row := b.row(txn)
	b.filling = underWay{txn: txn, before: fmt.Sprintf("%x", row), commits: b.commits}
	if row != nil {
		table := b.stages[b.stage]
		_, err := new(Writer).Fill(txn, table, table.Indexes[0], b.key, row)
		b.check(err)
	}
	b.check(txn.Guard(b.key))
}

// commitFill ends the filling, which begins again after a conflict.
func (b *build) commitFill() {
	b.filled = b.filling.txn.Commit(b.t.Context()) == nil
	b.filling = underWay{}
	b.verify()
}

// verify compares the row and its entries once the index is read.
func (b *build) verify() {
	if b.stage < len(b.stages)-1 {
		return
	}
	reader, err := b.store.Read(context.Background())
	b.check(err)
	defer reader.Close()
	report, err := b.stages[b.stage].Verify(b.t.Context(), reader, Verification{})
	b.check(err)
	if len(report.Faults) > 0 {
		b.fault = report.Faults[0]
	}
}

// State tells builds apart.
func (b *build) State() string {
	text := fmt.Sprint(b.stage, b.agreed, b.filled, b.left, keys(b.t, b.store))
	reader, err := b.store.Begin(b.t.Context())
	b.check(err)
	defer reader.Rollback()
	text += fmt.Sprintf(" %x", b.row(reader))
	for _, w := range append(b.writes[:], b.filling) {
		text += fmt.Sprint(" ", w.txn != nil, w.stage, w.before, w.txn != nil && w.commits == b.commits)
	}
	return text
}

// Fault is what Verify has found.
func (b *build) Fault() string { return b.fault }

// TestIndexBuildInAllOrders builds an index while two others write, in all orders of eighteen steps with three writes:
// once it is read, it has the entries of its row. Each planted fault is found.
func TestIndexBuildInAllOrders(t *testing.T) {
	for _, planted := range []string{"", noDeleteOnly, noWait, noFill} {
		t.Run(cmp.Or(planted, "as it is"), func(t *testing.T) {
			explore.Expect(t, func() explore.World { return newBuild(t, planted) }, 18, planted)
		})
	}
}
