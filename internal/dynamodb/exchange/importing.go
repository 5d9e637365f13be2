// SPDX-License-Identifier: Apache-2.0

package exchange

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/background/task"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/files/bulkload"
	"github.com/weftdb/weft/storage"
)

// Bounds of an import.
const (
	importBytesMax = 64 << 20 // of memory, for sorting
	objectsMax     = 50_000   // AWS's limit
)

// tableSeenWithin is the time after which each process on a store knows a table that another one has made.
const tableSeenWithin = time.Minute

// doImport fills the table of an import, or goes on with it, and lets it be seen. The table of an import that fails is
// dropped.
func (a *API) doImport(ctx context.Context, one task.Task) error {
	var e importRecord
	if err := one.Read(&e); err != nil {
		return err
	}
	err := a.fill(ctx, one, &e)
	switch {
	case ctx.Err() != nil:
		return ctx.Err() // the next process goes on
	case isOwn(err):
		return err
	case err != nil:
		e.Status, e.Failure = failedStatus, failureOf(err)
		if table, err := a.DB.Filling(e.TableID); err == nil {
			if err := table.Discard(ctx); err != nil {
				return err
			}
		}
	default:
		e.Status = completed
	}
	e.EndMS = a.DB.Tasks().Now().UnixMilli()
	if err := os.RemoveAll(a.workDir(one.ID)); err != nil {
		return err
	}
	return a.DB.Tasks().Finish(ctx, one, &e)
}

// isOwn reports whether an error is of the database's store, which may be well again later.
func isOwn(err error) bool {
	switch database.KindOf(err) {
	case database.KindUnavailable, database.KindReadOnly, database.KindUnknownOutcome:
		return err != nil
	}
	return false
}

func (a *API) workDir(id string) string { return filepath.Join(a.Dir, "import-"+id) }

// fill loads all objects into the table. It finds a table that is seen already if only the record was to be closed.
func (a *API) fill(ctx context.Context, one task.Task, e *importRecord) error {
	table, err := a.DB.Filling(e.TableID)
	if err != nil {
		pin, gone := a.DB.PinID(e.TableID)
		if gone != nil && a.DB.Tasks().Now().Sub(time.UnixMilli(task.BornMS(one.ID))) < tableSeenWithin {
			return &database.Error{Kind: database.KindUnavailable, Table: e.Table,
				Detail: "this process does not know the table yet"}
		}
		if gone != nil {
			return err
		}
		pin.Release()
		return nil
	}
	if a.Dir == "" {
		return errors.New("this server has no folder for temporary files")
	}
	source := e.Request.S3BucketSource
	bucket, err := a.openBucket(*source.S3Bucket, "")
	if err != nil {
		return err
	}
	objects, err := objectsOf(ctx, bucket, valueOf(source.S3KeyPrefix))
	if err != nil {
		return err
	}
	names := make([]string, len(objects))
	for i := range objects {
		names[i] = objects[i].Name
	}
	o := bulkload.Options{DB: a.DB, Into: table, From: bucket, Sources: names, Dir: a.workDir(one.ID),
		MemoryBytes: importBytesMax, BadRows: math.MaxInt64}
	e.Request.describe(&o)
	reported := time.Now()
	o.Progress = func(p bulkload.Progress) {
		e.Bytes, e.Read = p.BytesRead, max(e.Read, p.Records)
		if time.Since(reported) > reportPause {
			reported = time.Now()
			a.report(ctx, one, e)
		}
	}
	e.Bad = 0
	o.Bad = func(bulkload.Fault) { e.Bad++ }
	result, err := bulkload.Run(ctx, o)
	if err != nil {
		return err
	}
	e.Read, e.Bad, e.Imported = result.Records+result.Bad, result.Bad, result.Rows
	a.report(ctx, one, e)
	return table.Reveal(ctx)
}

// objectsOf lists the objects whose names begin with a prefix.
func objectsOf(ctx context.Context, bucket storage.Storage, prefix string) (objects []storage.Object, err error) {
	for o, err := range bucket.List(ctx, prefix, "") {
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(o.Name, "/") {
			continue // a console's folder
		}
		if objects = append(objects, o); len(objects) > objectsMax {
			return nil, fmt.Errorf("there are more than %d objects; import them in several parts", objectsMax)
		}
	}
	if len(objects) == 0 {
		return nil, fmt.Errorf("%w whose name begins with %q", storage.ErrNotFound, prefix)
	}
	return objects, nil
}

// How objects are written, by the words of requests. // immutable
var (
	packings = map[string]bulkload.Compression{"NONE": bulkload.Plain, "GZIP": bulkload.Gzip, "ZSTD": bulkload.Zstd}
	formats  = map[string]bulkload.Format{formatJSON: bulkload.DynamoDB, formatIon: bulkload.Ion,
		formatCSV: bulkload.CSV}
)

// describe says how the objects are written.
func (r *importRequest) describe(o *bulkload.Options) {
	o.Packing = packings[r.compression()]
	o.Format = formats[*r.InputFormat]
	o.Texts = true
	if csv := r.csv(); csv != nil {
		o.Header = csv.HeaderList
		if csv.Delimiter != nil {
			o.Comma = (*csv.Delimiter)[0]
		}
	}
}
