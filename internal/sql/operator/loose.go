// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"errors"
	"slices"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
)

// LooseJoin is a HashJoin by keys without a type, such as those of dynamic columns: a text may equal a number, whose
// key is another one. It keeps both sides and looks at their keys first. One whose values are all of one class finds
// partners as any key does; by others each pair of rows is compared.
type LooseJoin struct {
	*HashJoin
	// Equal are the keys as conditions; nil elements: the types of the key are known.
	Equal []*evaluate.Program

	all    []Key // of HashJoin as it was made
	on     []*evaluate.Program
	spools [2]*Spool // left and right
}

// Open reads both sides.
func (j *LooseJoin) Open(ctx context.Context) error {
	if j.spools[0] == nil {
		j.keep()
	}
	if err := j.Close(); err != nil {
		return err
	}
	classes := make([]datum.Class, len(j.all))
	mixed := make([]bool, len(j.all))
	for side, rows := range [...]Rows{j.Left, j.Right} {
		if err := j.look(ctx, rows, side == 1, classes, mixed); err != nil {
			return errors.Join(err, j.Close())
		}
		kept := &j.spools[side].Counts
		j.Counts.BytesSpilled, j.Counts.MemoryPeak = j.Counts.BytesSpilled+
			kept.BytesSpilled, max(j.Counts.MemoryPeak, kept.MemoryPeak)
		*kept = Counts{}
	}
	j.Keys, j.On = nil, slices.Clone(j.on)
	for i, is := range mixed {
		if is {
			j.On = append(j.On, j.Equal[i])
		} else {
			j.Keys = append(j.Keys, j.all[i])
		}
	}
	return j.HashJoin.Open(ctx)
}

// keep puts a spool between the join and each side.
func (j *LooseJoin) keep() {
	j.all, j.on = j.Keys, j.On
	spool := func(side int, input Rows, slots []int) Rows {
		j.spools[side] = &Spool{Input: input, Slots: slots, Context: j.Context, Budget: j.Budget}
		return &Reader{Of: j.spools[side], Slots: slots, Context: j.Context}
	}
	j.Left, j.Right = spool(0, j.Left, j.LeftSlots), spool(1, j.Right, j.RightSlots)
}

// look notes the classes of the keys of one side.
func (j *LooseJoin) look(ctx context.Context, rows Rows, right bool, classes []datum.Class, mixed []bool) error {
	return each(ctx, rows, func() error {
		defer j.Context.Reset()
		for i := range j.all {
			if j.Equal[i] == nil || mixed[i] {
				continue
			}
			program := j.all[i].Left
			if right {
				program = j.all[i].Right
			}
			d, err := program.Value(j.Context)
			if err != nil {
				return err
			}
			if d.IsNull() {
				continue
			}
			class := d.Class()
			mixed[i] = class == 0 || classes[i] != 0 && classes[i] != class
			classes[i] = class
		}
		return nil
	})
}

// Close gives memory and files back.
func (j *LooseJoin) Close() error {
	err := j.HashJoin.Close()
	for _, s := range j.spools {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
	}
	return err
}
