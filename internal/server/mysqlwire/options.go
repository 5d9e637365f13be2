// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"cmp"
	"context"
	"crypto/tls"
	"log/slog"
	"time"

	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/resource/metric"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
)

// Session is the state of one connection. It is used by one goroutine at a time. Errors are *fault.Error; any other is
// answered as 1105. A context that ends while a method runs says that nobody waits for the answer any more: it was
// killed, or the client is gone.
type Session interface {
	// Query runs a text, which may hold several statements, and tells the answer of each to the sink. The text is valid
	// until Query returns.
	Query(ctx context.Context, text []byte, s result.Sink) error
	// Prepare compiles one statement. The text is valid until Prepare returns.
	Prepare(ctx context.Context, text []byte) (result.Prepared, error)
	// Use changes the current database.
	Use(ctx context.Context, database string) error
	// Reset makes the session what it was when it was opened: it rolls back, and forgets variables.
	Reset(ctx context.Context) error
	// Fields returns the columns of a table of the current database.
	Fields(ctx context.Context, table string) ([]result.Column, error)
	// State returns the state that clients receive with each answer: sinks ask for it while a statement calls them.
	State() result.State
	// Close rolls back what is open. The session is not used again.
	Close()
}

// multiStatementSetter is a session that wants to know when its client changes whether a text may hold several
// statements.
type multiStatementSetter interface{ SetMultiStatements(on bool) }

// idler is a session that knows how long it may wait for its next command, in place of Options.IdleTimeout. Zero leaves
// that as it is.
type idler interface{ IdleTimeout() time.Duration }

// Verifier verifies a user's password. A field of zeros is unknown.
type Verifier struct {
	NativeSHA1 [20]byte // SHA1(SHA1(password)), for mysql_native_password
	SHA256     [32]byte // SHA256(SHA256(password)), for caching_sha2_password
	Credential string   // result.Login's, of who proves the password
}

// Options are the settings of a Server. Open must be set; for the rest the zero value works.
type Options struct {
	// Open opens the session of a client that logged in. A database that is unknown is fault.UnknownDatabase.
	Open func(ctx context.Context, login result.Login) (Session, error)
	// Authenticate finds a user's verifier; ok is false for unknown users. Default: any user may log in with any
	// password.
	Authenticate func(user string) (v Verifier, ok bool)
	// Judge has the last word on a login whose password was compared: an error refuses it, even if the password was
	// right. Default: the password decides.
	Judge func(user, host string, proved bool) *fault.Error
	// AuthenticateWarn lets in users that would be refused, and logs them.
	AuthenticateWarn bool
	// TLS is offered to clients, if set.
	TLS *tls.Config
	// TLSRequired refuses clients that log in without TLS.
	TLSRequired bool
	// Version is the version that the server reports. Clients read its beginning as a version of MySQL. Default
	// "8.0.36-weft-0.1".
	Version string
	// Logger takes failures at level error, and connections at level debug. Default: nothing is logged.
	Logger *slog.Logger
	// Metrics counts connections and panics. Default: they are not counted.
	Metrics *metric.Protocol

	// PacketBytesMax is max_allowed_packet: the length of the longest command, and of all data of one statement that
	// are sent ahead. Default 64 MiB.
	PacketBytesMax int
	// Memory limits the memory of the commands and answers of all connections together, besides 16 KiB for each;
	// commands beyond it are refused. Default 512 MiB.
	Memory *memory.Budget
	// CursorBytesMax is the number of bytes of a cursor's answer that are held when the client runs another statement
	// before it has fetched all. Default 64 MiB.
	CursorBytesMax int
	// StatementsMax is the number of prepared statements a connection may have. Default 16,382.
	StatementsMax int
	// ConnectionsMax is the number of connections that may be open. Default 1,000.
	ConnectionsMax int
	// UserConnectionsMax is the number of them one user may have, if users are authenticated. Default: nine tenths, so
	// that others get in.
	UserConnectionsMax int

	// LoginTimeout is the time a client may take to log in. Default 10 s.
	LoginTimeout time.Duration
	// IdleTimeout is the time a connection may wait for its next command, unless its session has a method IdleTimeout()
	// time.Duration that says so. Default 8 h.
	IdleTimeout time.Duration
	// ReadTimeout is the time a command may take to arrive once its beginning has. Default 60 s, and 1 s more for each
	// MiB.
	ReadTimeout time.Duration
	// WriteTimeout is the time a client may take to accept a part of an answer, of 1 MiB at most. Default 60 s.
	WriteTimeout time.Duration
	// WatchInterval is the time between two checks whether the clients of running statements are still connected.
	// Default 1 s.
	WatchInterval time.Duration
}

// withDefaults sets the defaults of unset fields.
func (o Options) withDefaults() Options {
	o.Version = cmp.Or(o.Version, "8.0.36-weft-0.1")
	o.PacketBytesMax = cmp.Or(o.PacketBytesMax, 64<<20)
	o.Memory = cmp.Or(o.Memory, memory.New(512<<20))
	o.CursorBytesMax = cmp.Or(o.CursorBytesMax, 64<<20)
	o.StatementsMax = cmp.Or(o.StatementsMax, 16_382)
	o.ConnectionsMax = cmp.Or(o.ConnectionsMax, 1000)
	o.UserConnectionsMax = cmp.Or(o.UserConnectionsMax, max(o.ConnectionsMax-o.ConnectionsMax/10, 1))
	o.LoginTimeout = cmp.Or(o.LoginTimeout, 10*time.Second)
	o.IdleTimeout = cmp.Or(o.IdleTimeout, 8*time.Hour)
	o.ReadTimeout = cmp.Or(o.ReadTimeout, 60*time.Second)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, 60*time.Second)
	o.WatchInterval = cmp.Or(o.WatchInterval, time.Second)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return o
}
