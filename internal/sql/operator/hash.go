// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/weftdb/weft/internal/sql/evaluate"
)

// JoinKind is which rows a join yields.
type JoinKind uint8

// The kinds.
const (
	Inner JoinKind = iota
	Left           // and left rows without a partner
	Right          // and right rows without a partner
	Full           // and both
	Semi           // each left row that has a partner, once
	Anti           // each left row that has none: NOT EXISTS
	// AntiNull is NOT IN: each left row whose key differs from those of all right rows. NULL on either side is not
	// known to differ.
	AntiNull
	RightSemi // each right row that has a partner, once
	RightAnti // each right row that has none
)

func (k JoinKind) keepsLeft() bool  { return k == Left || k == Full || k == Anti || k == AntiNull }
func (k JoinKind) keepsRight() bool { return k == Right || k == Full || k == RightAnti }
func (k JoinKind) once() bool       { return k == Semi || k == Anti || k == AntiNull }

// byRight says that right rows are sent once the left ones have run past them.
func (k JoinKind) byRight() bool { return k.keepsRight() || k == RightSemi }

// pairs says that pairs of rows are sent.
func (k JoinKind) pairs() bool { return !k.once() && k != RightSemi && k != RightAnti }

// HashJoin keeps the right rows in a table by their keys and runs the left ones past it. In memory the order of the
// left rows stays. Rows that don't fit are partitioned by keys into files, on both sides, and joined partition by
// partition. A partition with a single key is joined in pieces that fit.
//
// Without keys each pair of rows is compared by On. AntiNull with several keys or with On compares each pair, too.
type HashJoin struct {
	Kind                  JoinKind
	Left, Right           Rows
	Keys                  []Key
	On                    []*evaluate.Program
	LeftSlots, RightSlots []int // which either side writes and somebody reads
	Context               *evaluate.Context
	Budget                *Budget
	Counts                Counts

	table      table
	pulse      pulse
	keys       []Key // that rows are found by
	loose      []Key // of NOT IN, that pairs are compared by
	key        []byte
	record     []byte
	phase      phase
	rightRows  int64
	rightNull  bool // a right row's key is NULL
	leftOpen   bool
	parts      []*part // still to be joined
	part       *part   // at hand; nil: the left rows come from Left
	probe      probe
	chain      uint32
	hash       uint64
	matched    bool
	candidates bool
	unmet      int // the next entry to be looked at for a partner
}

type phase uint8

const (
	probing    phase = iota // left rows run past the table
	unmetRight              // right rows of the table without a partner, or with one
	unmetLeft               // left rows that met none of a part's pieces
	ended
)

// Open reads the right rows.
func (j *HashJoin) Open(ctx context.Context) error {
	if err := j.Close(); err != nil {
		return err
	}
	j.Counts.Opens++
	j.pulse.ctx, j.phase, j.rightRows, j.rightNull, j.candidates = ctx, probing, 0, false, false
	j.table.begin(j.Budget, &j.Counts)
	if j.keys, j.loose = j.Keys, nil; j.Kind == AntiNull && (len(j.Keys) != 1 || len(j.On) > 0) {
		j.keys, j.loose = nil, j.Keys
	}
	if err := j.build(ctx); err != nil {
		return errors.Join(err, j.Close())
	}
	return nil
}

func (j *HashJoin) build(ctx context.Context) error {
	var parted *partWriter
	err := each(ctx, j.Right, func() (err error) {
		parted, err = j.buildRow(parted)
		return err
	})
	if err != nil {
		return err
	}
	if j.empty() {
		j.phase = ended
		return nil
	}
	if err := j.Left.Open(ctx); err != nil {
		return err
	}
	j.leftOpen = true
	if parted != nil {
		return j.partLeft(parted)
	}
	return nil
}

// empty reports whether no left row has to be read.
func (j *HashJoin) empty() bool {
	return j.rightRows == 0 && !j.Kind.keepsLeft() || j.Kind == AntiNull && j.rightNull
}

// buildRow takes the right row at hand.
func (j *HashJoin) buildRow(parted *partWriter) (*partWriter, error) {
	j.rightRows++
	key, null, err := appendKeys(j.key[:0], j.Context, j.keys, true)
	j.key = key
	if err != nil {
		return parted, err
	}
	if null {
		j.rightNull = true
		if !j.Kind.keepsRight() {
			j.Context.Reset()
			return parted, nil
		}
	}
	j.record = appendSlots(appendKeyed(j.record[:0], key), j.Context.Row, j.RightSlots)
	j.Context.Reset()
	hash := j.table.hash(key)
	if parted == nil {
		if j.table.add(hash, j.record, !null) {
			return nil, nil
		}
		if parted, err = j.partTable(); err != nil {
			return nil, err
		}
	}
	return parted, parted.addRight(hash, null, j.record)
}

// Next moves to the next row.
func (j *HashJoin) Next() (bool, error) {
	for {
		var ok bool
		var err error
		switch j.phase {
		case probing:
			ok, err = j.step()
		case unmetRight:
			ok, err = j.nextUnmetRight()
		case unmetLeft:
			ok, err = j.nextUnmetLeft()
		default:
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if ok {
			j.Counts.Rows++
			return true, nil
		}
		if err := j.pulse.check(); err != nil {
			return false, err
		}
	}
}

// step goes to the next pair, or to the next left row. false: nothing is to be sent yet.
func (j *HashJoin) step() (bool, error) {
	if !j.candidates {
		return j.nextLeft()
	}
	e, row, next := j.table.find(j.chain, j.hash, j.key)
	if e == nil {
		return j.endLeftRow()
	}
	j.chain = next
	if len(j.On) > 0 || len(j.loose) > 0 || j.Kind.pairs() {
		if e.met && !j.Kind.pairs() && !j.Kind.once() {
			return false, nil
		}
		if err := cutSlots(row, j.Context.Row, j.RightSlots); err != nil {
			return false, err
		}
		if is, err := j.meets(); err != nil || !is {
			return false, err
		}
	}
	e.met, j.matched = true, true
	j.probe.meet()
	if j.Kind.once() {
		j.candidates = false
		return j.Kind == Semi, nil
	}
	return j.Kind.pairs(), nil
}

// meets judges the pair at hand by the conditions that are no keys.
func (j *HashJoin) meets() (bool, error) {
	if may, err := mayBeEqual(j.Context, j.loose); err != nil || !may {
		j.Context.Reset()
		return false, err
	}
	return allTrue(j.Context, j.On)
}

// endLeftRow ends a left row: it is sent if it has no partner and that is wanted.
func (j *HashJoin) endLeftRow() (bool, error) {
	j.candidates = false
	if j.matched || !j.Kind.keepsLeft() || j.probe.pieces {
		return false, nil
	}
	setNull(j.Context.Row, j.RightSlots)
	return true, nil
}

// nextLeft begins the next left row.
func (j *HashJoin) nextLeft() (bool, error) {
	ok, null, err := j.readLeft()
	if err != nil {
		return false, err
	}
	if !ok {
		return false, j.afterLastLeft()
	}
	j.matched = false
	if null && j.Kind == AntiNull {
		j.matched = j.rightRows > 0
	}
	if null || j.probe.isDecided(j.Kind) {
		return j.endLeftRow()
	}
	j.candidates, j.chain = true, j.table.first(j.hash)
	return false, nil
}

// readLeft reads a left row and its key.
func (j *HashJoin) readLeft() (ok, null bool, err error) {
	if j.part != nil {
		return j.probe.read(j)
	}
	if ok, err = j.Left.Next(); err != nil || !ok {
		return false, false, err
	}
	j.key, null, err = appendKeys(j.key[:0], j.Context, j.keys, false)
	j.Context.Reset()
	j.hash = j.table.hash(j.key)
	return true, null, err
}

// afterLastLeft goes on after the last left row of a table.
func (j *HashJoin) afterLastLeft() error {
	if j.Kind.byRight() {
		j.phase, j.unmet = unmetRight, 0
		setNull(j.Context.Row, j.LeftSlots)
		return nil
	}
	return j.nextPiece()
}

func (j *HashJoin) nextUnmetRight() (bool, error) {
	for ; j.unmet < len(j.table.entries); j.unmet++ {
		if e := &j.table.entries[j.unmet]; e.met == (j.Kind == RightSemi) {
			j.unmet++
			_, row := cutKeyed(j.table.arena.get(e.at))
			return true, cutSlots(row, j.Context.Row, j.RightSlots)
		}
		if err := j.pulse.check(); err != nil {
			return false, err
		}
	}
	return false, j.nextPiece()
}

// Close gives memory and files back.
func (j *HashJoin) Close() error {
	err := j.Right.Close()
	if j.leftOpen {
		err = errors.Join(err, j.Left.Close())
		j.leftOpen = false
	}
	for _, p := range j.parts {
		err = errors.Join(err, p.close())
	}
	if j.part != nil {
		err = errors.Join(err, j.part.close())
	}
	j.parts, j.part, j.probe = nil, nil, probe{}
	j.table.clear()
	j.phase = ended
	return err
}

// appendPiece is how a row lies in a part's file: whether its key is NULL, the key's hash, and the record.
func appendPiece(dst []byte, hash uint64, null bool, record []byte) []byte {
	mark := byte(0)
	if null {
		mark = 1
	}
	dst = binary.BigEndian.AppendUint64(append(dst, mark), hash)
	return append(dst, record...)
}

func cutPiece(b []byte) (hash uint64, null bool, record []byte, err error) {
	if len(b) < 9 {
		return 0, false, nil, ErrRecord
	}
	return binary.BigEndian.Uint64(b[1:]), b[0] == 1, b[9:], nil
}
