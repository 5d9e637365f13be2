// SPDX-License-Identifier: Apache-2.0

package function

import (
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
)

// Zone is a time zone: it turns instants, in microseconds since 1970 in UTC, into what clocks show there, as if that
// were UTC, and back.
type Zone interface {
	Local(instant int64) (clock int64)
	Instant(clock int64) (instant int64)
}

// Zones is a Session that has a time zone, and knows others by their names.
type Zones interface {
	// Zone is the session's; nil is UTC.
	Zone() Zone
	// ZoneNamed finds another one; nil is UTC.
	ZoneNamed(name string) (z Zone, ok bool)
}

// ZoneOf is the time zone of a session; nil is UTC.
func ZoneOf(s Session) Zone {
	if zones, ok := s.(Zones); ok {
		return zones.Zone()
	}
	return nil
}

// LocalUS returns the local time in the session's zone at the time of the statement.
func (e *Environment) LocalUS() int64 { return toLocal(e.Zone, e.NowUS) }

// Localized is a stored instant as clocks show it in the session's zone.
func (e *Environment) Localized(d datum.Datum) datum.Datum {
	if e.Zone == nil || d.Kind() != datum.KindTimestamp || d.IsZeroDate() {
		return d
	}
	return datum.TimestampUS(e.Zone.Local(d.Int())).WithFraction(d.Scale()).MeetingAs(d)
}

// Written is d, or the time that clocks show in the session's zone at the instant that a text with a time zone stands
// for.
func (e *Environment) Written(d datum.Datum) datum.Datum {
	if e.Zone == nil || d.Kind() != datum.KindText && d.Kind() != datum.KindBinary {
		return d
	}
	us, zoned, ok := datum.ParseZoned(string(d.Bytes()))
	if !zoned || !ok {
		return d
	}
	return datum.TimestampUS(e.Zone.Local(us))
}

// Comparable is datum.Comparable for a value that may be a text with a time zone.
func (e *Environment) Comparable(d datum.Datum, t datum.Type) (converted datum.Datum, ok bool) {
	if t.IsTemporal() {
		d = e.Written(d)
	}
	return datum.Comparable(d, t)
}

// Instant is the instant at which clocks show a time in the session's zone. A value that is no time stays as it is.
func (e *Environment) Instant(d datum.Datum) datum.Datum {
	if e.Zone == nil {
		return d
	}
	us, ok := e.Written(d).InstantAs(datum.Type{Base: datum.Timestamp, Variety: datum.Zoned})
	if !ok || d.IsNull() || us == datum.ZeroUS {
		return d
	}
	now := e.LocalUS()
	if ago := now - us; ago >= 0 && ago < secondUS { // the present is known even where clocks show it twice
		return datum.TimestampUS(e.NowUS - ago)
	}
	return datum.TimestampUS(e.Zone.Instant(us))
}

func toLocal(z Zone, instant int64) (clock int64) {
	if z == nil {
		return instant
	}
	return z.Local(instant)
}

func toInstant(z Zone, clock int64) (instant int64) {
	if z == nil {
		return clock
	}
	return z.Instant(clock)
}

// convertZone is CONVERT_TZ.
func convertZone(e *Environment, a []datum.Datum) (datum.Datum, error) {
	us, ok := e.instant(a[0])
	from, known := e.zoneNamed(string(e.TextOf(a[1])))
	to, too := e.zoneNamed(string(e.TextOf(a[2])))
	if !ok || !known || !too {
		return datum.Null, nil
	}
	return instantOrNull(toLocal(to, toInstant(from, us))), nil
}

// zoneNamed finds a zone. Without a session, UTC alone is known.
func (e *Environment) zoneNamed(name string) (z Zone, ok bool) {
	if zones, ok := e.Session.(Zones); ok {
		return zones.ZoneNamed(name)
	}
	return nil, strings.EqualFold(name, "utc")
}
