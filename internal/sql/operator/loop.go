// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"errors"

	"github.com/weftdb/weft/internal/sql/evaluate"
)

// LoopJoin opens the right side anew for each left row and compares by On. The order of the left rows stays. Kinds:
// Inner, Left, Semi and Anti.
type LoopJoin struct {
	Kind        JoinKind
	Left, Right Rows
	On          []*evaluate.Program
	RightSlots  []int // which the right side writes
	// Outer hands the left row at hand to the right side, before that is opened; nil: the right side needs nothing of
	// it.
	Outer   func() error
	Context *evaluate.Context
	Counts  Counts

	ctx      context.Context
	pulse    pulse
	leftOpen bool
	inside   bool // the right side is open
	matched  bool
}

// Open begins.
func (j *LoopJoin) Open(ctx context.Context) error {
	if err := j.Close(); err != nil {
		return err
	}
	j.Counts.Opens++
	j.ctx, j.pulse.ctx, j.leftOpen = ctx, ctx, true
	return j.Left.Open(ctx)
}

// Next moves to the next row.
func (j *LoopJoin) Next() (bool, error) {
	for {
		if err := j.pulse.check(); err != nil {
			return false, err
		}
		if !j.inside {
			if ok, err := j.nextLeft(); err != nil || !ok {
				return false, err
			}
		}
		ok, err := j.step()
		if err != nil {
			return false, err
		}
		if ok {
			j.Counts.Rows++
			return true, nil
		}
	}
}

func (j *LoopJoin) nextLeft() (bool, error) {
	if !j.leftOpen {
		return false, nil
	}
	ok, err := j.Left.Next()
	if err != nil || !ok {
		return false, err
	}
	if j.Outer != nil {
		if err := j.Outer(); err != nil {
			return false, err
		}
	}
	j.inside, j.matched = true, false
	return true, j.Right.Open(j.ctx)
}

// step looks at the next right row.
func (j *LoopJoin) step() (bool, error) {
	ok, err := j.Right.Next()
	if err != nil {
		return false, err
	}
	if !ok {
		j.inside = false
		if j.matched || !j.Kind.keepsLeft() {
			return false, j.Right.Close()
		}
		setNull(j.Context.Row, j.RightSlots)
		return true, j.Right.Close()
	}
	if is, err := allTrue(j.Context, j.On); err != nil || !is {
		return false, err
	}
	j.matched = true
	if !j.Kind.once() {
		return true, nil
	}
	j.inside = false
	return j.Kind == Semi, j.Right.Close()
}

// Close closes both sides.
func (j *LoopJoin) Close() (err error) {
	if j.inside {
		err = j.Right.Close()
	}
	if j.leftOpen {
		err = errors.Join(err, j.Left.Close())
	}
	j.inside, j.leftOpen = false, false
	return err
}
