// SPDX-License-Identifier: Apache-2.0

// Package crash kills the real server with kill -9 while clients write, starts it again on the same folder, and
// compares all that it holds with what it has acknowledged.
//
// Knows: the DynamoDB API, what each client was told.
// Never: packages inside the server.
package crash

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	_ "github.com/go-sql-driver/mysql"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/test/harness"
)

const (
	workersCount = 6
	// A kill comes so long after the load has begun.
	killAfterMin = 50 * time.Millisecond
	killAfterMax = 300 * time.Millisecond
	// An index build begins at most so long before the kill.
	buildBeforeMax = 40 * time.Millisecond
	// In one of so many rounds, the kill meets an index build; in one of so many, the folder is verified before the
	// server starts.
	buildEvery, verifyEvery = 5, 5
)

// TestKill runs rounds of load, kill, start and check.
func TestKill(t *testing.T) {
	seed, kills := rounds.Seed(t), rounds.Of(t, 20)
	r := &run{t: t, rng: rand.New(rand.NewPCG(seed, 1)), binary: harness.Build(t), data: t.TempDir(),
		shipped: t.TempDir()}
	r.prepare()
	for round := range kills {
		r.round = round
		r.crash()
		r.restoreShipped()
		r.shipping = r.round%2 == 1 || round == kills-1
		r.start()
		r.check()
		if t.Failed() {
			t.Fatalf("round %d of %d; the server's log:\n%s", round, kills, r.server.Log())
		}
	}
	r.checkExpired()
	r.awaitBase()
	if err := r.server.Stop(); err != nil {
		t.Errorf("the last server did not stop well: %v", err)
	}
	t.Logf("verified: %s", harness.Verify(t, r.binary, r.data))
	r.checkShipped()
	r.report()
}

// run is the whole test.
type run struct {
	t        *testing.T
	rng      *rand.Rand
	binary   string
	data     string
	shipped  string // where the changes of some servers are shipped to
	shipping bool   // the server ships
	bases    int    // that were there when it began
	round    int
	server   *harness.Server
	client   *dynamodb.Client
	workers  []*worker
	counters [countersCount]counter
	filler   map[itemKey]document
	stream   stream
	building bool // the round has asked for an index

	reopened []time.Duration
	// Index builds that the kill cut, that were over before it, and that it came before.
	buildsCut, buildsEarly, buildsLate int
}

// prepare makes the table and the rows that stay as they are.
func (r *run) prepare() {
	r.server = harness.Start(r.t, r.binary, harness.Options{Data: r.data})
	r.client = r.server.Client()
	harness.CreateTable(r.t, r.client, table())
	_, err := r.client.UpdateTimeToLive(r.t.Context(), &dynamodb.UpdateTimeToLiveInput{
		TableName: aws.String(tableName),
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String(timeName),
			Enabled: aws.Bool(true)},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.openStream()
	transact := r.hasTransactions()
	for i := range workersCount {
		w := &worker{name: fmt.Sprint("w", i), rng: rand.New(rand.NewPCG(r.rng.Uint64(), uint64(i))),
			counters: pointers(&r.counters), transact: transact}
		r.workers = append(r.workers, w)
	}
	r.fill()
	r.indexWords()
}

// indexWords makes search indexes over SQL, one of them asynchronous; harness.Verify compares their postings with the
// rows.
func (r *run) indexWords() {
	db, err := sql.Open("mysql", "root@tcp("+r.server.SQL()+")/default")
	if err != nil {
		r.t.Fatal(err)
	}
	defer db.Close()
	for _, definition := range [...]string{
		"words USING SEARCH ON `" + tableName + "` (v(type=text), color(type=text))",
		"later USING SEARCH ON `" + tableName +
			"` (v(type=text), color(type=text, analyzer=keyword)) ASYNC WITH (ASYNC_ENTRIES='4')",
	} {
		if _, err := db.ExecContext(r.t.Context(), "CREATE INDEX "+definition); err != nil {
			r.t.Fatalf("making a search index: %v", err)
		}
	}
}

// hasTransactions reports whether the server knows the operation, by a transaction that deletes what is not there.
func (r *run) hasTransactions() bool {
	_, err := r.client.TransactWriteItems(r.t.Context(),
		&dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
			{Delete: &types.Delete{TableName: aws.String(tableName), Key: itemKey{"none", 0}.document().attributes()}},
		}})
	if answer, ok := errors.AsType[smithy.APIError](err); ok && answer.ErrorCode() == "UnknownOperationException" {
		r.t.Log("the server has no transactions: the load goes without")
		return false
	}
	if err != nil {
		r.t.Fatalf("an empty transaction: %v", err)
	}
	return true
}

func pointers(counters *[countersCount]counter) *[countersCount]*counter {
	var to [countersCount]*counter
	for i := range counters {
		to[i] = &counters[i]
	}
	return &to
}

// crash runs the load and kills the server under it.
func (r *run) crash() {
	var group sync.WaitGroup
	failures := make(chan error, len(r.workers))
	for _, w := range r.workers {
		w.client = r.server.Client()
		group.Go(func() {
			if err := w.run(r.t.Context()); err != nil {
				failures <- err
			}
		})
	}
	reader := r.streamsClient()
	group.Go(func() { r.readWhile(reader) })
	killAfter := killAfterMin + rand.N(killAfterMax-killAfterMin)
	r.building = r.round%buildEvery == buildEvery-1
	if r.building {
		ahead := rand.N(buildBeforeMax)
		wait(r.t.Context(), killAfter-ahead)
		group.Go(func() { r.beginBuild() })
		killAfter = ahead
	}
	wait(r.t.Context(), killAfter)
	r.server.Kill()
	group.Wait()
	close(failures)
	for err := range failures {
		r.t.Error(err)
	}
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// start opens the folder again, in some rounds after the tool for folders has looked at it.
func (r *run) start() {
	if r.round%verifyEvery == verifyEvery/2 {
		harness.Verify(r.t, r.binary, r.data)
	}
	options := harness.Options{Data: r.data}
	if r.shipping {
		options.Args, r.bases = []string{"--ship", r.shipped}, r.countBases()
	}
	r.server = harness.Start(r.t, r.binary, options)
	r.client = r.server.Client()
	r.reopened = append(r.reopened, r.server.Ready)
	if r.building {
		r.lookAtBuild()
	}
}

// report says what was done.
func (r *run) report() {
	acked, unknown := 0, 0
	for _, w := range r.workers {
		acked += w.acked
		unknown += w.unknown
	}
	slices.Sort(r.reopened)
	count := len(r.reopened)
	r.t.Logf("%d kills, %d requests acknowledged (0 lost), %d without an answer; ready again after %v at the median, %v p99, %v at most; %d index builds cut, %d over before, %d not begun; %d items expired",
		count, acked, unknown, r.reopened[count/2], r.reopened[max(count*99/100-1, 0)], r.reopened[count-1],
		r.buildsCut, r.buildsEarly, r.buildsLate, r.stream.expired)
	if acked == 0 {
		r.t.Error("nothing was acknowledged: the test has tested nothing")
	}
}
