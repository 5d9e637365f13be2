// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/weftdb/weft/bench/loadgen"
)

// httpPeer is a server in a process of its own that is asked over HTTP.
type httpPeer struct {
	name    string
	ctx     context.Context
	command *exec.Cmd
	target  target
	input   io.Closer     // the end of the echo server
	profile string        // the profile being taken
	output  *bytes.Buffer // what the server said, for errors
}

// Name implements peer.
func (p *httpPeer) Name() string { return p.name }

// Run implements peer.
func (p *httpPeer) Run(x loadgen.Cell) (loadgen.Result, error) {
	pid := p.command.Process.Pid
	loadgen.Settle(pid)
	loadgen.ForgetPeak(pid)
	r, err := p.target.run(p.ctx, x, func() float64 { return loadgen.CPU(pid) })
	r.RSSPeakBytes = loadgen.Memory(pid, "VmHWM")
	if err != nil && p.output != nil {
		err = fmt.Errorf("%w\nThe server said: %s", err, p.output.Bytes()[max(p.output.Len()-1000, 0):])
	}
	return r, err
}

// Close implements peer.
func (p *httpPeer) Close() error {
	if p.input != nil {
		return errors.Join(p.input.Close(), p.command.Wait())
	}
	return loadgen.Stop(p.command)
}

// startServer starts a server and waits until its port answers.
func startServer(ctx context.Context, name, address string, command *exec.Cmd) (*httpPeer, error) {
	p := &httpPeer{name: name, ctx: ctx, command: command, target: target{address: address}, output: new(bytes.Buffer)}
	command.Stdout, command.Stderr = p.output, p.output
	loadgen.EndWithParent(command)
	if err := command.Start(); err != nil {
		return nil, err
	}
	for begun := time.Now(); time.Since(begun) < 20*time.Second; time.Sleep(20 * time.Millisecond) {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			return p, conn.Close()
		}
	}
	err := loadgen.Stop(command)
	return nil, errors.Join(fmt.Errorf("nothing listens on %s after 20 s: %s", address, p.output.Bytes()), err)
}

// openWeft starts the binary of this tree, or an earlier one.
func openWeft(ctx context.Context, c *config, name string) (peer, error) {
	if name == peerEarlier && c.Earlier == "" {
		return nil, &missingError{"--earlier names no binary"}
	}
	if err := c.buildWeft(); err != nil {
		return nil, err
	}
	p, err := startWeft(ctx, c, name, c.folder(name))
	if err != nil {
		return nil, err
	}
	p.target.partitions = c.Partitions
	if _, err := loaded(p); err != nil {
		return nil, err
	}
	return restartWeft(ctx, c, p, c.folder(name))
}

// restartWeft stops the server and starts it twice: the first start brings what was loaded from the log into tables, the second has nothing to do.
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

// loaded fills the table of a new server, or stops it.
func loaded(p *httpPeer) (peer, error) {
	if err := p.target.load(); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// startWeft starts the binary on a folder, with the default cache of 64 MiB.
func startWeft(ctx context.Context, c *config, name, dir string, more ...string) (*httpPeer, error) {
	address, err := loadgen.FreeAddress()
	if err != nil {
		return nil, err
	}
	binary := c.Weft
	if name == peerEarlier {
		binary = c.Earlier
	}
	command := exec.Command(binary, append([]string{"serve", "--data", dir, "--dynamodb-addr", address, "--mysql-addr", "off", "--admin-addr", "off", "--block-cache", "64MiB",
		"--log-level", "warn"}, more...)...)
	command.Env = append(os.Environ(), loadgen.ProfileVariable+"="+c.profileLink())
	return startServer(ctx, name, address, command)
}

// buildWeft builds the binary from the tree that the working directory is in.
func (c *config) buildWeft() (err error) {
	if c.Weft != "" {
		return nil
	}
	if c.Profiles != "" {
		if err := os.MkdirAll(c.Profiles, 0o755); err != nil {
			return err
		}
	}
	c.Weft, err = loadgen.BuildWeft(c.Dir, c.Profiles != "")
	return err
}

const (
	dynaliteVersion = "4.0.0"
	npmTimeout      = 3 * time.Minute
)

// openDynalite starts npm's dynalite on a LevelDB folder. It is installed once, into the user's cache.
func openDynalite(ctx context.Context, c *config) (peer, error) {
	program, err := installDynalite(ctx)
	if err != nil {
		return nil, err
	}
	address, err := loadgen.FreeAddress()
	if err != nil {
		return nil, err
	}
	host, port, _ := strings.Cut(address, ":")
	command := exec.Command("node", program, "--host", host, "--port", port, "--path", c.folder(peerDynalite), "--createTableMs", "1")
	p, err := startServer(ctx, peerDynalite, address, command)
	if err != nil {
		return nil, err
	}
	p.target.partitions = c.Partitions
	return loaded(p)
}

func installDynalite(ctx context.Context) (program string, err error) {
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "", &missingError{"dynalite runs on Node.js, and there is no " + tool + " here"}
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
	install := exec.CommandContext(ctx, "npm", "install", "--prefix", dir, "--no-audit", "--no-fund", "--no-save", "dynalite@"+dynaliteVersion)
	install.Dir = dir
	if said, err := install.CombinedOutput(); err != nil {
		return "", &missingError{fmt.Sprintf("npm can't install dynalite@%s: %v: %.300s", dynaliteVersion, err, said)}
	}
	return program, nil
}

func (c *config) profileLink() string { return filepath.Join(c.Dir, "profile") }

// Profile starts a CPU profile of the weft binary, or ends it if path is empty.
func (p *httpPeer) Profile(path string) error {
	if !slices.Contains([]string{peerWeft, peerStreaming, peerSigned, peerPolicy}, p.name) {
		return nil
	}
	if path == "" {
		if err := p.command.Process.Signal(syscall.SIGUSR2); err != nil {
			return err
		}
		time.Sleep(300 * time.Millisecond) // the profiler collects before it writes
		return os.Rename(p.profileFile(), p.profile)
	}
	p.profile = path
	return p.command.Process.Signal(syscall.SIGUSR1)
}

// profileFile is where the server writes its profiles.
func (p *httpPeer) profileFile() string {
	for _, variable := range p.command.Env {
		if path, ok := strings.CutPrefix(variable, loadgen.ProfileVariable+"="); ok {
			return path
		}
	}
	return ""
}
