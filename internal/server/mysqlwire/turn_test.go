// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"net"
	"sync"
	"testing"
	"time"
)

// TestTurnsRelease lets many pass at once, and lets all go when the turns are closed.
func TestTurnsRelease(t *testing.T) {
	turns := openTurns()
	if turns == nil {
		t.Skip("no pipe")
	}
	var passing sync.WaitGroup
	for range 50 {
		passing.Go(func() {
			own := make(chan struct{}, 1)
			for range 100 {
				turns.pass(own)
			}
		})
	}
	passing.Wait()
	for range 50 {
		passing.Go(func() { turns.pass(make(chan struct{}, 1)) })
	}
	turns.close()
	passing.Wait()
	turns.pass(nil) // nobody waits any more
}

// TestTurnFindsOthers is that who passes lets those go first whose bytes came before.
func TestTurnFindsOthers(t *testing.T) {
	turns := openTurns()
	if turns == nil {
		t.Skip("no pipe")
	}
	defer turns.close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	near, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = near.Close() }()
	far, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = far.Close() }()
	came := make(chan struct{})
	go func() {
		_, _ = far.Read(make([]byte, 1))
		close(came)
	}()
	if _, err := near.Write([]byte{0}); err != nil {
		t.Fatal(err)
	}
	own := make(chan struct{}, 1)
	for n := 0; ; n++ {
		select {
		case <-came:
			return
		default:
		}
		if n > 1_000_000 {
			t.Fatal("the other was never found")
		}
		turns.pass(own)
	}
}

// TestTurnOver counts what a connection is served in a row.
func TestTurnOver(t *testing.T) {
	var own turn
	now := time.Now()
	if own.over(now.Add(-turnWaited), now) {
		t.Error("over after a wait")
	}
	for _, c := range []struct {
		after time.Duration
		want  bool
	}{{turnMax / 2, false}, {turnMax, true}} {
		if at := now.Add(c.after); own.over(at, at) != c.want {
			t.Errorf("over after %v: not %v", c.after, c.want)
		}
	}
}
