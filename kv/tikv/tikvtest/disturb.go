// SPDX-License-Identifier: Apache-2.0

package tikvtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/pingcap/kvproto/pkg/metapb"
	"github.com/tikv/client-go/v2/tikvrpc"
	"github.com/tikv/client-go/v2/util/codec"
)

// Disturbance is a schedule of faults that follows from a seed: after so many requests this fault, after so many more
// that one, and slower as it goes on. One store stops and starts, now and then; once it has been down it leads nothing
// any more, since the client looks only each second whether it's back.
type Disturbance struct {
	cluster *Cluster

	mu       sync.Mutex
	random   *rand.Rand
	wait     int // requests until the next fault
	gap      int // most requests between two faults
	total    int
	lossless bool
	victim   uint64 // the store that stops
	fallen   bool   // it has stopped once
	down     bool   // it is down
	back     int    // requests until it comes back
	missing  int    // timestamps that are still to be lost
	counts   map[string]int
	stopped  bool
}

// Faults of a schedule.
const (
	faultSplit     = "split"
	faultMerge     = "merge"
	faultLeader    = "leader"
	faultStop      = "stop"
	faultLost      = "lost request"
	faultLostReply = "lost answer"
	faultSlow      = "slow store"
	faultDriver    = "lost timestamp"
	faultClock     = "clock jump"
)

// Disturb begins a schedule of faults, with up to gap requests between two. It goes on until Stop. If lossless is set,
// nothing gets lost, no store stops, and the clock does not jump: where a transaction commits in one request, a lost
// one may leave its outcome unknown, and tests name moments by this machine's clock.
func (c *Cluster) Disturb(seed uint64, gap int, lossless bool) *Disturbance {
	d := &Disturbance{cluster: c, random: rand.New(rand.NewPCG(seed, 7)), gap: gap, lossless: lossless,
		counts: map[string]int{}}
	d.wait = 1 + d.random.IntN(gap)
	stores := c.Mock.GetAllStores()
	slices.SortFunc(stores, func(a, b *metapb.Store) int { return cmp.Compare(a.GetId(), b.GetId()) })
	d.victim = stores[d.random.IntN(len(stores))].GetId()
	c.disturbance.Store(d)
	return d
}

// Stop ends the schedule and starts the store that is down.
func (d *Disturbance) Stop() {
	d.cluster.disturbance.CompareAndSwap(d, nil)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopped = true
	d.restart()
}

// String says how many faults of each kind there were.
func (d *Disturbance) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return fmt.Sprint(d.counts)
}

// Faults returns how many faults there were.
func (d *Disturbance) Faults() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.total
}

var errLost = errors.New("tikvtest: connection lost") // immutable

// send sends a request, or loses it, or its answer.
func (d *Disturbance) send(ctx context.Context, request *tikvrpc.Request,
	send func() (*tikvrpc.Response, error)) (*tikvrpc.Response, error) {
	switch d.next(request) {
	case faultLost:
		return nil, errLost
	case faultLostReply:
		if _, err := send(); err != nil {
			return nil, err
		}
		return nil, errLost
	case faultSlow:
		select {
		case <-time.After(slowFor):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	// a merge that has just looked for neighbours must find them as they were
	if request.Type == tikvrpc.CmdSplitRegion {
		d.mu.Lock()
		defer d.mu.Unlock()
	}
	return send()
}

// next counts a request and makes the fault that is due, or returns the one that is the request's own.
func (d *Disturbance) next(request *tikvrpc.Request) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopped {
		return ""
	}
	if d.down {
		if d.back--; d.back <= 0 {
			d.restart()
		}
	}
	if d.wait--; d.wait > 0 {
		return ""
	}
	d.wait = 1 + d.random.IntN(d.gap)*(1+d.total/faultsQuick)
	return d.fault(request)
}

func (d *Disturbance) fault(request *tikvrpc.Request) string {
	kinds := []string{faultSplit, faultSplit, faultSplit, faultMerge, faultMerge, faultLeader, faultLeader, faultLeader,
		faultLost, faultLostReply, faultStop, faultSlow, faultDriver, faultClock}
	kind := kinds[d.random.IntN(len(kinds))]
	done := false
	switch kind {
	case faultSplit:
		done = d.split(request)
	case faultMerge:
		done = d.merge()
	case faultLeader:
		done = d.moveLeader(d.region())
	case faultStop:
		done = d.stop()
	case faultSlow:
		done = true
	case faultClock:
		if done = !d.lossless && d.counts[faultClock] < jumpsMax; done {
			d.cluster.Advance(time.Duration(1 + d.random.Int64N(int64(jumpMost))))
		}
	case faultDriver:
		if done = d.counts[faultDriver] < driverMax; done {
			d.missing++
		}
	default:
		done = d.mayLose(request)
	}
	if !done {
		return ""
	}
	d.counts[kind]++
	d.total++
	if kind == faultLost || kind == faultLostReply || kind == faultSlow {
		return kind
	}
	return ""
}

// losesTimestamp reports whether the next timestamp gets lost.
func (d *Disturbance) losesTimestamp() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.missing == 0 || d.stopped {
		return false
	}
	d.missing--
	return true
}

// faultsQuick is the number of faults after which the pauses grow, lostMax the number of lost requests and answers: the
// client waits a tenth of a second after one. It waits half a second for a lost timestamp, of which driverMax get lost;
// a slow store takes slowFor. The cluster's clock jumps forward jumpsMax times, by up to jumpMost: together by less
// than locks live.
const (
	jumpsMax    = 4
	jumpMost    = 500 * time.Millisecond
	driverMax   = 1
	slowFor     = 10 * time.Millisecond
	faultsQuick = 10
	lostMax     = 4
)

// mayLose reports whether a lost request or answer can be made up for by asking again. The client says that an outcome
// is unknown only if it can't find out, so commits are among them.
func (d *Disturbance) mayLose(request *tikvrpc.Request) bool {
	if d.lossless || d.counts[faultLost]+d.counts[faultLostReply] >= lostMax {
		return false
	}
	switch request.Type {
	case tikvrpc.CmdGet, tikvrpc.CmdBatchGet, tikvrpc.CmdScan, tikvrpc.CmdPrewrite, tikvrpc.CmdCommit:
		return true
	default:
		return false
	}
}

// keyOf returns a key that a request is about; nil if it has none.
func keyOf(request *tikvrpc.Request) []byte {
	switch request.Type {
	case tikvrpc.CmdGet:
		return request.Get().GetKey()
	case tikvrpc.CmdScan:
		return request.Scan().GetStartKey()
	case tikvrpc.CmdBatchGet:
		keys := request.BatchGet().GetKeys()
		return keys[len(keys)/2]
	case tikvrpc.CmdPrewrite:
		mutations := request.Prewrite().GetMutations()
		return mutations[len(mutations)/2].GetKey()
	case tikvrpc.CmdCommit:
		keys := request.Commit().GetKeys()
		return keys[len(keys)/2]
	default:
		return nil
	}
}

// regions lists all regions, in the order of their keys, as they are now.
func (d *Disturbance) regions() (all []*metapb.Region) {
	for _, region := range d.cluster.Mock.ScanRegions(nil, nil, -1) {
		all = append(all, region.Meta)
	}
	return all
}

// region chooses one.
func (d *Disturbance) region() *metapb.Region {
	all := d.regions()
	return all[d.random.IntN(len(all))]
}

// regionsMax bounds how far splits go.
const regionsMax = 40

// split splits the region of the key that a request is about, at that key.
func (d *Disturbance) split(request *tikvrpc.Request) bool {
	key, mock := keyOf(request), d.cluster.Mock
	if len(key) == 0 || len(d.regions()) >= regionsMax {
		return false
	}
	encoded := codec.EncodeBytes(nil, key)
	region, _, _, _ := mock.GetRegionByKey(encoded)
	if region == nil || string(region.GetStartKey()) == string(encoded) {
		return false
	}
	ids := mock.AllocIDs(1 + len(region.GetPeers()))
	mock.Split(region.GetId(), ids[0], key, ids[1:], ids[1+d.random.IntN(len(ids)-1)])
	d.raise(region.GetRegionEpoch().GetVersion()+1, region.GetId(), ids[0])
	d.avoidFallen()
	return true
}

// merge gives a region its right neighbour's keys.
func (d *Disturbance) merge() bool {
	all := d.regions()
	if len(all) < 2 {
		return false
	}
	i := d.random.IntN(len(all) - 1)
	d.cluster.Mock.Merge(all[i].GetId(), all[i+1].GetId())
	d.raise(1+max(all[i].GetRegionEpoch().GetVersion(), all[i+1].GetRegionEpoch().GetVersion()), all[i].GetId())
	return true
}

// raise sets the versions of regions: after a split or a merge they must be higher than those of all that covered the
// same keys, or the client takes them for the past. The mock forgets that.
func (d *Disturbance) raise(version uint64, ids ...uint64) {
	mock := d.cluster.Mock
	mock.Lock()
	defer mock.Unlock()
	for _, region := range mock.GetAllRegions() {
		if slices.Contains(ids, region.Meta.GetId()) {
			region.Meta.RegionEpoch = &metapb.RegionEpoch{ConfVer: region.Meta.GetRegionEpoch().GetConfVer(),
				Version: version}
		}
	}
}

// moveLeader gives a region another leader whose store is up.
func (d *Disturbance) moveLeader(region *metapb.Region) bool {
	_, leader := d.cluster.Mock.GetRegion(region.GetId())
	var others []uint64
	for _, peer := range region.GetPeers() {
		if peer.GetId() != leader && !(d.fallen && peer.GetStoreId() == d.victim) {
			others = append(others, peer.GetId())
		}
	}
	if len(others) == 0 {
		return false
	}
	d.cluster.Mock.ChangeLeader(region.GetId(), others[d.random.IntN(len(others))])
	return true
}

// stop takes the victim down, and lets the others elect leaders for its regions.
func (d *Disturbance) stop() bool {
	if d.down || d.lossless {
		return false
	}
	d.down, d.fallen = true, true
	d.back = 5 + d.random.IntN(40)
	d.cluster.StopStore(d.victim)
	d.avoidFallen()
	return true
}

// avoidFallen moves leaders away from the victim, if it has been down.
func (d *Disturbance) avoidFallen() {
	if !d.fallen {
		return
	}
	for _, region := range d.regions() {
		_, leader := d.cluster.Mock.GetRegion(region.GetId())
		for _, peer := range region.GetPeers() {
			if peer.GetId() == leader && peer.GetStoreId() == d.victim {
				d.moveLeader(region)
			}
		}
	}
}

func (d *Disturbance) restart() {
	if d.down {
		d.cluster.StartStore(d.victim)
		d.down = false
	}
}
