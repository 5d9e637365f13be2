// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"bytes"
	"context"
	"errors"

	"github.com/weftdb/weft/internal/sql/evaluate"
)

// MergeJoin goes through both sides once. Both come in the order of Keys, ascending by datum.Order; no key is
// null-safe. Only the right rows of one key are kept, and none where Unique says so, or where a partner's existence is
// all that is asked for. The order of the left rows stays. Kinds: Inner, Left, Semi and Anti.
type MergeJoin struct {
	Kind        JoinKind
	Left, Right Rows
	Keys        []Key
	// Unique says that no two right rows have the same keys.
	Unique     bool
	On         []*evaluate.Program
	RightSlots []int // which the right side writes and somebody reads
	Context    *evaluate.Context
	Budget     *Budget
	Counts     Counts

	pulse    pulse
	opened   bool
	leftKey  []byte
	busy     bool // a left row is at hand that may have partners yet
	tried    bool // the only right row of its key was looked at
	matched  bool // it had one
	right    rightRow
	grouped  bool // the right rows of groupKey are in group
	groupKey []byte
	group    recordList
	reader   keptReader
}

// rightRow is the right row that was read last.
type rightRow struct {
	begun, ended bool
	key          []byte
	record       []byte // what was in its slots, if away
	away         bool   // others have been written into its slots
}

// Open opens both sides.
func (j *MergeJoin) Open(ctx context.Context) error {
	if err := j.Close(); err != nil {
		return err
	}
	j.Counts.Opens++
	j.pulse.ctx, j.busy, j.opened, j.grouped = ctx, false, true, false
	j.right = rightRow{key: j.right.key, record: j.right.record}
	j.group.begin(j.Budget, &j.Counts)
	err := j.Left.Open(ctx)
	if err == nil {
		err = j.Right.Open(ctx)
	}
	if err != nil {
		return errors.Join(err, j.Close())
	}
	return nil
}

// Next moves to the next row.
func (j *MergeJoin) Next() (bool, error) {
	for j.opened {
		if err := j.pulse.check(); err != nil {
			return false, err
		}
		var ok, more bool
		var err error
		if j.busy {
			ok, err = j.pair()
		} else if ok, more, err = j.nextLeft(); err == nil && !ok && !more {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if ok {
			j.Counts.Rows++
			return true, nil
		}
	}
	return false, nil
}

// nextLeft begins the next left row. ok: it is sent, since it has no partner. more is false after the last one that can
// be sent.
func (j *MergeJoin) nextLeft() (ok, more bool, err error) {
	if ok, err = j.Left.Next(); err != nil || !ok {
		return false, false, err
	}
	var null bool
	if j.leftKey, null, err = j.key(j.leftKey[:0], false); err != nil {
		return false, false, err
	}
	j.matched, j.tried = false, false
	if null {
		return j.alone(), true, nil
	}
	met, err := j.meet()
	if err != nil {
		return false, false, err
	}
	if j.busy = met; met {
		return false, true, nil
	}
	return j.alone(), !j.right.ended || j.grouped || j.Kind.keepsLeft(), nil
}

// alone ends a left row without a partner, and reports whether it is sent.
func (j *MergeJoin) alone() bool {
	if !j.Kind.keepsLeft() {
		return false
	}
	if j.Kind.pairs() {
		j.setAway()
		setNull(j.Context.Row, j.RightSlots)
	}
	return true
}

// key appends the key of the row at hand on one side, in the order of keys.
func (j *MergeJoin) key(dst []byte, right bool) (key []byte, null bool, err error) {
	for i := range j.Keys {
		program := j.Keys[i].Left
		if right {
			program = j.Keys[i].Right
		}
		d, err := program.Value(j.Context)
		if err != nil || d.IsNull() {
			j.Context.Reset()
			return dst, true, err
		}
		dst = AppendSortKey(dst, d, false)
	}
	j.Context.Reset()
	return dst, false, nil
}

// meet goes on with the right rows until they are not before the left row at hand, and reports whether there are some
// of its key.
func (j *MergeJoin) meet() (bool, error) {
	if j.grouped {
		if c := bytes.Compare(j.groupKey, j.leftKey); c >= 0 {
			if c == 0 {
				j.reader.begin(&j.group)
			}
			return c == 0, nil
		}
		j.grouped = false
		if err := j.group.empty(); err != nil {
			return false, err
		}
	}
	for !j.right.ended {
		if j.right.begun {
			if c := bytes.Compare(j.right.key, j.leftKey); c > 0 {
				return false, nil
			} else if c == 0 {
				return true, j.collect()
			}
		}
		if err := j.nextRight(); err != nil {
			return false, err
		}
	}
	return false, nil
}

// nextRight reads the next right row whose key has no NULL.
func (j *MergeJoin) nextRight() error {
	j.right.begun, j.right.away = true, false
	for null := true; null; {
		ok, err := j.Right.Next()
		if err == nil {
			err = j.pulse.check()
		}
		if err != nil || !ok {
			j.right.ended = true
			return err
		}
		if j.right.key, null, err = j.key(j.right.key[:0], true); err != nil {
			return err
		}
	}
	return nil
}

// single says that at most one right row of a key is looked at.
func (j *MergeJoin) single() bool { return j.Unique || j.Kind.once() && len(j.On) == 0 }

// setAway makes sure that the right row at hand is not lost when its slots are written.
func (j *MergeJoin) setAway() {
	if j.right.begun && !j.right.ended && !j.right.away {
		j.right.record, j.right.away = appendSlots(j.right.record[:0], j.Context.Row, j.RightSlots), true
	}
}

// collect keeps the right rows of the key at hand, and the one behind them apart.
func (j *MergeJoin) collect() error {
	if j.single() {
		return nil
	}
	j.grouped, j.groupKey = true, append(j.groupKey[:0], j.right.key...)
	for !j.right.ended && bytes.Equal(j.right.key, j.groupKey) {
		j.setAway()
		if err := j.group.add(j.right.record); err != nil {
			return err
		}
		if err := j.nextRight(); err != nil {
			return err
		}
	}
	j.setAway()
	j.reader.begin(&j.group)
	return j.group.finish()
}

// pair goes to the next partner of the left row at hand. ok: a row is sent.
func (j *MergeJoin) pair() (ok bool, err error) {
	found, err := j.candidate()
	if err != nil {
		return false, err
	}
	if !found {
		j.busy = false
		return !j.matched && j.alone(), nil
	}
	if is, err := allTrue(j.Context, j.On); err != nil || !is {
		return false, err
	}
	j.matched = true
	if j.Kind.once() {
		j.busy = false
		return j.Kind == Semi, nil
	}
	return true, nil
}

// candidate writes the next right row of the key at hand into its slots.
func (j *MergeJoin) candidate() (bool, error) {
	if !j.single() {
		record, ok, err := j.reader.next()
		if err != nil || !ok {
			return false, err
		}
		return true, cutSlots(record, j.Context.Row, j.RightSlots)
	}
	if j.tried {
		return false, nil
	}
	if j.tried = true; j.right.away {
		return true, cutSlots(j.right.record, j.Context.Row, j.RightSlots)
	}
	return true, nil
}

// Close gives memory and files back.
func (j *MergeJoin) Close() error {
	if !j.opened {
		return nil
	}
	j.opened, j.grouped = false, false
	return errors.Join(j.Left.Close(), j.Right.Close(), j.group.close())
}
