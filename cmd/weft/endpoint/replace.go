// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"time"
)

// Replacing lets a new connection take the place of another one where there is none left: of the address that has most
// connections, the one that has been without a kept request for longest. It suits ports of short requests, which a
// crowd of strangers would otherwise take from the programs that watch the server.
func (b *Bound) Replacing() *Bound {
	b.kept = map[*connection]int{}
	return b
}

type connectionKey struct{}

// withConnection returns the context of a connection's requests.
func withConnection(ctx context.Context, conn net.Conn) context.Context {
	if encrypted, ok := conn.(*tls.Conn); ok {
		conn = encrypted.NetConn()
	}
	return context.WithValue(ctx, connectionKey{}, conn)
}

// Keep lets no new connection take the place of a request's until the request has ended. It does nothing for a Bound
// without Replacing.
func Keep(request context.Context) {
	c, ok := request.Value(connectionKey{}).(*connection)
	if !ok || !c.bound.mark(c, 1) {
		return
	}
	context.AfterFunc(request, func() { c.bound.mark(c, -1) })
}

// mark counts kept requests of a connection; ok is false if it is closed.
func (b *Bound) mark(c *connection, by int) (ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, ok := b.kept[c]
	if ok {
		b.kept[c], c.since = n+by, time.Now()
	}
	return ok
}

// replace closes a connection to make room, one of an address if that is not the zero Addr; ok is false if all must be
// kept.
func (b *Bound) replace(of netip.Addr) (ok bool) {
	b.mu.Lock()
	var found *connection
	for c, requests := range b.kept {
		if requests > 0 || of.IsValid() && c.from != of {
			continue
		}
		if found == nil || b.addresses[c.from] > b.addresses[found.from] ||
			b.addresses[c.from] == b.addresses[found.from] && c.since.Before(found.since) {
			found = c
		}
	}
	b.mu.Unlock()
	if found == nil {
		return false
	}
	_ = found.SetLinger(0)
	_ = found.Close() // whoever has it learns that by reading or writing
	return true
}
