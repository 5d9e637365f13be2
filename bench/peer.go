// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
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
	return []string{peerEcho, peerWeft, peerStreaming, peerSigned, peerPolicy, peerEarlier, peerDynalite, peerPebble, peerEmbedded}
}

// can reports whether a peer knows an operation.
func can(peer, operation string) bool {
	return transactItems(operation) == 0 || slices.Contains([]string{peerWeft, peerStreaming, peerSigned, peerPolicy, peerEarlier, peerEcho}, peer)
}

// peer is one process that can be measured. Its table is loaded.
type peer interface {
	Name() string
	Run(x loadgen.Cell) (loadgen.Result, error)
	Close() error
}

// skip is a peer that can't be had here, and why.
type skip struct{ Name, Reason string }

// openPeers starts the processes and loads their tables. After an error, too, the peers are the caller's to close.
func openPeers(ctx context.Context, c *config) (peers []peer, skipped []skip, err error) {
	open := map[string]func() (peer, error){
		peerWeft:      func() (peer, error) { return openWeft(ctx, c, peerWeft) },
		peerEarlier:   func() (peer, error) { return openWeft(ctx, c, peerEarlier) },
		peerStreaming: func() (peer, error) { return openStreaming(ctx, c) },
		peerSigned:    func() (peer, error) { return openSigned(ctx, c, peerSigned) },
		peerPolicy:    func() (peer, error) { return openSigned(ctx, c, peerPolicy) },
		peerDynalite:  func() (peer, error) { return openDynalite(ctx, c) },
		peerPebble:    func() (peer, error) { return openInProcess(c, peerPebble) },
		peerEmbedded:  func() (peer, error) { return openInProcess(c, peerEmbedded) },
		peerEcho:      func() (peer, error) { return openEcho(ctx, c, peers) },
	}
	for _, name := range []string{peerWeft, peerStreaming, peerSigned, peerPolicy, peerEarlier, peerDynalite, peerPebble, peerEmbedded, peerEcho} { // echo needs another's answers
		if !slices.Contains(c.Peers, name) {
			continue
		}
		fmt.Fprintf(c.Log, "starting %s and loading %d items\n", name, c.Partitions*partitionItems)
		p, err := open[name]()
		var missing *missingError
		switch {
		case errors.As(err, &missing):
			skipped = append(skipped, skip{name, missing.reason})
			fmt.Fprintf(c.Log, "%s is skipped: %s\n", name, missing.reason)
		case err != nil:
			return peers, skipped, fmt.Errorf("%s: %w", name, err)
		default:
			peers = append(peers, p)
		}
	}
	return peers, skipped, nil
}

// missingError says that a peer can't be had on this machine.
type missingError struct{ reason string }

func (e *missingError) Error() string { return e.reason }

func closePeers(peers []peer) error {
	var errs []error
	for _, p := range peers {
		if err := p.Close(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", p.Name(), err))
		}
	}
	return errors.Join(errs...)
}

// folder returns where a peer keeps its data.
func (c *config) folder(name string) string { return filepath.Join(c.Dir, name) }
