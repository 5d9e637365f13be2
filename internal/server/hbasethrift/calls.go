// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"net"
	"strconv"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/hbase/filter"
	"github.com/weftdb/weft/internal/resource/metric"
)

// calls is the common part of both versions' calls.
type calls struct{ server *Server }

func (c calls) api() *hbase.API { return c.server.options.API }

// latest is the time that HBase's clients write for the server's clock.
const latest = math.MaxInt64

// timeOf is a time that a client gives, as package hbase has it: latest is the server's clock.
func timeOf(ms int64) (int64, error) {
	switch {
	case ms == latest:
		return 0, nil
	case ms < 0:
		return 0, refuse("the timestamp %d can't be stored: give a time since 1970, in milliseconds, "+
			"or none for the server's clock", ms)
	case ms == 0:
		return hbase.Epoch, nil
	}
	return ms, nil
}

// refuse refuses arguments.
func refuse(format string, arguments ...any) error { return hbase.Illegal(format, arguments...) }

// errVersions is the refusal of a number of versions.
var errVersions = refuse("maxVersions must be positive") // immutable

// lifeAttribute is the attribute in which HBase's clients give the life of the cells of a write: milliseconds in eight
// bytes.
const lifeAttribute = "_ttl"

func lifeOf(text []byte) (int64, error) {
	if len(text) != 8 {
		return 0, refuse("the attribute %s must be a number of milliseconds in eight bytes", lifeAttribute)
	}
	if life := int64(binary.BigEndian.Uint64(text)); life > 0 && life != latest { // latest is none of its own
		return life, nil
	} else if life == latest {
		return 0, nil
	}
	return -1, nil // gone at once
}

func filterOf(text []byte) (filter.Filter, error) {
	if len(text) == 0 {
		return nil, nil
	}
	f, err := filter.Parse(text)
	if err != nil {
		return nil, refuse("%s", err)
	}
	return f, nil
}

// reserve counts results as memory of the call.
func (c calls) reserve(ctx context.Context, results []hbase.Result) error {
	const perCell = 300 // structures, and the answer's bytes
	n := 0
	for i := range results {
		for j := range results[i].Cells {
			cell := &results[i].Cells[j]
			n += perCell + 2*(len(cell.Family)+len(cell.Qualifier)+len(cell.Value))
		}
	}
	if !c.server.options.Memory.await(ctx, callOf(ctx).share, int64(n), c.server.options.WaitMax) {
		return errNoMemory{}
	}
	return nil
}

// get reads rows, so many at a time that memory is counted before more is taken.
func (c calls) get(ctx context.Context, name hbase.TableName, gets []*hbase.Get) ([]hbase.Result, error) {
	const atOnce = 100
	var all []hbase.Result
	for begin := 0; begin < len(gets); begin += atOnce {
		some, err := c.api().GetMultiple(ctx, name, gets[begin:min(begin+atOnce, len(gets))])
		if err == nil {
			err = c.reserve(ctx, some)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// rows reads on from a scanner.
func (c calls) rows(ctx context.Context, id, most int32) ([]hbase.Result, error) {
	if most < 0 {
		return nil, refuse("a negative number of rows can't be read")
	}
	results, err := c.server.scanners.Next(ctx, callOf(ctx).user, id, int(most))
	if err == nil {
		err = c.reserve(ctx, results)
	}
	return results, err
}

// openScanner begins a scan and keeps it for its user.
func (c calls) openScanner(ctx context.Context, name hbase.TableName, scan *hbase.Scan) (int32, error) {
	scanner, err := c.api().OpenScanner(ctx, name, scan)
	if err != nil {
		return 0, err
	}
	return c.server.scanners.Add(callOf(ctx).user, scanner)
}

func (c calls) closeScanner(ctx context.Context, id int32) error {
	return c.server.scanners.Close(callOf(ctx).user, id)
}

// address is the host and port at which all regions are.
func (c calls) address() (host string, port int32) {
	host, text, err := net.SplitHostPort(c.server.options.Addr)
	if err != nil {
		return c.server.options.Addr, 0
	}
	n, _ := strconv.ParseInt(text, 10, 32) // 0 if it is a name
	return host, int32(n)
}

// failure is the client's form of an error.
type failure struct {
	message    string
	isIllegal  bool
	isExisting bool // the table is there already
	canRetry   bool
}

// fail words an error, and notes how the call ended.
func (c calls) fail(ctx context.Context, err error) failure {
	x := callOf(ctx)
	if f, ok := errors.AsType[*hbase.Fault](err); ok {
		x.outcome = metric.Refused
		return failure{f.Error(), f.Kind == hbase.IllegalArgument, hbase.IsTableExists(err), f.Retry}
	}
	if errors.As(err, new(errNoMemory)) {
		x.outcome = metric.Throttle
		return failure{message: err.Error(), canRetry: true}
	}
	x.outcome = metric.Failed
	message := "the call failed: see the server's log"
	if e, ok := errors.AsType[*database.Error](err); ok && e.Kind != database.KindInternal {
		message = e.Reason()
		switch e.Kind {
		case database.KindConflict, database.KindBusy, database.KindUnavailable, database.KindClosed:
			x.outcome = metric.Conflict
			return failure{message: ioException + message, canRetry: true}
		case database.KindCanceled:
			x.outcome = metric.Canceled
			return failure{message: ioException + message, canRetry: true}
		}
	}
	c.server.options.Logger.ErrorContext(ctx, "a call failed", "error", err)
	return failure{message: ioException + message}
}

const ioException = "java.io.IOException: "
