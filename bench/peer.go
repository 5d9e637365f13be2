// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/weftdb/weft/bench/loadgen"
)

// The peers, as they are called on the command line and in the report.
const (
	peerEcho      = "echo"
	peerWeft      = "weft"
	peerEarlier   = "earlier"   // another binary of weft, to see what a change costs
	peerStreaming = "streaming" // weft whose table has a stream with both images
	peerSigned    = "signed"    // weft that verifies signatures; an administrator asks
	peerPolicy    = "policy"    // the same, and a user asks whose policy has a condition
	peerDynalite  = "dynalite"
	peerPebble    = "pebble"
	peerEmbedded  = "embedded"
)

func peerNames() []string {
	return []string{peerEcho, peerWeft, peerStreaming, peerSigned, peerPolicy, peerEarlier, peerDynalite, peerPebble,
		peerEmbedded}
}

// can reports whether a peer knows an operation.
func can(peer, operation string) bool {
	if operation == opBatchGet {
		return peer != peerPebble && peer != peerEmbedded
	}
	return transactItems(operation) == 0 ||
		slices.Contains([]string{peerWeft, peerStreaming, peerSigned, peerPolicy, peerEarlier, peerEcho}, peer)
}

// openPeers starts the processes and loads their tables. After an error, too, the peers are the caller's to close.
func openPeers(ctx context.Context, c *config) (peers []loadgen.Peer, skipped []string, err error) {
	names := slices.DeleteFunc(peerNames(), func(name string) bool { return !slices.Contains(c.Peers, name) })
	if i := slices.Index(names, peerEcho); i >= 0 { // it needs the answers of another
		names = append(slices.Delete(names, i, i+1), peerEcho)
	}
	var server *httpPeer // the first
	return loadgen.Open(c.Log, names, func(name string) (loadgen.Peer, error) {
		p, err := openPeer(ctx, c, name, server)
		if h, ok := p.(*httpPeer); ok && err == nil && server == nil {
			server = h
		}
		return p, err
	})
}

// openPeer starts one peer; echo with the answers of another server.
func openPeer(ctx context.Context, c *config, name string, server *httpPeer) (loadgen.Peer, error) {
	switch name {
	case peerStreaming:
		return openStreaming(ctx, c)
	case peerSigned, peerPolicy:
		return openSigned(ctx, c, name)
	case peerDynalite:
		return openDynalite(ctx, c)
	case peerPebble, peerEmbedded:
		return openInProcess(c, name)
	case peerEcho:
		return openEcho(c, server)
	}
	return openWeft(ctx, c, name)
}

// folder returns where a peer keeps its data.
func (c *config) folder(name string) string { return filepath.Join(c.Dir, name) }
