// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/weftdb/weft/bench/loadgen"
)

// revision is a commit with what was built from it.
type revision struct {
	name    string // abbreviated
	weft    string // the binary of the server
	measure string // the measuring program of this tree, with the commit's packages in it
}

// command runs a program and returns what it prints.
func command(ctx context.Context, dir, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=") // the nearest go.work
	said, err := c.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%s: %w: %s", strings.Join(c.Args, " "), err, exit.Stderr)
	}
	return strings.TrimSpace(string(said)), err
}

// build checks a commit out beside dir, builds it into dir, and removes what it has checked out.
func build(ctx context.Context, tree, dir, commit, program string) (r *revision, err error) {
	name, err := command(ctx, tree, "git", "rev-parse", "--short", "--verify", commit+"^{commit}")
	if err != nil {
		return nil, err
	}
	source := filepath.Join(dir, "source")
	if _, err := command(ctx, tree, "git", "worktree", "add", "--detach", source, name); err != nil {
		return nil, err
	}
	defer func() {
		_, removeErr := command(context.WithoutCancel(ctx), tree, "git", "worktree", "remove", "--force", source)
		err = errors.Join(err, removeErr)
	}()
	// This tree's bench measures the commit's packages.
	work := fmt.Sprintf("go 1.26.0\n\nuse (\n\t%q\n\t%q\n)\n", filepath.Join(tree, "bench"), source)
	if err := os.WriteFile(filepath.Join(dir, "go.work"), []byte(work), 0o644); err != nil {
		return nil, err
	}
	r = &revision{name, filepath.Join(dir, name+"-weft"), filepath.Join(dir, name+"-measure")}
	for _, one := range [][2]string{{r.weft, "./cmd/weft"}, {r.measure, program}} {
		from := source
		if one[1] == program {
			from = dir
		}
		// -trimpath: what both commits have in common is compiled once, wherever they are checked out.
		if _, err := command(ctx, from, "go", "build", "-trimpath", "-o", one[0], one[1]); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// running is a measuring program that takes a turn when it is told to.
type running struct {
	command *exec.Cmd
	turns   io.WriteCloser
	results *bufio.Scanner
}

// start starts a revision's measuring program, and waits until its data is loaded.
func (r *revision) start(ctx context.Context, c *config) (*running, error) {
	args := append([]string{"--turns", "--weft", r.weft, "--clients", strconv.Itoa(c.Clients),
		"--seconds", fmt.Sprint(c.Seconds)}, c.Args...)
	p := &running{command: exec.CommandContext(ctx, r.measure, args...)}
	loadgen.EndWithParent(p.command)
	p.command.Stderr = c.Log
	in, inErr := p.command.StdinPipe()
	out, outErr := p.command.StdoutPipe()
	if err := errors.Join(inErr, outErr); err != nil {
		return nil, err
	}
	p.turns, p.results = in, bufio.NewScanner(out)
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	_, err := p.read()
	if err != nil {
		err = errors.Join(err, p.close())
	}
	return p, err
}

// turn measures once.
func (p *running) turn() (loadgen.Result, error) {
	if _, err := io.WriteString(p.turns, "\n"); err != nil {
		return loadgen.Result{}, err
	}
	results, err := p.read()
	if err != nil {
		return loadgen.Result{}, err
	}
	if len(results) != 1 {
		return loadgen.Result{}, fmt.Errorf("a turn has %d results, want one: one operation, one number of clients",
			len(results))
	}
	return results[0], nil
}

// read reads the next results that the program prints, past all that it prints for people.
func (p *running) read() (results []loadgen.Result, err error) {
	for p.results.Scan() {
		if json.Unmarshal(p.results.Bytes(), &results) == nil {
			return results, nil
		}
	}
	return nil, errors.Join(p.results.Err(), errors.New("the measuring program has ended"))
}

// close ends the program and waits for it.
func (p *running) close() error {
	err := p.turns.Close()
	for p.results.Scan() { // its report
	}
	return errors.Join(err, p.command.Wait())
}
