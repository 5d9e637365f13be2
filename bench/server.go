// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/weftdb/weft/bench/loadgen"
)

// httpPeer is a server in a process of its own that is asked over HTTP.
type httpPeer struct {
	*loadgen.Server
	name   string
	target target
}

// Name implements loadgen.Peer.
func (p *httpPeer) Name() string { return p.name }

// Run implements loadgen.Peer.
func (p *httpPeer) Run(ctx context.Context, x loadgen.Cell) (loadgen.Result, error) {
	r, err := p.target.run(ctx, x, p.PID())
	if said := p.Said(); err != nil && len(said) > 0 {
		err = fmt.Errorf("%w\nThe server said: %s", err, said)
	}
	return r, err
}

// openWeft starts the binary of this tree, or an earlier one.
func openWeft(ctx context.Context, c *config, name string) (*httpPeer, error) {
	if name == peerEarlier && c.Earlier == "" {
		return nil, &loadgen.MissingError{Reason: "--earlier names no binary"}
	}
	if err := c.Build(); err != nil {
		return nil, err
	}
	p, err := startWeft(ctx, c, name, c.folder(name))
	if err != nil {
		return nil, err
	}
	p.target.partitions = c.Partitions
	if err := p.load(); err != nil {
		return nil, err
	}
	return restartWeft(ctx, c, p, c.folder(name))
}

// restartWeft stops the server and starts it twice: the first start brings what was loaded from the log into tables,
// the second has nothing to do.
func restartWeft(ctx context.Context, c *config, p *httpPeer, dir string) (*httpPeer, error) {
	partitions := p.target.partitions
	for range 2 {
		if err := p.Close(); err != nil {
			return nil, err
		}
		var err error
		if p, err = startWeft(ctx, c, p.name, dir); err != nil {
			return nil, err
		}
	}
	p.target.partitions = partitions
	return p, nil
}

// load fills the table of a new server, or stops it.
func (p *httpPeer) load() error {
	err := p.target.load()
	if err != nil {
		err = errors.Join(err, p.Close())
	}
	return err
}

// startWeft starts the binary on a folder, with a cache of 64 MiB.
func startWeft(ctx context.Context, c *config, name, dir string, more ...string) (*httpPeer, error) {
	settings := c.Settings
	if name == peerEarlier {
		settings.Weft, settings.Profiles = c.Earlier, ""
	}
	server, err := settings.StartWeft(ctx, dir, "64MiB", "--dynamodb-addr", loadgen.Listens, more...)
	if err != nil {
		return nil, err
	}
	return &httpPeer{server, name, target{address: server.Address}}, nil
}

const (
	dynaliteVersion = "4.0.0"
	npmTimeout      = 3 * time.Minute
)

// openDynalite starts npm's dynalite on a LevelDB folder. It is installed once, into the user's cache.
func openDynalite(ctx context.Context, c *config) (*httpPeer, error) {
	program, err := installDynalite(ctx)
	if err != nil {
		return nil, err
	}
	address, err := loadgen.FreeAddress()
	if err != nil {
		return nil, err
	}
	host, port, _ := strings.Cut(address, ":")
	command := exec.Command("node", program, "--host", host, "--port", port, "--path", c.folder(peerDynalite),
		"--createTableMs", "1")
	server, err := loadgen.Start(ctx, command, address, loadgen.Listens)
	if err != nil {
		return nil, err
	}
	p := &httpPeer{server, peerDynalite, target{address: address, partitions: c.Partitions}}
	return p, p.load()
}

func installDynalite(ctx context.Context) (program string, err error) {
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "", &loadgen.MissingError{Reason: "dynalite runs on Node.js, and there is no " + tool + " here"}
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "weft-bench", "dynalite-"+dynaliteVersion)
	program = filepath.Join(dir, "node_modules", "dynalite", "cli.js")
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, npmTimeout)
	defer cancel()
	install := exec.CommandContext(ctx, "npm", "install", "--prefix", dir, "--no-audit", "--no-fund", "--no-save",
		"dynalite@"+dynaliteVersion)
	install.Dir = dir
	if said, err := install.CombinedOutput(); err != nil {
		return "", &loadgen.MissingError{Reason: fmt.Sprintf("npm can't install dynalite@%s: %v: %.300s",
			dynaliteVersion, err, said)}
	}
	return program, nil
}
