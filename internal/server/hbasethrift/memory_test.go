// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/resource/memory"
)

// TestAwait: who waits gets what a stalled client holds, in the order in which large holders came; small ones wait for
// none of these.
func TestAwait(t *testing.T) {
	const limit = 10 << 20
	budget, ctx := memory.New(limit), t.Context()
	m := NewMemory(budget)
	stalled := m.share()
	if !m.await(ctx, &stalled, limit*4/5, time.Minute) {
		t.Fatal("free memory is refused")
	}
	small := m.share()
	if !m.await(ctx, &small, 1<<20, time.Minute) {
		t.Error("a small holder finds none")
	}
	cut := make(chan struct{})
	transfer := m.begin(func() { close(cut) })
	go func() {
		<-cut
		if !transfer.end() {
			t.Error("the client does not learn that it was cut")
		}
		stalled.Release()
	}()
	large := m.share()
	if !m.await(ctx, &large, 4<<20, time.Hour) {
		t.Error("a waiter is refused")
	}
	refused := budget.Refused()
	if m.await(ctx, &large, limit, time.Hour) || budget.Refused() != refused+1 {
		t.Error("more than there is is waited for")
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	other := m.share()
	if m.await(ended, &other, 6<<20, time.Hour) || m.await(ctx, &other, 6<<20, time.Nanosecond) {
		t.Error("memory is given out twice")
	}
	large.Release()
	small.Release()
	if !m.await(ctx, &other, 6<<20, time.Nanosecond) || budget.Used() != 6<<20 {
		t.Errorf("those who left the line keep others out: %d bytes are used", budget.Used())
	}
	quick := m.begin(func() { t.Error("a client is cut though nobody waits") })
	quick.move(1)
	if quick.end() {
		t.Error("a client was cut")
	}
	var none *Memory
	none.begin(nil).move(1)
	if none.begin(nil).end() {
		t.Error("without a bound a client is cut")
	}
}

// TestWithoutArguments: no call of either version fails of itself if its arguments are missing.
func TestWithoutArguments(t *testing.T) {
	for _, version := range []Version{Two, One} {
		s, addr := serve(t, Options{Version: version})
		for name := range s.functions {
			_, err := connect(t, addr, "http binary", version).call(name, fields{})
			if e, ok := errors.AsType[*broken](err); ok && e.kind == internalError {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
