// SPDX-License-Identifier: Apache-2.0

package exchange

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/background/task"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/files/bulkload"
	"github.com/weftdb/weft/storage"
)

// Bounds of a bulk operation.
const (
	bulkBatchItems  = 500
	bulkBatchBytes  = 512 << 10 // of records
	bulkLinesKept   = 256 << 10 // of output, before it is written
	bulkLinesCommit = 1 << 20   // of output that one commit adds, but for its last line
)

var (
	errCancelled = errors.New("the bulk operation was cancelled")
	errElsewhere = errors.New("another server goes on with the bulk operation")
	errRefused   = errors.New("an item of the batch is refused")
)

// Codes of the errors of single records.
const (
	codeMalformed = "MalformedRecord"
	codeInvalid   = "ValidationException"
	codeObject    = "UnreadableObject"
)

// bulkJob is an attempt at a bulk operation.
type bulkJob struct {
	*API
	id      string
	e       *bulkRecord // as it is stored
	out     storage.Storage
	builder value.RowBuilder
}

// doBulk does a bulk operation, or goes on with it.
func (a *API) doBulk(ctx context.Context, one task.Task) error {
	j := &bulkJob{API: a, id: one.ID, e: new(bulkRecord)}
	if err := one.Read(j.e); err != nil {
		return err
	}
	err := j.run(ctx)
	lost, isLost := errors.AsType[errStorage](err)
	e := j.e
	switch {
	case ctx.Err() != nil:
		return ctx.Err() // the next process goes on
	case errors.Is(err, errCancelled):
		e.cancel(a.DB.Tasks().Now())
		if _, err := j.output(ctx); err != nil { // the operation ends all the same
			e.Failure.Message += "; its last output is lost: " + err.Error()
		}
	case isLost:
		e.Status, e.Failure = failedStatus, failureOf(lost.error)
	case database.KindOf(err) == database.KindNotFound && err != nil:
		e.Status, e.Failure = failedStatus, failure{"TableNotFound", "the table was deleted before all items were put"}
	case err != nil:
		return err
	case e.Failed > 0:
		e.Status = completedWithErrors
	default:
		e.Status = completed
	}
	e.EndMS = a.DB.Tasks().Now().UnixMilli()
	e.Errors.Text, e.Conditions.Text = "", ""
	return a.DB.Tasks().Finish(ctx, one, e)
}

// run puts the items of all objects.
func (j *bulkJob) run(ctx context.Context) error {
	in, out := j.e.Request.InputS3Configuration, j.e.Request.OutputS3Configuration
	var err error
	if j.out, err = j.openBucket(*out.S3Bucket,
		storage.Join(valueOf(out.S3KeyPrefix), exportFolder, j.id)); err != nil {
		return outside(err)
	}
	bucket, err := j.openBucket(*in.S3Bucket, "")
	if err != nil {
		return outside(err)
	}
	objects, err := objectsOf(ctx, bucket, valueOf(in.S3KeyPrefix))
	if err != nil {
		return outside(err)
	}
	if *in.S3Bucket == *out.S3Bucket { // this operation's own output is no input
		own := storage.Join(valueOf(out.S3KeyPrefix), exportFolder, j.id) + "/"
		objects = slices.DeleteFunc(objects, func(o storage.Object) bool { return strings.HasPrefix(o.Name, own) })
	}
	if err := j.begin(ctx, objects); err != nil {
		return err
	}
	for i := range objects {
		if j.isDone(&objects[i]) {
			continue
		}
		if err := j.object(ctx, bucket, &objects[i]); err != nil {
			return err
		}
	}
	return j.flush(ctx)
}

// begin sums the objects up, and sees whether output can be written, once.
func (j *bulkJob) begin(ctx context.Context, objects []storage.Object) error {
	if j.e.Total != nil {
		return j.change(ctx, *j.e) // it was cancelled meanwhile, perhaps
	}
	if _, err := j.out.Put(ctx, "_started", strings.NewReader(""), 0); err != nil {
		return outside(err)
	}
	next, total := *j.e, int64(0)
	for i := range objects {
		total += objects[i].Size
	}
	next.Total = &total
	return j.change(ctx, next)
}

func (j *bulkJob) isDone(o *storage.Object) bool {
	return o.Name < j.e.At.Object || o.Name == j.e.At.Object && j.e.At.Done
}

// watchedReader notes the error of a storage, to tell it from a fault of an object's contents.
type watchedReader struct {
	storage.Storage
	err error
}

// Get implements storage.Storage.
func (w *watchedReader) Get(ctx context.Context, name string, offset, length int64) (io.ReadCloser, error) {
	body, err := w.Storage.Get(ctx, name, offset, length)
	if err != nil {
		w.err = err
		return nil, err
	}
	return &watchedBody{body, w}, nil
}

type watchedBody struct {
	io.ReadCloser
	watched *watchedReader
}

// Read implements io.Reader.
func (b *watchedBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if err != nil && !errors.Is(err, io.EOF) {
		b.watched.err = err
	}
	return n, err
}

// object puts the items of one object. One that can't be unpacked, or cut into records, is a failed item.
func (j *bulkJob) object(ctx context.Context, bucket storage.Storage, o *storage.Object) error {
	at := bulkPlace{Object: o.Name, ETag: o.ETag, Size: o.Size}
	if j.e.At.Object == o.Name {
		if j.e.At.ETag != o.ETag || j.e.At.Size != o.Size {
			return outside(fmt.Errorf("the object %s was changed while its items were put", o.Name))
		}
		at = j.e.At
	}
	in := j.e.Request.InputS3Configuration
	watch := &watchedReader{Storage: bucket}
	records, err := bulkload.OpenRecords(ctx, watch, o.Name, formats[*in.InputFormat], packings[in.compression()],
		at.Place)
	if err == nil {
		err = j.records(ctx, records, at)
		err = errors.Join(err, outside(records.Close()))
	} else {
		err = errContents{err}
	}
	broken, isBroken := errors.AsType[errContents](err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case watch.err != nil:
		return outside(watch.err)
	case err != nil && !isBroken:
		return err
	}
	next := *j.e
	next.DoneBytes += o.Size
	next.Bytes = next.DoneBytes
	if next.At.Object != o.Name {
		next.At = at
	}
	next.At.Done = true
	if isBroken {
		next.Processed, next.Failed = next.Processed+1, next.Failed+1
		if next.wants(outputErrors) {
			next.Errors.fault(o.Name, 0, nil, codeObject, broken.Error())
		}
	}
	if err := j.change(ctx, next); err != nil {
		return err
	}
	return j.flushLong(ctx)
}

// errContents is a fault of an object as a whole.
type errContents struct{ error }

func (e errContents) Unwrap() error { return e.error }

// records puts the records of an object from at on.
func (j *bulkJob) records(ctx context.Context, from *bulkload.Records, at bulkPlace) error {
	for {
		began := time.Now()
		batch, more, broken := j.gather(from)
		units, err := j.put(ctx, from, at, batch)
		if err != nil {
			return err
		}
		if broken != nil {
			return errContents{broken}
		}
		if !more {
			return nil
		}
		if err := pause(ctx, pauseOf(units, valueOf(j.e.Request.MaxWriteRequestUnits), time.Since(began))); err != nil {
			return err
		}
	}
}

// pauseOf is the time to wait after so many units took some time, so that there are at most perSecond; 0: any number.
func pauseOf(units, perSecond int64, took time.Duration) time.Duration {
	if perSecond == 0 {
		return 0
	}
	return max(0, time.Duration(float64(units)/float64(perSecond)*float64(time.Second))-took)
}

func pause(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return nil
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// gather reads the records of a batch.
func (j *bulkJob) gather(from *bulkload.Records) (batch []bulkPut, more bool, err error) {
	for size := 0; len(batch) < bulkBatchItems && size < bulkBatchBytes; {
		record, line, ok, err := from.Next()
		if err != nil || !ok {
			return batch, false, err
		}
		size += len(record)
		batch = append(batch, bulkPut{text: record, line: line, after: from.Place()})
	}
	return batch, true, nil
}

// put puts a batch, in as many commits as that takes.
func (j *bulkJob) put(ctx context.Context, from *bulkload.Records, at bulkPlace, batch []bulkPut) (units int64,
	err error) {
	pin, err := j.DB.PinID(j.e.TableID)
	if err != nil {
		return 0, err
	}
	defer pin.Release()
	for i := range batch {
		j.decode(from, pin, &batch[i])
	}
	for most := len(batch); len(batch) > 0; {
		c := bulkCommit{bulkJob: j, pin: pin, at: at, read: from.BytesRead(), batch: batch[:min(most, len(batch))]}
		err := c.commit(ctx)
		switch {
		case database.KindOf(err) == database.KindTooLarge && err != nil && len(c.batch) > 1:
			most = len(c.batch) / 2
			continue
		case database.KindOf(err) == database.KindTooLarge && err != nil && batch[0].fault == nil:
			batch[0].fault, batch[0].code = err, codeInvalid
			continue
		case err != nil:
			return units, err
		}
		units += c.units
		batch = batch[c.done:]
		if err := j.flushLong(ctx); err != nil {
			return units, err
		}
	}
	return units, nil
}

// decode makes the row of a record, or finds what is wrong with it.
func (j *bulkJob) decode(from *bulkload.Records, pin database.Pinned, p *bulkPut) {
	text, err := p.text, error(nil)
	if bytes.Contains(text, []byte("ConditionExpression")) {
		text = j.condition(pin, p)
	}
	j.builder.Reset(pin.Names())
	if err = from.Decode(text, &j.builder); err != nil {
		p.fault, p.code = err, codeMalformed
	}
	if p.fault == nil {
		p.row = j.builder.AppendTo(nil)
	}
}

// condition makes the condition of a record, and returns the record without it. One that has none is returned as it is.
func (j *bulkJob) condition(pin database.Pinned, p *bulkPut) []byte {
	var c conditional
	if *j.e.Request.InputS3Configuration.InputFormat == formatIon {
		if c.readIon(p.text) != nil || !c.isWhole() {
			return p.text
		}
		p.condition, p.fault = c.compileIon(pin.Names())
		return slices.Concat([]byte("{Item:"), c.item, []byte("}"))
	}
	if c.readJSON(p.text) != nil || !c.isWhole() {
		return p.text
	}
	p.condition, p.fault = c.compileJSON()
	return slices.Concat([]byte(`{"Item":`), c.item, []byte("}"))
}

// bulkCommit is one commit of a batch.
type bulkCommit struct {
	*bulkJob
	pin     database.Pinned
	at      bulkPlace
	read    int64 // bytes of the object
	batch   []bulkPut
	careful bool // a write that is refused is taken back by itself

	// of the last attempt
	next  bulkRecord
	done  int
	units int64
}

// commit puts the records of the batch up to one of an item that another one before it is of: two puts of an item are
// two commits, so that the table's stream and its history have both.
func (c *bulkCommit) commit(ctx context.Context) error {
	keys := c.keys()
	err := c.DB.Update(ctx, func(tx *database.Tx) error { return c.write(ctx, tx) }, keys...)
	if errors.Is(err, errRefused) {
		c.careful = true
		err = c.DB.Update(ctx, func(tx *database.Tx) error { return c.write(ctx, tx) }, keys...)
	}
	if err == nil {
		*c.e = c.next
	}
	return err
}

// keys holds the keys of the items; the batch ends before an item comes again.
func (c *bulkCommit) keys() [][]byte {
	keys, seen := make([][]byte, 0, len(c.batch)), make(map[string]bool, len(c.batch))
	for i := range c.batch {
		p := &c.batch[i]
		if p.fault != nil {
			continue
		}
		w := database.Write{Op: database.OpPut, Row: p.row}
		key, err := c.pin.AppendItemKey(nil, &w)
		if err != nil {
			p.fault, p.code = itemkey.Fault(c.pin, p.row, err), codeInvalid
			continue
		}
		if seen[string(key)] {
			c.batch = c.batch[:i]
			break
		}
		seen[string(key)] = true
		keys = append(keys, key)
	}
	return keys
}

// write is the transaction: the items, and how far the operation is.
func (c *bulkCommit) write(ctx context.Context, tx *database.Tx) error {
	c.next, c.done, c.units = *c.e, 0, 0
	c.next.Usage = c.e.Usage.clone()
	lines := len(c.e.Errors.Text) + len(c.e.Conditions.Text)
	for i := range c.batch {
		if len(c.next.Errors.Text)+len(c.next.Conditions.Text)-lines > bulkLinesCommit {
			break
		}
		if err := c.one(ctx, tx, &c.batch[i]); err != nil {
			return err
		}
		c.done++
	}
	c.next.At = c.at
	c.next.At.Place = c.batch[c.done-1].after
	c.next.Bytes = c.next.DoneBytes + min(c.read, c.at.Size)
	return tx.ChangeTask(ctx, taskBulk, c.id, c.e.succeed(&c.next))
}

// one puts one item, or counts why it is not put.
func (c *bulkCommit) one(ctx context.Context, tx *database.Tx, p *bulkPut) error {
	c.next.Processed++
	if p.fault != nil {
		c.fail(p, p.fault)
		return nil
	}
	savepoint := 0
	if c.careful {
		savepoint = tx.Savepoint()
		defer tx.ReleaseSavepoint(savepoint)
	}
	w := database.Write{Op: database.OpPut, Row: p.row, Condition: p.condition, NeedSizes: true,
		NeedOld: p.condition != nil && c.next.wants(outputConditions)}
	var r database.WriteResult
	err := tx.Write(ctx, c.pin, &w, &r)
	switch kind := database.KindOf(err); {
	case err == nil:
		c.units += c.next.Usage.add(&r.Change)
		return nil
	case errors.Is(err, database.ErrConditionFailed):
		c.units += unitsOf(p.row.Size())
		if c.next.wants(outputConditions) {
			c.next.Conditions.condition(c.pin.Names(), p.row, r.Old)
		}
		return nil
	case kind != database.KindInvalid && kind != database.KindConditionFailed:
		return err
	case !c.careful:
		return errRefused
	}
	if err := tx.RollbackTo(savepoint); err != nil {
		return err
	}
	c.fail(p, itemkey.Fault(c.pin, p.row, err))
	return nil
}

func (c *bulkCommit) fail(p *bulkPut, why error) {
	c.next.Failed++
	code := p.code
	code = cmp.Or(code, codeInvalid)
	if c.next.wants(outputErrors) {
		c.next.Errors.fault(c.at.Object, p.line, p.text, code, exceptionText(why))
	}
}

// exceptionText is the text of DynamoDB's exception for an error, or the error itself.
func exceptionText(err error) string {
	if e, ok := errors.AsType[*exception.Error](err); ok {
		return e.Message
	}
	return strings.TrimPrefix(err.Error(), "attributejson: ")
}

func (e *bulkRecord) wants(output string) bool {
	return slices.Contains(e.Request.OutputS3Configuration.OutputType, output)
}

// succeed changes the stored record to the next one, if it is the one that this attempt has read.
func (e *bulkRecord) succeed(next *bulkRecord) func(*task.Task) error {
	return func(t *task.Task) (err error) {
		var stored bulkRecord
		if err := t.Read(&stored); err != nil {
			return err
		}
		switch {
		case !t.Open || stored.Status == cancelling:
			return errCancelled
		case stored.At != e.At || stored.Errors != e.Errors || stored.Conditions != e.Conditions:
			return errElsewhere
		}
		t.Detail, err = json.Marshal(next)
		return err
	}
}

// change stores the next record.
func (j *bulkJob) change(ctx context.Context, next bulkRecord) error {
	err := j.DB.Tasks().Change(ctx, taskBulk, j.id, j.e.succeed(&next))
	if err == nil {
		*j.e = next
	}
	return err
}

// flushLong writes output if there is much of it.
func (j *bulkJob) flushLong(ctx context.Context) error {
	if len(j.e.Errors.Text)+len(j.e.Conditions.Text) < bulkLinesKept {
		return nil
	}
	return j.flush(ctx)
}

// flush writes the output that waits.
func (j *bulkJob) flush(ctx context.Context) error {
	next, err := j.output(ctx)
	if err != nil || next.Errors == j.e.Errors && next.Conditions == j.e.Conditions {
		return outside(err)
	}
	return j.change(ctx, next)
}

// output writes the output that waits: objects that are the same in each attempt. next is the operation without it.
func (j *bulkJob) output(ctx context.Context) (next bulkRecord, err error) {
	next = *j.e
	for _, one := range [...]struct {
		folder string
		lines  *bulkLines
	}{{"error", &next.Errors}, {"condition-check-failure", &next.Conditions}} {
		if one.lines.Text == "" {
			continue
		}
		name := storage.Join(one.folder, fmt.Sprintf("%08d.json", one.lines.Object))
		if _, err := j.out.Put(ctx, name, strings.NewReader(one.lines.Text), int64(len(one.lines.Text))); err != nil {
			return next, err
		}
		*one.lines = bulkLines{Object: one.lines.Object + 1}
	}
	return next, nil
}
