// SPDX-License-Identifier: Apache-2.0

package exchange_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/storage"
)

// TestIncrement: an incremental export is of at least 15 minutes and at most 24 hours.
func TestIncrement(t *testing.T) {
	var passed atomic.Int64
	begun := time.Now().Truncate(time.Second)
	db := testdb.OpenWith(t, database.Options{ExpiryInterval: -1,
		Now: func() time.Time { return begun.Add(time.Duration(passed.Load())) }})
	api := &dynamodb.API{DB: db, Dir: t.TempDir(),
		Buckets: func(string) (storage.Storage, error) { return nil, storage.ErrNoBucket }}
	do := func(operation, body string) error {
		_, err := api.Do(t.Context(), operation, []byte(body), nil)
		return err
	}
	for _, one := range [][2]string{
		{"CreateTable", `{"TableName":"abc","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]}`},
		{"UpdateContinuousBackups", `{"TableName":"abc","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true}}`},
	} {
		if err := do(one[0], one[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.WaitJobs(t.Context()); err != nil {
		t.Fatal(err)
	}
	pin, err := db.PinIn("", "abc")
	if err != nil {
		t.Fatal(err)
	}
	from, _, ok := pin.Changes().Restorable()
	pin.Release()
	if !ok {
		t.Fatal("the table's changes are not kept")
	}
	passed.Store(int64(30 * time.Hour))
	start := float64(from.UnixMilli()) / 1000
	for length, fits := range map[time.Duration]bool{
		time.Minute: false, 15*time.Minute - time.Millisecond: false, 15 * time.Minute: true, 24 * time.Hour: true,
		24*time.Hour + time.Second: false,
	} {
		err := do("ExportTableToPointInTime", fmt.Sprintf(`{"TableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/abc","S3Bucket":"changes",
			"ExportType":"INCREMENTAL_EXPORT","IncrementalExportSpecification":{"ExportFromTime":%.3f,"ExportToTime":%.3f}}`, start, start+length.Seconds()))
		if fits != (err == nil) || err != nil &&
			!strings.Contains(err.Error(), "at least 15 minutes and at most 24 hours") {
			t.Errorf("%v: %v", length, err)
		}
	}
}
