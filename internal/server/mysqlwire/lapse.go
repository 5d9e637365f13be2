// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import "time"

// lapse is a deadline that moves on with each use. To spare the timers it moves in steps: it ends up to an eighth later
// than span after its last use, never before.
type lapse struct {
	span  time.Duration
	last  time.Time // when it was moved
	fixed bool      // it does not move
}

// extend moves the deadline on, if that is due.
func (l *lapse) extend(set func(time.Time) error, now time.Time) error {
	if l.fixed || (!l.last.IsZero() && now.Sub(l.last) < l.span/8) {
		return nil
	}
	l.last = now
	return set(now.Add(l.span + l.span/8))
}

// reset makes the next extend move the deadline.
func (l *lapse) reset() { l.last = time.Time{} }
