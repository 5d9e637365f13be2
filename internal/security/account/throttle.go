// SPDX-License-Identifier: Apache-2.0

package account

import (
	"net/netip"
	"strings"
	"sync"
	"time"
)

// limit is the number of attempts that may fail: so many at once, and one more after each interval.
type limit struct {
	burst    int
	interval time.Duration
}

// The limits. Programs that share an address, as behind a proxy, must not shut each other out by a wrong password of
// one of them: a user that signed in from an address before is only held to the first.
const (
	pairBurst, pairInterval       = 10, 10 * time.Second // of a name from an address
	addressBurst, addressInterval = 100, time.Second     // of all names from an address
	nameBurst, nameInterval       = 1000, 100 * time.Millisecond
)

// attemptsMax bounds what a Throttle remembers.
const attemptsMax = 20_000

// Throttle slows down clients that try many passwords or signatures. Names that there are and names that there aren't
// are treated alike. It is safe for concurrent use; NewThrottle makes one.
type Throttle struct {
	now   func() time.Time
	mu    sync.Mutex
	known map[origin]*attempts
}

// origin is the unit for which failures are counted: a name from an address, or all of one of them.
type origin struct {
	name    string
	address netip.Addr
}

// attempts counts the failures of one origin. freeAt is the time at which none counts any more: each moves it by an
// interval.
type attempts struct {
	freeAt  time.Time
	trusted bool // one has succeeded
}

// NewThrottle returns a throttle. now is the clock.
func NewThrottle(now func() time.Time) *Throttle {
	return &Throttle{now: now, known: map[origin]*attempts{}}
}

// Login decides whether who tried a name's password from an address is admitted. proved reports whether the password
// was right: after too many failures that does not count, and wait is the time it takes until it may again. Whoever
// asks must have done all work by then, so that time tells nothing.
func (t *Throttle) Login(name, address string, proved bool) (ok bool, wait time.Duration) {
	from := addressOf(address)
	if len(name) > NameBytesMax { // there is no such user, and what is remembered is bounded
		name = strings.Clone(name[:NameBytesMax])
	}
	pair := origin{name, from}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if wait = t.waitOf(pair, limit{pairBurst, pairInterval}, now); wait > 0 {
		return false, wait
	}
	one := t.known[pair]
	trusted := one != nil && one.trusted
	if !trusted {
		wait = max(t.waitOf(origin{address: from}, limit{addressBurst, addressInterval}, now),
			t.waitOf(origin{name: name}, limit{nameBurst, nameInterval}, now))
		if wait > 0 {
			return false, wait
		}
	}
	if proved {
		one := t.at(pair, now)
		one.freeAt, one.trusted = now, true
		return true, 0
	}
	t.fail(pair, limit{pairBurst, pairInterval}, now)
	if !trusted { // who may sign in there could otherwise shut the address to others
		t.fail(origin{address: from}, limit{addressBurst, addressInterval}, now)
		t.fail(origin{name: name}, limit{nameBurst, nameInterval}, now)
	}
	return false, 0
}

// Signature decides whether a request is admitted that was signed with an access key: always if the signature is right,
// since no secret of a key can be guessed and ids of keys are no secrets. Wrong ones are slowed down, for the work that
// they make. Requests with keys that there are none of count for their address together: id is "" for them.
func (t *Throttle) Signature(id, address string, proved bool) (ok bool, wait time.Duration) {
	if proved {
		return true, 0
	}
	pair := origin{id, addressOf(address)}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if wait = t.waitOf(pair, limit{pairBurst, pairInterval}, now); wait > 0 {
		return false, wait
	}
	t.fail(pair, limit{pairBurst, pairInterval}, now)
	return false, 0
}

// waitOf is the time an origin has to wait before it may try again.
func (t *Throttle) waitOf(o origin, l limit, now time.Time) time.Duration {
	one := t.known[o]
	if one == nil {
		return 0
	}
	return max(0, one.freeAt.Sub(now)-time.Duration(l.burst-1)*l.interval)
}

// fail counts a failure. Nobody ever has to wait for more than an interval.
func (t *Throttle) fail(o origin, l limit, now time.Time) {
	one := t.at(o, now)
	if one.freeAt.Before(now) {
		one.freeAt = now
	}
	one.freeAt = one.freeAt.Add(l.interval)
	if most := now.Add(time.Duration(l.burst) * l.interval); one.freeAt.After(most) {
		one.freeAt = most
	}
}

// at returns the attempts of an origin.
func (t *Throttle) at(o origin, now time.Time) *attempts {
	one := t.known[o]
	if one == nil {
		if len(t.known) >= attemptsMax {
			t.forget(now)
		}
		one = &attempts{freeAt: now}
		t.known[o] = one
	}
	return one
}

// forget makes room: it drops attempts that count no more, then, if that is too little, half of all. Origins that are
// trusted go last.
func (t *Throttle) forget(now time.Time) {
	for _, goes := range []func(*attempts) bool{
		func(one *attempts) bool { return !one.trusted && !one.freeAt.After(now) },
		func(one *attempts) bool { return !one.trusted },
		func(*attempts) bool { return true },
	} {
		for o, one := range t.known {
			if len(t.known) <= attemptsMax/2 {
				return
			}
			if goes(one) {
				delete(t.known, o)
			}
		}
	}
}

// networkBits is the number of bits of an IPv6 address that count: one client has all addresses below it.
const networkBits = 64

// addressOf reads the address in HOST or HOST:PORT; what can't be read counts as one address.
func addressOf(text string) netip.Addr {
	address, err := netip.ParseAddr(text)
	if err != nil {
		at, _ := netip.ParseAddrPort(text)
		address = at.Addr()
	}
	address = address.Unmap().WithZone("")
	if address.Is6() {
		network, _ := address.Prefix(networkBits) // fails only for other families
		address = network.Addr()
	}
	return address
}
