// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"

	"github.com/weftdb/weft/internal/sql/evaluate"
)

// Filter passes the rows that meet all conditions.
type Filter struct {
	Input      Rows
	Conditions []*evaluate.Program
	Context    *evaluate.Context
	Counts     Counts
	pulse      pulse
}

// Open begins.
func (f *Filter) Open(ctx context.Context) error {
	f.pulse.ctx = ctx
	f.Counts.Opens++
	return f.Input.Open(ctx)
}

// Next moves to the next row.
func (f *Filter) Next() (bool, error) {
	for {
		ok, err := f.Input.Next()
		if err != nil || !ok {
			return false, err
		}
		is, err := allTrue(f.Context, f.Conditions)
		if is {
			f.Counts.Rows++
		}
		if is || err != nil {
			return is, err
		}
		if err := f.pulse.check(); err != nil {
			return false, err
		}
	}
}

// Close closes the input.
func (f *Filter) Close() error { return f.Input.Close() }

// Limit skips Offset rows and ends after Count of them; a negative Count is no limit.
type Limit struct {
	Input         Rows
	Offset, Count int64
	Counts        Counts
	skip, left    int64
	pulse         pulse
}

// Open begins.
func (l *Limit) Open(ctx context.Context) error {
	l.skip, l.left, l.pulse.ctx = l.Offset, l.Count, ctx
	l.Counts.Opens++
	if l.Count == 0 {
		return l.Input.Close() // nothing is read
	}
	return l.Input.Open(ctx)
}

// Next moves to the next row.
func (l *Limit) Next() (bool, error) {
	if l.left == 0 {
		return false, nil
	}
	for ; l.skip > 0; l.skip-- {
		if ok, err := l.Input.Next(); err != nil || !ok {
			return false, err
		}
		if err := l.pulse.check(); err != nil {
			return false, err
		}
	}
	ok, err := l.Input.Next()
	if ok {
		l.left--
		l.Counts.Rows++
	}
	return ok, err
}

// Close closes the input.
func (l *Limit) Close() error { return l.Input.Close() }

// Values are written rows.
type Values struct {
	Rows    [][]*evaluate.Program
	Slots   []int
	Context *evaluate.Context
	Counts  Counts
	next    int
}

// Open begins.
func (v *Values) Open(context.Context) error {
	v.next = 0
	v.Counts.Opens++
	return nil
}

// Next moves to the next row.
func (v *Values) Next() (bool, error) {
	if v.next >= len(v.Rows) {
		return false, nil
	}
	v.next++
	v.Counts.Rows++
	return true, compute(v.Context, v.Rows[v.next-1], v.Slots)
}

// compute writes the values of programs into slots. Texts are copied: those that functions made do not outlast
// Context.Reset.
func compute(x *evaluate.Context, programs []*evaluate.Program, slots []int) error {
	for i, program := range programs {
		d, err := program.Value(x)
		if err != nil {
			return err
		}
		if slots[i] >= 0 {
			x.Row[slots[i]] = d.Clone()
		}
	}
	x.Reset()
	return nil
}

// Close does nothing.
func (v *Values) Close() error { return nil }

// Concat is the rows of one input after the other: UNION ALL. All write the same slots.
type Concat struct {
	Inputs []Rows
	Counts Counts
	ctx    context.Context
	next   int // the input behind the one at hand
}

// Open begins.
func (c *Concat) Open(ctx context.Context) error {
	err := c.Close()
	c.ctx, c.next = ctx, 0
	c.Counts.Opens++
	return err
}

// Next moves to the next row.
func (c *Concat) Next() (bool, error) {
	for {
		if c.next > 0 {
			if ok, err := c.Inputs[c.next-1].Next(); ok || err != nil {
				c.Counts.Rows++
				return ok, err
			}
			if err := c.Inputs[c.next-1].Close(); err != nil {
				return false, err
			}
		}
		if c.next == len(c.Inputs) {
			c.next = 0
			c.ctx = nil
			return false, nil
		}
		if c.ctx == nil {
			return false, nil
		}
		c.next++
		if err := c.Inputs[c.next-1].Open(c.ctx); err != nil {
			return false, err
		}
	}
}

// Close closes the input at hand.
func (c *Concat) Close() error {
	c.ctx = nil
	if c.next == 0 {
		return nil
	}
	input := c.Inputs[c.next-1]
	c.next = 0
	return input.Close()
}

// Func is a stream made of functions, for sources that are simple.
type Func struct {
	OnOpen  func(ctx context.Context) error
	OnNext  func() (bool, error)
	OnClose func() error
}

// Open begins.
func (f *Func) Open(ctx context.Context) error {
	if f.OnOpen == nil {
		return nil
	}
	return f.OnOpen(ctx)
}

// Next moves to the next row.
func (f *Func) Next() (bool, error) { return f.OnNext() }

// Close ends.
func (f *Func) Close() error {
	if f.OnClose == nil {
		return nil
	}
	return f.OnClose()
}
