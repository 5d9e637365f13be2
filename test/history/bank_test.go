// SPDX-License-Identifier: Apache-2.0

package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/test/harness"
	"github.com/weftdb/weft/test/history/check"
)

// A bank: every transfer takes from one account and gives to another, or to two, if there is enough. What all accounts
// have together never changes.

const (
	accountsCount = 8
	openingSum    = 100 // of each account
)

// bankTables hold the accounts, even ones in the first. // immutable
var bankTables = [2]string{"accounts", "deposits"}

// bank is the accounts of one round.
type bank struct {
	caller
	first int // key of the first account; even
}

// account is where an account lies, as members of a request.
func (b bank) account(n int) string {
	return fmt.Sprintf(`"TableName":%q,"Key":{"k":{"N":"%d"}}`, bankTables[n&1], b.first+n)
}

// makeBank makes the tables.
func makeBank(t testing.TB, c caller) {
	t.Helper()
	for _, name := range bankTables {
		makeTable(t, c, name, itemIndex)
	}
}

// opening gives each account its money.
func (b bank) opening(t testing.TB) {
	t.Helper()
	for n := range accountsCount {
		body := fmt.Sprintf(`{"TableName":%q,"Item":{"k":{"N":"%d"},"v":{"N":"%d"},"g":{"S":"all%d"}}}`,
			bankTables[n&1], b.first+n, openingSum, b.first)
		if _, err := b.call(t.Context(), "PutItem", []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
}

// transfer moves money, on the condition that it is there and, sometimes, that a third account has some.
func (b bank) transfer(ctx context.Context, rng *rand.Rand) error {
	who := rng.Perm(accountsCount)
	amount := 1 + rng.IntN(40)
	give := []int{amount}
	if rng.IntN(3) == 0 && amount > 1 {
		give = []int{amount / 2, amount - amount/2}
	}
	body := fmt.Appendf(nil, `{"TransactItems":[{"Update":{%s,"UpdateExpression":"ADD v :v","ConditionExpression":"v >= :least","ExpressionAttributeValues":{":v":{"N":"-%d"},":least":{"N":"%d"}}}}`,
		b.account(who[0]), amount, amount)
	for i, part := range give {
		body = fmt.Appendf(body, `,{"Update":{%s,"UpdateExpression":"ADD v :v","ExpressionAttributeValues":{":v":{"N":"%d"}}}}`, b.account(who[1+i]), part)
	}
	if rng.IntN(4) == 0 {
		body = fmt.Appendf(body, `,{"ConditionCheck":{%s,"ConditionExpression":"v > :none","ExpressionAttributeValues":{":none":{"N":"0"}}}}`, b.account(who[4]))
	}
	_, err := b.call(ctx, "TransactWriteItems", append(body, "]}"...))
	return err
}

// total reads all accounts at once and adds them up.
func (b bank) total(ctx context.Context) (sum int, err error) {
	body := []byte(`{"TransactItems":[`)
	for n := range accountsCount {
		body = fmt.Appendf(comma(body, n), `{"Get":{%s}}`, b.account(n))
	}
	text, err := b.call(ctx, "TransactGetItems", append(body, "]}"...))
	if err != nil {
		return 0, err
	}
	var answer struct{ Responses []struct{ Item stored } }
	if err := json.Unmarshal(text, &answer); err != nil {
		return 0, err
	}
	for _, one := range answer.Responses {
		n, err := strconv.Atoi(one.Item.V.N)
		if err != nil {
			return 0, err
		}
		if n < 0 {
			return 0, fmt.Errorf("an account has %d: a condition was not kept: %w", n, errBank)
		}
		sum += n
	}
	return sum, nil
}

// errBank is a fault of the bank's.
var errBank = errors.New("bank")

// bankCounts is what a bank has done.
type bankCounts struct{ moved, refused, looked, lost atomic.Int64 }

// work does requests until next says no. A fault is returned.
func (b bank) work(ctx context.Context, rng *rand.Rand, counts *bankCounts, next func(lost bool) bool) error {
	for lost := false; next(lost); {
		lost = false
		if rng.IntN(3) == 0 {
			sum, err := b.total(ctx)
			outcome, bad := outcomeOf(err)
			switch {
			case errors.Is(err, errBank) || bad != nil:
				return err
			case outcome != check.Committed:
				lost = outcome == check.Unknown
			case sum != accountsCount*openingSum:
				return fmt.Errorf("all accounts together have %d, not %d", sum, accountsCount*openingSum)
			}
			counts.looked.Add(1)
			continue
		}
		outcome, bad := outcomeOf(b.transfer(ctx, rng))
		switch {
		case bad != nil:
			return bad
		case outcome == check.Committed:
			counts.moved.Add(1)
		case outcome == check.Aborted:
			counts.refused.Add(1)
		default:
			counts.lost.Add(1)
			lost = true
		}
	}
	return nil
}

// run lets so many clients do so many requests together.
func (b bank) run(t testing.TB, seed uint64, clients, requests int) error {
	t.Helper()
	b.opening(t)
	var left atomic.Int64
	left.Store(int64(requests))
	var counts bankCounts
	var group sync.WaitGroup
	faults := make(chan error, clients)
	for i := range clients {
		group.Go(func() {
			if err := b.work(t.Context(), rand.New(rand.NewPCG(seed, uint64(i))), &counts,
				func(bool) bool { return left.Add(-1) >= 0 }); err != nil {
				faults <- err
				left.Store(0)
			}
		})
	}
	group.Wait()
	close(faults)
	t.Logf("%d transfers, %d refused, %d looks at all accounts, %d without an answer", counts.moved.Load(),
		counts.refused.Load(), counts.looked.Load(), counts.lost.Load())
	if err := <-faults; err != nil {
		return err
	}
	if counts.moved.Load() == 0 || counts.refused.Load() == 0 || counts.looked.Load() == 0 {
		return errors.New("the bank has tested nothing")
	}
	return nil
}

// TestBankInProcess runs banks on each engine.
func TestBankInProcess(t *testing.T) {
	seed := rounds.Seed(t)
	for i, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			c := overAPI(e.openDB(t, withJitter))
			makeBank(t, c)
			if err := (bank{caller: c}).run(t, seed, 12, share(t, []int{10, 10, 1}[i])); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestBankOverHTTP runs a bank on the real binary.
func TestBankOverHTTP(t *testing.T) {
	seed := rounds.Seed(t)
	server := harness.Start(t, binary, harness.Options{})
	c := dial(server.Addr())
	makeBank(t, c)
	if err := (bank{caller: c}).run(t, seed, 12, share(t, 3)); err != nil {
		t.Error(err)
	}
}

// TestPlantedBank runs banks on stores with faults: each must lose or make money.
func TestPlantedBank(t *testing.T) {
	seed := rounds.Seed(t)
	for _, planted := range storeFaults {
		if slices.Contains([]string{"old snapshots", "commits that are none", "commits that are called conflicts"},
			planted.name) {
			continue // whole transfers that are late, lost or done twice keep the sum
		}
		t.Run(planted.name, func(t *testing.T) {
			on := new(atomic.Bool)
			c := overAPI(engines[0].openDB(t, func(store kv.Store) kv.Store { return jitter{planted.wrap(store, on)} }))
			makeBank(t, c)
			for round := range 20 {
				b := bank{caller: c, first: round * 100}
				on.Store(false)
				b.opening(t)
				on.Store(true)
				if err := b.run(t, seed+uint64(round), 8, 2000); err != nil {
					t.Logf("found: %v", err)
					return
				}
			}
			t.Error("the fault was not found")
		})
	}
}
