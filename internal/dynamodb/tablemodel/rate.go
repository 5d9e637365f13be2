// SPDX-License-Identifier: Apache-2.0

package tablemodel

import "github.com/weftdb/weft/internal/data/schema"

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
