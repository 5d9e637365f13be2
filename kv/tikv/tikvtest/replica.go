// SPDX-License-Identifier: Apache-2.0

package tikvtest

import "github.com/tikv/client-go/v2/tikvrpc"

// FollowerReads returns how many reads were answered by stores that don't lead the region, since the beginning.
func (c *Cluster) FollowerReads() int64 { return c.followed.Load() }

// lead hands a read that a follower is asked for to the leader, and counts it: the mock's followers answer nothing, and
// those of a cluster show what the leader has. It returns the leader's address.
func (c *Cluster) lead(address string, request *tikvrpc.Request) string {
	region, leader := c.Mock.GetRegion(request.RegionId)
	for _, peer := range region.GetPeers() {
		if peer.GetId() != leader || peer.GetStoreId() == request.Peer.GetStoreId() {
			continue
		}
		c.followed.Add(1)
		request.Peer = peer
		return c.pulses[peer.GetStoreId()].address
	}
	return address
}
