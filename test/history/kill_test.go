// SPDX-License-Identifier: Apache-2.0

package history

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/test/harness"
	"github.com/weftdb/weft/test/history/check"
)

// killsCount is how often the server is killed in one history.
const killsCount = 8

// A kill comes so long after the server has begun to answer.
const (
	killAfterMin = 100 * time.Millisecond
	killAfterMax = 500 * time.Millisecond
)

// mortal is a server that is killed and started again. Whoever holds mu for reading knows that it runs, unless it was
// killed from elsewhere.
type mortal struct {
	mu      sync.RWMutex
	server  *harness.Server
	client  *http.Client
	options harness.Options
	over    atomic.Bool // there will be no more kills
}

func (m *mortal) call(ctx context.Context, operation string, body []byte) ([]byte, error) {
	m.mu.RLock()
	address := m.server.Addr()
	m.mu.RUnlock() // the kill must come while requests are under way
	return overHTTP{address, m.client}.call(ctx, operation, body)
}

// wait waits until the server runs again, and reports whether there is more to do.
func (m *mortal) wait() bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return !m.over.Load()
}

// kill kills the server and starts it again on its folder.
func (m *mortal) kill() (err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.server.Kill()
	m.client.CloseIdleConnections()
	m.server, err = harness.Launch(binary, m.options)
	return err
}

// TestKill kills the real binary in the middle of a history of lists and of a bank. Requests without an answer may have
// happened or not; those that have a token are sent again after the restart, and then have happened once.
func TestKill(t *testing.T) {
	seed := rounds.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 3))
	options := harness.Options{Data: t.TempDir()}
	m := &mortal{server: harness.Start(t, binary, options), client: dial("").client, options: options}
	defer func() { m.server.Kill() }()
	makeLists(t, m)
	makeBank(t, m)
	b := bank{caller: m}
	b.opening(t)

	var group sync.WaitGroup
	var counts bankCounts
	bankFaults := make(chan error, 4)
	for i := range cap(bankFaults) {
		group.Go(func() {
			next := func(lost bool) bool { return (!lost || m.wait()) && !m.over.Load() }
			bankFaults <- b.work(t.Context(), rand.New(rand.NewPCG(seed, uint64(100+i))), &counts, next)
		})
	}
	l := &load{seed: seed, clients: 10, slots: 6, longest: 30, idle: m.wait}
	var killFault error
	group.Go(func() {
		defer l.left.Store(0)
		defer m.over.Store(true)
		for range max(rounds.Of(t, killsCount), 2) {
			// so long the load runs; nothing is waited for
			time.Sleep(killAfterMin + time.Duration(rng.Int64N(int64(killAfterMax-killAfterMin))))
			if killFault = m.kill(); killFault != nil {
				return
			}
		}
	})
	h := l.run(t, 1<<40, func(int) lists { return weftLists{m} })
	group.Wait()
	close(bankFaults)
	for err := range bankFaults {
		killFault = errors.Join(killFault, err)
	}
	if killFault != nil {
		t.Fatal(killFault)
	}
	finishKilled(t, m, b, &counts, h)
}

// finishKilled judges what is there after the last kill.
func finishKilled(t *testing.T, m *mortal, b bank, counts *bankCounts, h check.History) {
	t.Helper()
	var sum tally
	sum.add(h, judge(t, "killed", h))
	if total, err := b.total(t.Context()); err != nil || total != accountsCount*openingSum {
		t.Errorf("all accounts together have %d, not %d: %v", total, accountsCount*openingSum, err)
	}
	if err := m.server.Stop(); err != nil {
		t.Error(err)
	}
	harness.Verify(t, binary, m.options.Data)
	t.Logf("%v; %d transfers, %d of them without an answer, %d looks at the bank", &sum,
		counts.moved.Load()+counts.lost.Load(), counts.lost.Load(), counts.looked.Load())
	if sum.unknown == 0 {
		t.Error("no kill has met a transaction")
	}
}

// TestKillItems kills the real binary once or twice in the middle of histories of items.
func TestKillItems(t *testing.T) {
	seed := rounds.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 4))
	options := harness.Options{Data: t.TempDir()}
	m := &mortal{server: harness.Start(t, binary, options), client: dial("").client, options: options}
	defer func() { m.server.Kill() }()
	makeTable(t, m, itemTable, itemIndex)
	var lost atomic.Int64
	for history := range max(rounds.Of(t, 2), 2) {
		h := itemHistory{seed: rng.Uint64(), clients: 4, items: 3, requests: requests(1200), many: true}
		s := items{caller: m, first: history * itemsMax, count: h.items}
		var sent atomic.Int64
		kills := make(chan error, 2)
		all := h.run(t, func(ctx context.Context, r *request) (reply, error) {
			if n := sent.Add(1); n == int64(h.requests)/3 || n == int64(h.requests)*2/3 {
				go func() { kills <- m.kill() }()
			}
			found, bad := s.do(ctx, r)
			if found.outcome == unknown {
				lost.Add(1)
				m.wait()
			}
			return found, bad
		})
		if err := errors.Join(<-kills, <-kills); err != nil {
			t.Fatal(err)
		}
		if !h.linearizable(t, all) {
			t.Fatalf("history %+v is not linearizable:\n%s", h, describe(h, all))
		}
	}
	t.Logf("%d requests had no answer", lost.Load())
	if lost.Load() == 0 {
		t.Error("no kill has met a request")
	}
}
