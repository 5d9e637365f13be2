// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"hash/fnv"
	"strconv"
	"time"

	"github.com/weftdb/weft/internal/advice/digest"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/result"
)

func moment(t time.Time) datum.Datum { return datum.TimestampUS(t.UnixMicro()) }

// picoseconds are the unit of MySQL's performance_schema.
const picoseconds = 1000 // in a nanosecond

// seesAll reports whether the user may see what others run.
func (r *virtualScan) seesAll() bool { return r.seesOf("") }

// seesOf reports whether the user may see what another one runs.
func (r *virtualScan) seesOf(user string) bool {
	return r.session.Process == nil || r.session.Process(&result.Process{User: user})
}

// digests hands out what statements of SQL took, as MySQL does. They are of all users, so only who may see these sees
// them.
func (r *virtualScan) digests() error {
	if r.Digests == nil || !r.seesAll() {
		return nil
	}
	for _, d := range r.Digests() {
		if d.API != digest.SQL {
			continue
		}
		took, each := int64(d.Took)*picoseconds, int64(d.Took)/d.Count*picoseconds
		err := r.add(orNull(d.Database), digestID(&d), d.Text, d.Count, took, each, int64(d.Max)*picoseconds,
			int64(d.Waited)*picoseconds,
			d.Failed, d.Written, d.Returned, d.Examined, d.Seeks, moment(d.First), moment(d.Last))
		if err != nil {
			return err
		}
	}
	return nil
}

// statements hands out what statements of all APIs took.
func (r *virtualScan) statements() error {
	if r.Digests == nil || !r.seesAll() {
		return nil
	}
	seconds := func(d time.Duration) datum.Datum { return datum.Float64(d.Seconds()) }
	for _, d := range r.Digests() {
		err := r.add(d.API.String(), orNull(d.Database), d.Text, d.Count, d.Failed, seconds(d.Took), seconds(d.Max),
			seconds(d.Waited),
			d.Examined, d.Returned, d.Written, d.Seeks, moment(d.First), moment(d.Last), d.Whole)
		if err != nil {
			return err
		}
	}
	return nil
}

// digestID is short for a database and a text.
func digestID(d *digest.Digest) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(d.Database + "\x00" + d.Text)) // a hash takes all
	return strconv.FormatUint(h.Sum64(), 16)
}

// slowOfAll hands out slow statements of all APIs, the last one first.
func (r *virtualScan) slowOfAll() error {
	if r.Slow == nil {
		return nil
	}
	for _, s := range r.Slow() {
		if !r.seesOf(s.User) {
			continue
		}
		err := r.add(s.API.String(), moment(s.Begun), s.User, s.Host, orNull(s.Database), s.Text,
			datum.Float64(s.Took.Seconds()), datum.Float64(s.Waited.Seconds()),
			s.Examined, s.Returned, s.Written, s.Seeks, int64(s.Session))
		if err != nil {
			return err
		}
	}
	return nil
}

// slow hands out slow statements of SQL, the last one first.
func (r *virtualScan) slow() error {
	if r.Slow == nil {
		return nil
	}
	for _, s := range r.Slow() {
		if s.API != digest.SQL || !r.seesOf(s.User) {
			continue
		}
		err := r.add(moment(s.Begun), s.User+"["+s.User+"] @ "+s.Host, datum.Float64(s.Took.Seconds()),
			datum.Float64(s.Waited.Seconds()), s.Returned, s.Examined, s.Database, 0, 0, 1, s.Text,
			int64(s.Session), s.Written, s.Seeks)
		if err != nil {
			return err
		}
	}
	return nil
}

// transactions hands out the open ones.
func (r *virtualScan) transactions() error {
	if r.Transactions == nil {
		return nil
	}
	queries := map[uint32]string{}
	if r.Processes != nil {
		for _, p := range r.Processes() {
			queries[p.ID] = p.Info
		}
	}
	for i, t := range r.Transactions() {
		if !r.seesOf(t.User) {
			continue
		}
		state, readOnly := "SLEEP", 0
		if t.Working {
			state = "RUNNING"
		}
		if t.ReadOnly {
			readOnly = 1
		}
		err := r.add(int64(i+1), "RUNNING", moment(t.Begun), int64(t.Session), orNull(queries[t.Session]), state,
			int64(t.Held), t.Isolation, readOnly, t.User, int64(t.Statements))
		if err != nil {
			return err
		}
	}
	return nil
}

// waiting hands out who waits for a row now.
func (r *virtualScan) waiting() error {
	if r.Waits == nil || !r.seesAll() {
		return nil
	}
	now, _ := r.Waits()
	for _, w := range now {
		err := r.add(orNull(w.Database), orNull(w.Table), orNull(w.Values), int64(w.Session), int64(w.Holder),
			moment(w.Begun), datum.Float64(time.Since(w.Begun).Seconds()))
		if err != nil {
			return err
		}
	}
	return nil
}

// rowWaits hands out the rows that were waited for.
func (r *virtualScan) rowWaits() error {
	if r.Waits == nil || !r.seesAll() {
		return nil
	}
	_, since := r.Waits()
	for _, w := range since {
		err := r.add(orNull(w.Database), orNull(w.Table), orNull(w.Values), w.Count, w.GaveUp,
			datum.Float64(w.Waited.Seconds()), datum.Float64(w.Longest.Seconds()))
		if err != nil {
			return err
		}
	}
	return nil
}
