// SPDX-License-Identifier: Apache-2.0

package account

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// clock is a time that a test moves on.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// TestThrottlePair: of the tries at a user from one address, ten are judged at once and one more every ten seconds,
// whatever the others were: the right password among too many is refused like a wrong one.
func TestThrottlePair(t *testing.T) {
	c := &clock{time.Unix(1, 0)}
	throttle := NewThrottle(c.now)
	for i := range pairBurst {
		if ok, wait := throttle.Login("ann", "192.0.2.1", false); ok || wait != 0 {
			t.Fatalf("wrong password %d: %v, %v", i, ok, wait)
		}
	}
	for _, proved := range []bool{true, false, true} {
		if ok, wait := throttle.Login("ann", "192.0.2.1", proved); ok || wait != pairInterval {
			t.Errorf("after too many: %v, %v", ok, wait)
		}
	}
	if ok, _ := throttle.Login("ann", "192.0.2.2", true); !ok {
		t.Error("the user is refused at another address")
	}
	if ok, _ := throttle.Login("bob", "192.0.2.1", true); !ok {
		t.Error("another user is refused at the address")
	}
	c.at = c.at.Add(pairInterval)
	if ok, _ := throttle.Login("ann", "192.0.2.1", false); ok {
		t.Error("a wrong password let in")
	}
	if ok, wait := throttle.Login("ann", "192.0.2.1", true); ok || wait != pairInterval {
		t.Errorf("a second try after one interval: %v, %v", ok, wait)
	}
	c.at = c.at.Add(pairInterval)
	if ok, wait := throttle.Login("ann", "192.0.2.1", true); !ok || wait != 0 {
		t.Errorf("the right password in time: %v, %v", ok, wait)
	}
	if ok, wait := throttle.Login("ann", "192.0.2.1", true); !ok || wait != 0 {
		t.Errorf("and again: %v, %v", ok, wait)
	}
}

// TestThrottleGuesses: 10^6 tries, from many addresses and at many names over a day, are judged as seldom as the limits
// say. A user that signed in before still can.
func TestThrottleGuesses(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	c := &clock{time.Unix(1, 0)}
	throttle := NewThrottle(c.now)
	if ok, _ := throttle.Login("ann", "192.0.2.1", true); !ok {
		t.Fatal("the first login is refused")
	}
	const tries, pause = 1_000_000, time.Millisecond
	judgedAt := map[string]int{}
	judged := 0
	for range tries {
		c.at = c.at.Add(pause)
		address := fmt.Sprintf("198.51.100.%d", random.IntN(200))
		if _, wait := throttle.Login("ann", address, false); wait == 0 {
			judged++
			judgedAt[address]++
		}
	}
	elapsed := tries * pause
	if most := nameBurst + int(elapsed/nameInterval); judged > most {
		t.Errorf("%d guesses at one name were judged, more than %d", judged, most)
	}
	for address, n := range judgedAt {
		if most := pairBurst + int(elapsed/pairInterval); n > most {
			t.Errorf("%d guesses from %s were judged, more than %d", n, address, most)
		}
	}
	if ok, _ := throttle.Login("ann", "192.0.2.1", true); !ok {
		t.Error("a user is shut out by others")
	}
	if ok, wait := throttle.Login("ann", "192.0.2.9", true); ok || wait == 0 {
		t.Error("the name's own limit does not hold")
	}
}

// TestThrottleNames: tries at many names from one address, or from one network of IPv6, are bounded together, and what
// is remembered is bounded, too.
func TestThrottleNames(t *testing.T) {
	c := &clock{time.Unix(1, 0)}
	throttle := NewThrottle(c.now)
	judged := 0
	for i := range 10_000 {
		if _, wait := throttle.Login(fmt.Sprint("user", i), fmt.Sprintf("2001:db8::%x", i), false); wait == 0 {
			judged++
		}
	}
	if judged != addressBurst {
		t.Errorf("%d names were tried from one network", judged)
	}
	for i := range 3 * attemptsMax {
		throttle.Login("ann", fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255), false)
		throttle.Signature("", fmt.Sprintf("10.%d.%d.%d:1", i>>16, i>>8&255, i&255), false)
		c.at = c.at.Add(nameInterval)
	}
	if n := len(throttle.known); n > attemptsMax {
		t.Errorf("%d origins are remembered", n)
	}
}

// TestThrottleOwn: who may sign in, and tries wrong passwords in between, shuts the address to nobody.
func TestThrottleOwn(t *testing.T) {
	c := &clock{time.Unix(1, 0)}
	throttle := NewThrottle(c.now)
	for range 30_000 {
		throttle.Login("none", "192.0.2.1", true)
		throttle.Login("none", "192.0.2.1", false)
	}
	if ok, wait := throttle.Login("fresh", "192.0.2.1", true); !ok {
		t.Errorf("another user must wait %s", wait)
	}
	for i := range 10 * addressBurst {
		throttle.Login("guess"+fmt.Sprint(i), "192.0.2.1", false)
	}
	if ok, wait := throttle.Login("late", "192.0.2.1", true); ok || wait > addressInterval {
		t.Errorf("after too many guesses: %v, %s", ok, wait)
	}
	if ok, _ := throttle.Login("fresh", "192.0.2.1", true); !ok {
		t.Error("who signed in before is shut out")
	}
}

// TestThrottleForgets: those who signed in are remembered when others fill the memory.
func TestThrottleForgets(t *testing.T) {
	c := &clock{time.Unix(1, 0)}
	throttle := NewThrottle(c.now)
	throttle.Login("ann", "192.0.2.1", true)
	for i := range 2 * attemptsMax {
		throttle.Login("x", fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255), false)
		c.at = c.at.Add(nameInterval)
	}
	if one := throttle.known[origin{"ann", addressOf("192.0.2.1")}]; one == nil || !one.trusted {
		t.Error("a trusted origin was forgotten")
	}
}

// TestThrottleSignatures: wrong signatures hold up no right ones, nor other keys, and unknown keys count together.
func TestThrottleSignatures(t *testing.T) {
	c := &clock{time.Unix(1, 0)}
	throttle := NewThrottle(c.now)
	for i := range pairBurst {
		for _, id := range []string{"AKIA1", ""} {
			if ok, wait := throttle.Signature(id, "192.0.2.1:1234", false); ok || wait != 0 {
				t.Fatalf("wrong signature %d with %q: %v, %v", i, id, ok, wait)
			}
		}
	}
	for _, one := range []struct {
		id, address string
		proved, ok  bool
	}{
		{"AKIA1", "192.0.2.1:99", false, false}, {"AKIA1", "192.0.2.1:99", true, true},
		{"", "192.0.2.1:99", false, false}, {"AKIA2", "192.0.2.1:99", true, true},
		{"AKIA1", "192.0.2.2:99", true, true},
	} {
		if ok, wait := throttle.Signature(one.id, one.address, one.proved); ok != one.ok || ok != (wait == 0) {
			t.Errorf("%+v: %v, %v", one, ok, wait)
		}
	}
}
