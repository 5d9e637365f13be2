// SPDX-License-Identifier: Apache-2.0

package exchange

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/background/task"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/attributeion"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/files/archive"
	"github.com/weftdb/weft/internal/history/past"
	"github.com/weftdb/weft/storage"
)

// errStorage wraps what went wrong outside of the database: the work fails then, and is not tried again.
type errStorage struct{ error }

func (e errStorage) Unwrap() error { return e.error }

// outside marks an error of a storage.
func outside(err error) error {
	if err == nil {
		return nil
	}
	return errStorage{err}
}

// doExport does an export, from the beginning: what an attempt before has written is replaced by the same.
func (a *API) doExport(ctx context.Context, one task.Task) error {
	var e exportRecord
	if err := one.Read(&e); err != nil {
		return err
	}
	err := a.export(ctx, one, &e)
	switch lost, isLost := errors.AsType[errStorage](err); {
	case ctx.Err() != nil:
		return ctx.Err() // the next process goes on
	case isLost:
		e.Status, e.Failure = failedStatus, failureOf(lost.error)
	case database.KindOf(err) == database.KindNotFound && err != nil:
		e.Status, e.Failure = failedStatus, failure{"TableNotFound", "the table was deleted before it was exported"}
	case database.KindOf(err) == database.KindInvalid && err != nil:
		e.Status, e.Failure = failedStatus, failure{"PointInTimeRecoveryUnavailable", err.Error()}
	case err != nil:
		return err
	default:
		e.Status = completed
	}
	if e.Status == failedStatus {
		e.EndMS = a.DB.Tasks().Now().UnixMilli()
	}
	return a.DB.Tasks().Finish(ctx, one, &e)
}

// export writes all objects of an export.
func (a *API) export(ctx context.Context, one task.Task, e *exportRecord) error {
	id := one.ID
	prefix := valueOf(e.Request.S3Prefix)
	to, err := a.openBucket(*e.Request.S3Bucket, prefix)
	if err != nil {
		return outside(err)
	}
	filter, err := a.filterOf(e)
	if err != nil {
		return err
	}
	own := storage.Join(exportFolder, id)
	l := &archive.Layout{To: to, Prefix: prefix, Own: own, Data: storage.Join(own, "data"), Suffix: ".json.gz",
		Name: func(number int) string { return fileName(id, number) }}
	if e.incremental() {
		l.Data = storage.Join(exportFolder, "data")
	}
	x := exportAttempt{Layout: l, filter: filter, record: e, ion: e.format() == formatIon, reported: time.Now(),
		report: func() { a.report(ctx, one, e) }}
	if x.ion {
		l.Suffix = ".ion.gz"
	}
	defer l.Abort()
	// as AWS does, to see whether it may
	if _, err := to.Put(ctx, storage.Join(own, "_started"), strings.NewReader(""), 0); err != nil {
		return outside(err)
	}
	e.Items, e.Bytes = 0, 0
	if a.Dir != "" {
		if err := os.MkdirAll(a.Dir, 0o700); err != nil {
			return err
		}
	}
	if err := x.all(ctx, a); err != nil {
		return err
	}
	if l.Files() == 0 {
		l.Open(ctx) // an export has a file, if nothing is in it
	}
	if err := l.Close(); err != nil {
		return outside(err)
	}
	e.EndMS = a.DB.Tasks().Now().UnixMilli()
	return outside(l.Finish(ctx, a.summaryOf(id, e)))
}

// filterOf compiles the filter of an export by its table as it is now.
func (a *API) filterOf(e *exportRecord) (*filter, error) {
	pin, err := a.DB.PinID(e.TableID)
	if err != nil {
		return nil, err
	}
	defer pin.Release()
	return e.Request.FilterSpecification.compile(pin)
}

// exportFolder begins the names that AWS gives the objects of exports, behind the request's prefix.
const exportFolder = "AWSDynamoDB"

// fileName is the name of a data file, the same in each attempt at the export.
func fileName(id string, number int) string {
	digest := sha256.Sum256(fmt.Appendf(nil, "%s/%d", id, number))
	return strings.ToLower(base32.StdEncoding.EncodeToString(digest[:16])[:26])
}

// timeText is a moment as manifests write it; nil for none.
func timeText(ms int64) *string {
	if ms == 0 {
		return nil
	}
	text := time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
	return &text
}

func (a *API) summaryOf(id string, e *exportRecord) archive.Summary {
	s := archive.Summary{
		Version: "2020-06-30", ExportARN: a.exportARN(e.Table, id), StartTime: *timeText(task.BornMS(id)),
		EndTime:  *timeText(e.EndMS),
		TableARN: a.account().TableARN(e.Table), TableID: e.UUID, ExportTime: timeText(e.AtMS),
		S3Bucket: *e.Request.S3Bucket, S3Prefix: e.Request.S3Prefix,
		BilledSizeBytes: e.Bytes, ItemCount: e.Items, OutputFormat: e.format(), ExportType: fullExport,
	}
	if e.incremental() {
		s.Version, s.ExportType, s.OutputView = "2023-08-01", incrementalExport, e.view()
		s.ExportFromTime, s.ExportToTime = timeText(e.FromMS), timeText(e.ToMS)
	}
	return s
}

// exportAttempt is an attempt at an export.
type exportAttempt struct {
	*archive.Layout
	*filter
	record *exportRecord
	ion    bool
	text   []byte
	// report notes how far the export is, and reported is when it did so last.
	report   func()
	reported time.Time
}

// all writes all items.
func (x *exportAttempt) all(ctx context.Context, a *API) (err error) {
	e := x.record
	view, err := a.DB.Recovery().Past(ctx, e.TableID, time.UnixMilli(max(e.AtMS, e.FromMS)), a.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, view.Close()) }()
	if e.incremental() {
		return view.Differences(ctx, e.FromMS, e.ToMS, func(d past.Difference) error { return x.difference(ctx, &d) })
	}
	return view.Rows(ctx, e.AtMS, func(names value.Names, row value.Row) error { return x.item(ctx, names, row) })
}

// item writes an item of a full export.
func (x *exportAttempt) item(ctx context.Context, names value.Names, row value.Row) error {
	ok, err := x.matches(names, row)
	if err != nil || !ok {
		return err
	}
	size := row.Size()
	if row, err = x.project(names, row); err != nil {
		return err
	}
	x.begin()
	x.append("Item", names, row)
	return x.end(ctx, size)
}

// difference writes an item of an incremental export, if the filter takes it as it was or as it is.
func (x *exportAttempt) difference(ctx context.Context, d *past.Difference) error {
	was, err := x.matches(d.Names, d.Old)
	if err != nil {
		return err
	}
	is, err := x.matches(d.Names, d.New)
	if err != nil || !was && !is {
		return err
	}
	x.begin()
	if x.ion {
		x.text = append(x.text, "Record:{"...)
	}
	x.append("Keys", d.Names, d.Key)
	x.metadata(d.LastMS)
	size := d.Key.Size()
	for _, image := range [...]struct {
		name string
		row  value.Row
		is   bool
	}{{"OldImage", d.Old, x.record.view() == viewNewAndOld}, {"NewImage", d.New, true}} {
		if image.row == nil || !image.is {
			continue
		}
		size += image.row.Size()
		row, err := x.project(d.Names, image.row)
		if err != nil {
			return err
		}
		x.text = append(x.text, ',')
		x.append(image.name, d.Names, row)
	}
	if x.ion {
		x.text = append(x.text, '}')
	}
	return x.end(ctx, size)
}

func (x *exportAttempt) begin() {
	x.text = x.text[:0]
	if x.ion {
		x.text = append(x.text, attributeion.Version+" "...)
	}
	x.text = append(x.text, '{')
}

// append adds a member with an item.
func (x *exportAttempt) append(name string, names value.Names, row value.Row) {
	if x.ion {
		x.text = attributeion.AppendItem(append(append(x.text, name...), ':'), row, names)
		return
	}
	x.text = attributejson.AppendItem(append(append(append(x.text, '"'), name...), `":`...), row, names)
}

// metadata adds when an item was changed last.
func (x *exportAttempt) metadata(lastMS int64) {
	before, after := `,"Metadata":{"WriteTimestampMicros":{"N":"`, `"}}`
	if x.ion {
		before, after = ",Metadata:{WriteTimestampMicros:", ".}"
	}
	x.text = append(strconv.AppendInt(append(x.text, before...), lastMS*1000, 10), after...)
}

func (x *exportAttempt) end(ctx context.Context, size int) error {
	x.text = append(x.text, '}', '\n')
	x.record.Items, x.record.Bytes = x.record.Items+1, x.record.Bytes+int64(size)
	if x.record.Items%reportItems == 0 && time.Since(x.reported) > reportPause {
		x.reported = time.Now()
		x.report()
	}
	return outside(x.Layout.Write(ctx, x.text))
}
