// SPDX-License-Identifier: Apache-2.0

package variable

import (
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // the zones of machines that have none
	"unicode"
)

// Zone is a time zone: an offset, or a place by its name in the IANA database.
type Zone struct{ location *time.Location }

// Local returns the local time at an instant; both in microseconds since 1970, the local time as if it were UTC.
func (z *Zone) Local(instant int64) int64 {
	_, offset := time.UnixMicro(instant).In(z.location).Zone()
	return instant + int64(offset)*1_000_000
}

// dayUS is longer than any offset.
const dayUS = 24 * 3600 * 1_000_000

// Instant is the first time at which clocks show this; where they skip it, the time of the leap. As in MySQL.
func (z *Zone) Instant(clock int64) int64 {
	before, after := z.offset(clock-dayUS), z.offset(clock+dayUS)
	first := clock - before
	if before == after || z.Local(first) == clock {
		return first
	}
	if later := clock - after; z.Local(later) == clock {
		return later
	}
	_, leap := time.UnixMicro(clock - after).In(z.location).ZoneBounds() // before the leap
	return leap.UnixMicro()
}

func (z *Zone) offset(instant int64) int64 { return z.Local(instant) - instant }

// ZoneNamed reads a time zone: SYSTEM, an offset from -13:59 to +14:00, or a name such as Europe/Paris, in whatever
// case. nil is UTC.
func (c *Catalog) ZoneNamed(name string) (z *Zone, ok bool) {
	switch strings.ToUpper(name) {
	case "UTC", "SYSTEM", "Z", "GMT", "ETC/UTC":
		return nil, true
	case "", "LOCAL":
		return nil, false
	}
	if name[0] == '+' || name[0] == '-' {
		return zoneOffset(name)
	}
	if z, ok = c.zoneSpelled(name); ok || len(name) > zoneNameMax {
		return z, ok
	}
	if z, ok = c.zoneSpelled(titleZone(name)); ok {
		return z, true
	}
	return c.zoneSpelled(strings.ToUpper(name))
}

// zoneNameMax is longer than the name of any zone.
const zoneNameMax = 64

// zoneSpelled finds a zone by its exact name, and keeps it.
func (c *Catalog) zoneSpelled(name string) (z *Zone, ok bool) {
	if found, ok := c.zones.Load(name); ok {
		return found.(*Zone), true
	}
	location, err := time.LoadLocation(name)
	if err != nil {
		return nil, false
	}
	z = &Zone{location}
	c.zones.Store(name, z)
	return z, true
}

// titleZone is a name of a zone with large letters where the names of places have them.
func titleZone(name string) string {
	start := true
	return strings.Map(func(r rune) rune {
		defer func() { start = !unicode.IsLetter(r) }()
		if start {
			return unicode.ToUpper(r)
		}
		return unicode.ToLower(r)
	}, name)
}

// zoneOffset reads +h:mm and -hh:mm.
func zoneOffset(text string) (z *Zone, ok bool) {
	hours, minutes, ok := strings.Cut(text[1:], ":")
	h, err := strconv.ParseUint(hours, 10, 8)
	m, wrong := strconv.ParseUint(minutes, 10, 8)
	if !ok || err != nil || wrong != nil || len(hours) > 2 || len(minutes) != 2 || m > 59 {
		return nil, false
	}
	seconds := int(h*60+m) * 60
	if text[0] == '-' {
		seconds = -seconds
	}
	switch {
	case seconds < -14*3600+60 || seconds > 14*3600:
		return nil, false
	case seconds == 0:
		return nil, true
	}
	return &Zone{time.FixedZone(text, seconds)}, true
}

// String is the zone's name.
func (z *Zone) String() string {
	if z == nil {
		return "UTC"
	}
	return z.location.String()
}
