// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/server/mysqlwire/packet"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
)

// endless sends rows until its context ends, which it looks at between two rows alone.
type endless struct {
	Session
	limit context.Context // nil: none of its own
}

func (e endless) Query(ctx context.Context, _ []byte, s result.Sink) error {
	if e.limit != nil {
		ctx = e.limit
		defer s.(interface {
			EndBy(ctx context.Context) func() bool
		}).EndBy(ctx)()
	}
	column := result.Column{Name: "c", Type: datum.Type{Base: datum.Varchar, Length: 1000}}
	if err := s.Columns([]result.Column{column}); err != nil {
		return err
	}
	for ctx.Err() == nil {
		if err := s.Row([]datum.Datum{datum.Text(make([]byte, 1000))}); err != nil {
			return err
		}
	}
	return fault.New(fault.Interrupted)
}

// TestUnreadAnswers ends statements whose clients read nothing, by KILL QUERY and by a time limit of the dialect's:
// their connections end, far before the write timeout. A statement that ends in time keeps its connection.
func TestUnreadAnswers(t *testing.T) {
	limited, end := context.WithCancel(t.Context())
	for name, how := range map[string]struct {
		session endless
		end     func(s *Server)
	}{
		"KILL QUERY": {endless{}, func(s *Server) {
			if err := s.Kill(1, true); err != nil {
				t.Error(err)
			}
		}},
		"time limit": {endless{limit: limited}, func(*Server) { end() }},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDialect()
			options := Options{WriteTimeout: time.Hour}
			options.Open = func(ctx context.Context, login result.Login) (Session, error) {
				session, err := d.open(ctx, login)
				how.session.Session = session
				return how.session, err
			}
			s, listener := servePipes(t, d, options)
			r := enter(t, listener.dial(), packet.Offered)
			if err := r.command([]byte{packet.ComQuery, 'x'}); err != nil {
				t.Fatal(err)
			}
			if _, err := r.read(); err != nil { // the statement has begun
				t.Fatal(err)
			}
			how.end(s)
			waitForNone(t, s)
			if _, err := io.Copy(io.Discard, r.conn); err != nil && !errors.Is(err, net.ErrClosed) &&
				!errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error(err)
			}
		})
	}
}
