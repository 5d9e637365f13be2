// SPDX-License-Identifier: Apache-2.0

package tikvtest

import (
	"context"
	"sync"
	"time"

	"github.com/pingcap/kvproto/pkg/kvrpcpb"
	"github.com/tikv/client-go/v2/oracle"
	"github.com/tikv/client-go/v2/tikvrpc"
)

// onePhase lets the cluster commit in one phase, which the mock can't: it follows a prewrite that asks for it up with
// the commit, under a timestamp that is newer than anything read before. Where that fails, the answer is that of a
// store that falls back to two phases.
type onePhase struct {
	gate sync.RWMutex // held alone from prewrite to commit, which nobody may see apart

	mu sync.Mutex
	// commit timestamps by start timestamp: a request may come twice, its first answer being lost
	done map[uint64]uint64
}

const commitTries = 3

// prewrite sends a prewrite that asks for one phase, and commits it.
func (s *stores) prewrite(ctx context.Context, address string, request *tikvrpc.Request,
	timeout time.Duration) (*tikvrpc.Response, error) {
	s.cluster.onePhase.gate.Lock()
	defer s.cluster.onePhase.gate.Unlock()
	prewrite := request.Prewrite()
	if committed := s.cluster.onePhase.commitOf(prewrite.GetStartVersion()); committed > 0 {
		return &tikvrpc.Response{Resp: &kvrpcpb.PrewriteResponse{OnePcCommitTs: committed}}, nil
	}
	response, err := s.ask(ctx, address, request, timeout)
	if err != nil {
		return nil, err
	}
	answer, ok := response.Resp.(*kvrpcpb.PrewriteResponse)
	if !ok || answer.GetRegionError() != nil || len(answer.GetErrors()) > 0 {
		return response, nil
	}
	for range commitTries {
		committed, again, err := s.commit(ctx, address, request, timeout)
		if err != nil {
			return response, nil
		}
		if committed > 0 {
			s.cluster.onePhase.remember(prewrite.GetStartVersion(), committed)
			answer.OnePcCommitTs = committed
		}
		if !again {
			break
		}
	}
	return response, nil
}

// commit commits what a request has prewritten. again says that a reader has meanwhile asked for a later timestamp.
func (s *stores) commit(ctx context.Context, address string, request *tikvrpc.Request,
	timeout time.Duration) (committed uint64, again bool, err error) {
	physical, logical, err := s.cluster.driver.GetTS(ctx)
	if err != nil {
		return 0, false, err
	}
	prewrite, timestamp := request.Prewrite(), oracle.ComposeTS(physical, logical)
	if prewrite.GetMaxCommitTs() > 0 && timestamp > prewrite.GetMaxCommitTs() {
		return 0, false, nil
	}
	commit := &kvrpcpb.CommitRequest{StartVersion: prewrite.GetStartVersion(), CommitVersion: timestamp}
	for _, mutation := range prewrite.GetMutations() {
		if mutation.GetOp() != kvrpcpb.Op_CheckNotExists {
			commit.Keys = append(commit.Keys, mutation.GetKey())
		}
	}
	response, err := s.ask(ctx, address, tikvrpc.NewRequest(tikvrpc.CmdCommit, commit, request.Context), timeout)
	if err != nil {
		return 0, false, err
	}
	answer := response.Resp.(*kvrpcpb.CommitResponse)
	if answer.GetError().GetCommitTsExpired() != nil {
		return 0, true, nil
	}
	if answer.GetRegionError() != nil || answer.GetError() != nil {
		return 0, false, nil
	}
	return timestamp, false, nil
}

func (o *onePhase) commitOf(start uint64) uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.done[start]
}

func (o *onePhase) remember(start, committed uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done == nil || len(o.done) > 100_000 {
		o.done = map[uint64]uint64{}
	}
	o.done[start] = committed
}
