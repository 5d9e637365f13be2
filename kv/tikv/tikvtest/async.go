// SPDX-License-Identifier: Apache-2.0

package tikvtest

import (
	"context"
	"time"

	"github.com/pingcap/kvproto/pkg/kvrpcpb"
	"github.com/tikv/client-go/v2/oracle"
	"github.com/tikv/client-go/v2/tikvrpc"
)

// asyncCommit lets the cluster commit asynchronously, which the mock can't: each prewrite gives a timestamp that is
// newer than anything read before, and with the last one the transaction is committed, under the newest of them,
// whether or not its commits ever come. A request for its outcome makes it visible. It is guarded by onePhase's gate.
type asyncCommit struct {
	txns map[uint64]*asyncTxn // by start timestamp
}

// asyncTxn is a transaction of which a part has been prewritten.
type asyncTxn struct {
	all     [][]byte // its keys; nil until the primary's prewrite has named them
	written map[string]bool
	latest  uint64 // the commit timestamp, as far as is known
	over    bool   // it was committed, or rolled back
	failed  bool
}

// isCommitted reports whether all keys are prewritten.
func (t *asyncTxn) isCommitted() bool {
	for _, key := range t.all {
		if !t.written[string(key)] {
			return false
		}
	}
	return t.all != nil && !t.failed
}

// asyncTxnsMax bounds what is remembered.
const asyncTxnsMax = 100_000

func (a *asyncCommit) of(start uint64) *asyncTxn {
	if a.txns == nil || len(a.txns) > asyncTxnsMax {
		a.txns = map[uint64]*asyncTxn{}
	}
	if a.txns[start] == nil {
		a.txns[start] = &asyncTxn{written: map[string]bool{}}
	}
	return a.txns[start]
}

// prewriteAsync sends a prewrite of a part of a transaction.
func (s *stores) prewriteAsync(ctx context.Context, address string, request *tikvrpc.Request,
	timeout time.Duration) (*tikvrpc.Response, error) {
	s.cluster.onePhase.gate.Lock()
	defer s.cluster.onePhase.gate.Unlock()
	prewrite := request.Prewrite()
	txn := s.cluster.async.of(prewrite.GetStartVersion())
	switch {
	case txn.failed:
		return &tikvrpc.Response{Resp: &kvrpcpb.PrewriteResponse{Errors: []*kvrpcpb.KeyError{
			{Retryable: "tikvtest: the transaction was rolled back"}}}}, nil
	case txn.isCommitted(): // the answer got lost
		return &tikvrpc.Response{Resp: &kvrpcpb.PrewriteResponse{MinCommitTs: txn.latest}}, nil
	}
	response, err := s.ask(ctx, address, request, timeout)
	if err != nil {
		return nil, err
	}
	answer, ok := response.Resp.(*kvrpcpb.PrewriteResponse)
	if !ok || answer.GetRegionError() != nil || len(answer.GetErrors()) > 0 {
		return response, nil
	}
	physical, logical, err := s.cluster.driver.GetTS(ctx)
	if err != nil {
		return nil, err
	}
	timestamp := oracle.ComposeTS(physical, logical)
	if most := prewrite.GetMaxCommitTs(); most > 0 && timestamp > most {
		delete(s.cluster.async.txns, prewrite.GetStartVersion())
		return response, nil // it falls back to two phases
	}
	txn.add(prewrite, timestamp)
	answer.MinCommitTs = timestamp
	return response, nil
}

// add notes what was prewritten.
func (t *asyncTxn) add(prewrite *kvrpcpb.PrewriteRequest, timestamp uint64) {
	t.latest = max(t.latest, timestamp)
	for _, mutation := range prewrite.GetMutations() {
		t.written[string(mutation.GetKey())] = true
		if string(mutation.GetKey()) == string(prewrite.GetPrimaryLock()) {
			t.all = append([][]byte{mutation.GetKey()}, prewrite.GetSecondaries()...)
		}
	}
}

// settle ends a transaction about which a request asks: it shows what is committed, and notes what is rolled back.
func (s *stores) settle(request *tikvrpc.Request, send func() (*tikvrpc.Response, error)) (*tikvrpc.Response, error) {
	s.cluster.onePhase.gate.Lock()
	defer s.cluster.onePhase.gate.Unlock()
	start := startOf(request)
	txn := s.cluster.async.txns[start]
	if txn == nil || txn.over {
		return send()
	}
	if txn.isCommitted() {
		txn.over = true
		if err := s.MvccStore.Commit(txn.all, start, txn.latest); err != nil {
			return nil, err
		}
		return send()
	}
	response, err := send()
	if err == nil && rollsBack(response) {
		txn.over, txn.failed = true, true
	}
	return response, err
}

// startOf returns the start timestamp of the transaction that a request asks about or rolls back; 0: it's another kind.
func startOf(request *tikvrpc.Request) uint64 {
	switch request.Type {
	case tikvrpc.CmdCheckTxnStatus:
		return request.CheckTxnStatus().GetLockTs()
	case tikvrpc.CmdBatchRollback:
		return request.BatchRollback().GetStartVersion()
	case tikvrpc.CmdCleanup:
		return request.Cleanup().GetStartVersion()
	}
	return 0
}

// rollsBack reports whether an answer says that a transaction can't be committed any more.
func rollsBack(response *tikvrpc.Response) bool {
	answer, asked := response.Resp.(*kvrpcpb.CheckTxnStatusResponse)
	if !asked {
		return true
	}
	return answer.GetRegionError() == nil && answer.GetError() == nil && answer.GetLockTtl() == 0 &&
		answer.GetCommitVersion() == 0
}
