// SPDX-License-Identifier: Apache-2.0

// Package endpoint opens the ports of all protocols and limits their connections, so that the store never lacks a file
// descriptor.
//
// Knows: listeners, the limit of open files, HTTP servers.
// Never: what is spoken on a port, the database.
package endpoint

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/weftdb/weft/internal/resource/metric"
)

// Shares says how the file descriptors of the process are shared out.
type Shares struct {
	Files       int // open at most; 0: no limit is known
	Tables      int // of them, for the tables of an embedded store
	Admin       int // connections to the admin port
	Connections int // connections to all other protocols together
}

// The file descriptors that a process uses if it has enough.
const (
	tablesMax      = 1000
	adminMax       = 64
	connectionsMax = 1 << 20
)

// ShareOut shares out the descriptors that the operating system allows. The rest is for logs, sorts, loads and outgoing
// connections.
func ShareOut() Shares { return shareOut(filesMax()) }

func shareOut(files int) Shares {
	if files == 0 {
		return Shares{Tables: tablesMax, Admin: adminMax, Connections: connectionsMax}
	}
	s := Shares{Files: files, Tables: min(max(files/4, 64), tablesMax), Admin: min(max(files/16, 4), adminMax)}
	others := min(64+files/16, 1024)
	s.Connections = min(max(files-s.Tables-s.Admin-others, 4), connectionsMax)
	return s
}

// Bound is the number of connections that may be open together. Make one with NewBound.
type Bound struct {
	most int64
	said atomic.Int64 // when a refusal was last logged, in nanoseconds since 1970
	log  *slog.Logger

	addressMost int // of one address; 0: half of most, and no bound for this machine's own
	mu          sync.Mutex
	open        int64
	addresses   map[netip.Addr]int // how many each has open
	// kept holds all open connections with their requests that must not be cut; nil without Replacing.
	kept map[*connection]int
}

// NewBound returns a bound of so many connections.
func NewBound(most int, log *slog.Logger) *Bound {
	return &Bound{most: int64(most), log: log, addresses: map[netip.Addr]int{}}
}

// PerAddress also bounds the connections of one client address. 0 is half of all, and no bound for addresses of this
// machine.
func (b *Bound) PerAddress(most int) *Bound {
	b.addressMost = most
	return b
}

// Protocol describes the protocol that a listener serves.
type Protocol struct {
	Name    string // in the log and in errors
	Metrics *metric.Protocol
	// TLS encrypts the connections. The MySQL protocol starts TLS by itself. Default: they are in plain text.
	TLS *tls.Config
	// Tells says that the server itself refuses connections whose method Excess() returns true, with an error of its
	// protocol. Without it the listener closes such connections at once.
	Tells bool
}

// Listen opens a port.
func (b *Bound) Listen(address string, d Protocol) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("the %s port can't listen on %s: %w%s", d.Name, address, err, remedy(address, d.Name, err))
	}
	bounded := &listener{Listener: l, bound: b, protocol: d}
	if d.TLS != nil {
		return tls.NewListener(bounded, d.TLS), nil
	}
	return bounded, nil
}

// remedy says what helps if another program has the port; "" for other faults.
func remedy(address, protocol string, err error) string {
	if !errors.Is(err, syscall.EADDRINUSE) {
		return ""
	}
	text := fmt.Sprintf("; end the program that has it, or choose another port with --%s-addr", protocol)
	if free := freePort(address); free != "" {
		text += ", such as " + free
	}
	return text
}

// freePort is an address with one of the next ports, which nobody has at this moment; "" if there is none.
func freePort(address string) string {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return ""
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return "" // the port has a name
	}
	for next := port + 1; next <= min(port+100, math.MaxUint16); next++ {
		one := net.JoinHostPort(host, strconv.Itoa(next))
		if l, err := net.Listen("tcp", one); err == nil {
			_ = l.Close()
			return one
		}
	}
	return ""
}

// Reasons why a connection may not be.
const (
	allTaken     = "the limit of open files (ulimit -n) is reached; raise it"
	addressTaken = "one address has as many as --address-connections allows"
)

// take counts a connection from an address. reason is why it may not be.
func (b *Bound) take(from netip.Addr) (reason string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	most := int64(b.addressMost)
	if most == 0 {
		most = max(b.most/2, 1)
		if from.IsLoopback() {
			most = b.most
		}
	}
	switch {
	case b.open >= b.most:
		return allTaken
	case int64(b.addresses[from]) >= most:
		return addressTaken
	}
	b.open++
	b.addresses[from]++
	return ""
}

// admit is take, or takes the place of another connection.
func (b *Bound) admit(from netip.Addr) (reason string) {
	for {
		reason = b.take(from)
		of := from
		if reason == allTaken {
			of = netip.Addr{}
		}
		if reason == "" || !b.replace(of) {
			return reason
		}
	}
}

func (b *Bound) leave(c *connection) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.kept, c)
	from := c.from
	b.open--
	if b.addresses[from]--; b.addresses[from] == 0 {
		delete(b.addresses, from)
	}
}

// sayEvery is the least time between two log lines about refused connections.
const sayEvery = 10 * time.Second

func (b *Bound) refuse(d Protocol, from netip.Addr, reason string) {
	if d.Metrics != nil {
		d.Metrics.Refused()
	}
	now := time.Now().UnixNano()
	if last := b.said.Load(); now-last > int64(sayEvery) && b.said.CompareAndSwap(last, now) {
		b.log.Warn("connections are refused: "+reason, "protocol", d.Name, "client", from.String(), "at_most", b.most)
	}
}

type listener struct {
	net.Listener
	bound    *Bound
	protocol Protocol
}

// Accept returns the next connection that is within the bound, or that the server refuses itself.
func (l *listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		tcp := conn.(*net.TCPConn) // as net.Listen promises
		from := addressOf(tcp)
		reason := l.bound.admit(from)
		if reason == "" {
			return l.bound.connect(tcp, from), nil
		}
		l.bound.refuse(l.protocol, from, reason)
		if l.protocol.Tells {
			return excess{tcp}, nil
		}
		_ = tcp.SetLinger(0) // nothing was sent; the client learns at once
		_ = tcp.Close()
	}
}

// networkBits is the number of bits of an IPv6 address that count: one client has all addresses below it.
const networkBits = 64

// addressOf is the client's address, as far as it counts.
func addressOf(conn *net.TCPConn) netip.Addr {
	at, ok := conn.RemoteAddr().(*net.TCPAddr)
	if !ok { // it is gone already
		return netip.Addr{}
	}
	address := at.AddrPort().Addr().Unmap().WithZone("")
	if address.Is6() && !address.IsLoopback() {
		network, _ := address.Prefix(networkBits) // fails only for other families
		address = network.Addr()
	}
	return address
}

// connection counts until it is closed.
type connection struct {
	*net.TCPConn
	bound *Bound
	from  netip.Addr
	once  sync.Once
	since time.Time // when it was opened, or its last kept request began or ended; guarded by Bound.mu
}

// connect makes a connection that was admitted.
func (b *Bound) connect(tcp *net.TCPConn, from netip.Addr) *connection {
	c := &connection{TCPConn: tcp, bound: b, from: from, since: time.Now()}
	if b.mu.Lock(); b.kept != nil {
		b.kept[c] = 0
	}
	b.mu.Unlock()
	return c
}

// Close implements net.Conn.
func (c *connection) Close() error {
	c.once.Do(func() { c.bound.leave(c) })
	return c.TCPConn.Close()
}

// excess is a connection beyond the bound.
type excess struct{ *net.TCPConn }

// Excess tells the server to refuse the connection.
func (excess) Excess() bool { return true }

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
