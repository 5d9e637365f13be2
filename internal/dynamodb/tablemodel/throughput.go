// SPDX-License-Identifier: Apache-2.0

package tablemodel

import (
	"encoding/json"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/dynamodb/exception"
)

const (
	// capacityUnitsMax is more than anybody has.
	capacityUnitsMax = 1_000_000_000_000
	// The throughput for which an on-demand table or index is always ready, in units per second.
	warmReadMin, warmWriteMin = 12_000, 4_000
	dayMS                     = int64(24 * time.Hour / time.Millisecond)
)

// Throughput is provisioned throughput. It is kept and described; package throttle may hold requests to it.
type Throughput struct{ ReadCapacityUnits, WriteCapacityUnits *int64 }

// OnDemand bounds what an on-demand table or index may be asked for, in units a second; -1 is no bound. It is kept and
// described, and package throttle may hold requests to it.
type OnDemand struct{ MaxReadRequestUnits, MaxWriteRequestUnits *int64 }

// storedOnDemand is an OnDemand in settings.
type storedOnDemand struct{ OnDemand }

// UnmarshalJSON takes what does not fit as nothing: an early version kept whatever a client had sent.
func (o *storedOnDemand) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &o.OnDemand) != nil {
		o.OnDemand = OnDemand{}
	}
	return nil
}

// describe shows both bounds, if there is one.
func (o *storedOnDemand) describe() *OnDemand {
	if o == nil || o.MaxReadRequestUnits == nil && o.MaxWriteRequestUnits == nil {
		return nil
	}
	none := int64(-1)
	shown := o.OnDemand
	if shown.MaxReadRequestUnits == nil {
		shown.MaxReadRequestUnits = &none
	}
	if shown.MaxWriteRequestUnits == nil {
		shown.MaxWriteRequestUnits = &none
	}
	return &shown
}

// with returns the bounds with those replaced that are given.
func (o *storedOnDemand) with(given *OnDemand) *storedOnDemand {
	if given == nil {
		return o
	}
	changed := storedOnDemand{}
	if o != nil {
		changed = *o
	}
	replace(&changed.MaxReadRequestUnits, given.MaxReadRequestUnits, given.MaxReadRequestUnits != nil)
	replace(&changed.MaxWriteRequestUnits, given.MaxWriteRequestUnits, given.MaxWriteRequestUnits != nil)
	return &changed
}

// Warm is the throughput for which a table or index is to be ready at once. It is stored and described.
type Warm struct{ ReadUnitsPerSecond, WriteUnitsPerSecond *int64 }

// warmOf is the warm throughput of a table or index: what was asked for, at least what its capacity mode brings along.
func warmOf(kept *Warm, t *Throughput) (read, write int64) {
	read, write = warmReadMin, warmWriteMin
	if t != nil {
		read, write = *t.ReadCapacityUnits, *t.WriteCapacityUnits
	}
	if kept != nil && kept.ReadUnitsPerSecond != nil {
		read = max(read, *kept.ReadUnitsPerSecond)
	}
	if kept != nil && kept.WriteUnitsPerSecond != nil {
		write = max(write, *kept.WriteUnitsPerSecond)
	}
	return read, write
}

// warmAfter returns the warm throughput after the capacity may have changed: it never falls.
func warmAfter(given *Warm, read, write int64) *Warm {
	if given != nil && given.ReadUnitsPerSecond != nil {
		read = max(read, *given.ReadUnitsPerSecond)
	}
	if given != nil && given.WriteUnitsPerSecond != nil {
		write = max(write, *given.WriteUnitsPerSecond)
	}
	return &Warm{&read, &write}
}

// checkWarm wants no less than there is. where is "table" or "index " and a name. The text is from memory.
func checkWarm(given *Warm, read, write int64, where string) error {
	const text = "Requested %s for WarmThroughput for %s is lower than current WarmThroughput, decreasing WarmThroughput is not supported"
	switch {
	case given == nil:
	case given.ReadUnitsPerSecond == nil && given.WriteUnitsPerSecond == nil: // the text is from memory
		return exception.InvalidValue("At least one of ReadUnitsPerSecond and WriteUnitsPerSecond must be specified for WarmThroughput for %s", where)
	case given.ReadUnitsPerSecond != nil && *given.ReadUnitsPerSecond < read:
		return exception.InvalidValue(text, "ReadUnitsPerSecond", where)
	case given.WriteUnitsPerSecond != nil && *given.WriteUnitsPerSecond < write:
		return exception.InvalidValue(text, "WriteUnitsPerSecond", where)
	}
	return nil
}

// checkOnDemand wants bounds of on-demand tables only. where is "table" or "index " and a name. The texts are from
// memory.
func checkOnDemand(given *OnDemand, billing, where string) error {
	switch {
	case given == nil:
	case billing != payPerRequest:
		return exception.InvalidValue("OnDemandThroughput can not be specified for %s when BillingMode is PROVISIONED",
			where)
	case given.MaxReadRequestUnits == nil && given.MaxWriteRequestUnits == nil:
		return exception.InvalidValue("At least one of MaxReadRequestUnits and MaxWriteRequestUnits must be specified for OnDemandThroughput for %s", where)
	case isNoBound(given.MaxReadRequestUnits) || isNoBound(given.MaxWriteRequestUnits):
		return exception.InvalidValue("MaxReadRequestUnits and MaxWriteRequestUnits must be -1 or at least 1 for %s",
			where)
	}
	return nil
}

// isNoBound reports whether a number is neither a bound nor the sign for none.
func isNoBound(units *int64) bool { return units != nil && *units != -1 && *units < 1 }

// history is when provisioned throughput was changed, in Unix milliseconds.
type history struct {
	IncreasedAtMS int64 `json:"increasedAtMS,omitempty"`
	DecreasedAtMS int64 `json:"decreasedAtMS,omitempty"`
	Decreases     int64 `json:"decreases,omitempty"` // on the day of DecreasedAtMS, in UTC
}

// note notes a change at a time.
func (h *history) note(before, after *Throughput, nowMS int64) {
	if before == nil || after == nil {
		return
	}
	reads, writes := *after.ReadCapacityUnits-*before.ReadCapacityUnits,
		*after.WriteCapacityUnits-*before.WriteCapacityUnits
	if reads > 0 || writes > 0 {
		h.IncreasedAtMS = nowMS
	}
	if reads < 0 || writes < 0 {
		h.Decreases = h.decreasesOn(nowMS) + 1
		h.DecreasedAtMS = nowMS
	}
}

func (h *history) decreasesOn(nowMS int64) int64 {
	if h.DecreasedAtMS/dayMS != nowMS/dayMS {
		return 0
	}
	return h.Decreases
}

func checkBilling(mode string, t *Throughput) error {
	switch {
	case mode == payPerRequest && t != nil:
		return exception.InvalidValue("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST")
	case mode != payPerRequest && t == nil:
		return exception.InvalidValue("ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED")
	}
	return t.check("")
}

// check judges the numbers of throughput that is there; index is "" for the table's.
func (t *Throughput) check(index string) error {
	where := ""
	if index != "" {
		where = " for index " + index
	}
	switch {
	case t == nil:
	case *t.ReadCapacityUnits > capacityUnitsMax:
		return exception.Validationf("Given value %d for ReadCapacityUnits is out of bounds%s", *t.ReadCapacityUnits,
			where)
	case *t.WriteCapacityUnits > capacityUnitsMax:
		return exception.Validationf("Given value %d for WriteCapacityUnits is out of bounds%s", *t.WriteCapacityUnits,
			where)
	}
	return nil
}

// checkChange wants another throughput than there was. where is "table" or "index"; name is the index's name and a
// blank, or "". The text for an index is from memory.
func (t *Throughput) checkChange(had *Throughput, where, name string) error {
	if t == nil || had == nil || *t.ReadCapacityUnits != *had.ReadCapacityUnits ||
		*t.WriteCapacityUnits != *had.WriteCapacityUnits {
		return nil
	}
	return exception.Validationf("The provisioned throughput for the %s %swill not change. The requested value equals the current value. "+
		"Current ReadCapacityUnits provisioned for the %s: %d. Requested ReadCapacityUnits: %d. "+
		"Current WriteCapacityUnits provisioned for the %s: %d. Requested WriteCapacityUnits: %d. "+
		"Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
		where, name, where, *had.ReadCapacityUnits, *t.ReadCapacityUnits, where, *had.WriteCapacityUnits,
		*t.WriteCapacityUnits)
}

// Rate is the throughput of a table or an index, in capacity units a second.
type Rate struct {
	Read, Write int64 // 0: without a limit
	OnDemand    bool  // nothing is provisioned: they are bounds of on-demand throughput
}

// RateOf returns the rate of a table. Local indexes share it. Errors: settings that can't be read.
func RateOf(table *schema.Table) (Rate, error) {
	s, err := SettingsOf(table)
	return rateOf(s.Throughput, s.OnDemand), err
}

// RateOfIndex returns the rate of a global index. Errors: settings that can't be read.
func RateOfIndex(x *schema.Index) (Rate, error) {
	s, err := settingsOfIndex(x)
	return rateOf(s.Throughput, s.OnDemand), err
}

func rateOf(t *Throughput, o *storedOnDemand) Rate {
	switch {
	case t != nil:
		return Rate{Read: bound(t.ReadCapacityUnits), Write: bound(t.WriteCapacityUnits)}
	case o != nil:
		return Rate{Read: bound(o.MaxReadRequestUnits), Write: bound(o.MaxWriteRequestUnits), OnDemand: true}
	}
	return Rate{OnDemand: true}
}

// bound is a number of units that may be missing; -1 means no bound.
func bound(units *int64) int64 { return max(0, valueOf(units)) }
