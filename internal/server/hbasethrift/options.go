// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/resource/metric"
)

// Version is one of HBase's two Thrift APIs.
type Version int

// The versions.
const (
	Two Version = iota // THBaseService
	One                // Hbase
)

// String returns the version's name.
func (v Version) String() string { return [...]string{"Thrift2 (THBaseService)", "Thrift1 (Hbase)"}[v] }

// other is the version that this one is not.
func (v Version) other() Version { return 1 - v }

// Options are the settings of a Server. API must be set; for the rest the zero value works.
type Options struct {
	API     *hbase.API
	Version Version
	// OtherAddr is the address of the other version, for clients that took the wrong port. Default: it is not served.
	OtherAddr string
	// Addr is this server's host and port, which clients get as the place of regions. Default: localhost, port 0.
	Addr string

	// SignIn returns the user whom a password proves, "" for an anonymous one, or the reason for a refusal. An
	// empty name is a client that has not named its user. Default: no client needs to sign in.
	SignIn func(ctx context.Context, user, password, host string) (string, error)
	// Hosts says by which names HTTP clients may call the server. Default: by any.
	Hosts func(host string) bool

	// Memory bounds messages and answers of all connections together. Default: no bound.
	Memory *Memory
	// WaitMax is the time a call waits for memory. Meanwhile clients that have stalled lose theirs. Default 5 s.
	WaitMax time.Duration
	// MessageBytesMax is the length of the longest message. Default 16 MiB.
	MessageBytesMax int
	// HeaderTimeout is the time a new connection may take to send something, and an HTTP header to arrive. Default 5 s.
	HeaderTimeout time.Duration
	// IdleTimeout is the time a connection stays open between messages. Default 10 minutes.
	IdleTimeout time.Duration
	// TransferGrace is the time a message may take in either direction, plus a second for each 64 KiB of it. Default 10
	// s.
	TransferGrace time.Duration

	// Logger takes failures at level error. Default: nothing is logged.
	Logger *slog.Logger
	// Metrics counts connections and calls. Default: they are not counted.
	Metrics *metric.Protocol
}

// bytesPerSecond is the rate below which a client is cut off.
const bytesPerSecond = 64 << 10

func (o Options) withDefaults() Options {
	o.Addr = cmp.Or(o.Addr, "localhost:0")
	o.MessageBytesMax = cmp.Or(o.MessageBytesMax, 16<<20)
	o.WaitMax = cmp.Or(o.WaitMax, 5*time.Second)
	o.HeaderTimeout = cmp.Or(o.HeaderTimeout, 5*time.Second)
	o.IdleTimeout = cmp.Or(o.IdleTimeout, 10*time.Minute)
	o.TransferGrace = cmp.Or(o.TransferGrace, 10*time.Second)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return o
}

// transferTime is the time n bytes may take.
func (o *Options) transferTime(n int) time.Duration {
	return o.TransferGrace + time.Duration(n)*time.Second/bytesPerSecond
}
