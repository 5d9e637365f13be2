// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/throttle"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// TestThrottle runs the scripts of testdata/throttle, whose time goes on by their own clock. A script has the commands
//
//	limits enforce|report [keys]   holds the requests that follow to the limits of their tables, and of keys
//	wait DURATION           lets time pass
//	op NAME                 runs an operation on a JSON body and shows the answer, and what was told of limits since the last
//	set NAME                runs an operation that shows nothing worth showing
//	count NAME              runs it until a request is refused, and shows how many were not
func TestThrottle(t *testing.T) {
	datadriven.Walk(t, "testdata/throttle", func(t *testing.T, path string) {
		var ms atomic.Int64 // since then
		begun := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		now := func() time.Time { return begun.Add(time.Duration(ms.Load()) * time.Millisecond) }
		var told strings.Builder
		api := &API{DB: testdb.OpenWith(t, database.Options{Now: now, ExpiryInterval: -1})}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			told.Reset()
			switch d.Cmd {
			case "limits":
				api.Limiter = throttle.New(tellingOptions(&told, now, d.CmdArgs[0].Key == "report",
					len(d.CmdArgs) > 1))
				return ""
			case "wait":
				pause, err := time.ParseDuration(d.CmdArgs[0].Key)
				if err != nil {
					t.Fatal(err)
				}
				ms.Add(pause.Milliseconds())
				return ""
			case "op":
				answer := show(run(t, api, d.CmdArgs[0].Key, d.Input))
				return answer + told.String()
			case "set":
				must(t, api, d.CmdArgs[0].Key, d.Input)
				return ""
			case "count":
				n := 0
				for ; n < 10_000; n++ {
					if _, err := run(t, api, d.CmdArgs[0].Key, d.Input); err != nil {
						return fmt.Sprintf("%d, then %s", n, strings.SplitN(err.Error(), ":", 2)[0])
					}
				}
				return "all"
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
}

// tellingOptions write down what is told of limits.
func tellingOptions(told *strings.Builder, now func() time.Time, report, keys bool) throttle.Options {
	return throttle.Options{Now: now, Report: report, Keys: keys,
		Throttled: func(e *throttle.Event) {
			fmt.Fprintf(told, "\nexceeds %s %s", strings.TrimSuffix(e.Table.Name+"/"+e.Index, "/"), e.Reason())
			if e.Key != nil {
				fmt.Fprintf(told, ", key of %d bytes", len(e.Key))
			}
		},
		Refused: func(table *schema.Table, operation string) {
			fmt.Fprintf(told, "\n%s of %s exceeds", operation, table.Name)
		},
		Consumed: func(table *schema.Table, index string, d throttle.Direction, units float64) {
			fmt.Fprintf(told, "\n%s %g of %s", d, units, strings.TrimSuffix(table.Name+"/"+index, "/"))
		},
	}
}
