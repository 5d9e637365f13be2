// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/cmd/weft/storecommand"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/resource/metric"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/storage"
)

// bulkCommands are the commands that work on a store that no server has open.
func (p *program) bulkCommands() []*cobra.Command {
	host := &storecommand.Host{Stdin: os.Stdin, Stdout: p.stdout, Stderr: p.stderr, AddFlags: addStoreFlags,
		PlaceHelp: storageHelp,
		OpenPlace: func(place string) (storage.Storage, error) { return openStorage(place, p.environ) }}
	open := func(c *cobra.Command, looks, exists bool, work func(context.Context, *database.DB, string) error) error {
		conf, err := p.resolveQuiet(givenFlags(c.Flags()))
		if err != nil {
			return err
		}
		conf.DynamoDBAddr, conf.MySQLAddr, conf.AdminAddr = off, off, off
		conf.existing, conf.idle, conf.readOnly = exists, looks, looks
		conf.Schema, conf.Seed = nil, "" // of the environment: they are a server's
		return p.withServer(c.Context(), conf, func(ctx context.Context, s *server) error {
			return work(ctx, s.database.(*openedDatabase).db, conf.Data)
		})
	}
	host.Open = func(c *cobra.Command, exists bool, work func(context.Context, *database.DB, string) error) error {
		return open(c, false, exists, work)
	}
	host.Look = func(c *cobra.Command, work func(context.Context, *database.DB) error) error {
		return open(c, true, true, func(ctx context.Context, db *database.DB, _ string) error { return work(ctx, db) })
	}
	host.OpenTwo = func(c *cobra.Command, from, to string, work func(context.Context, kv.Store, kv.Store) error) error {
		for _, name := range []string{"data", "engine", "tikv-pd"} {
			if c.Flags().Changed(name) {
				return commandline.Usage(fmt.Errorf("--%s has no meaning for weft copy: --from and --to name the stores", name))
			}
		}
		return p.withStore(c, from, true, func(ctx context.Context, source kv.Store) error {
			return p.withStore(c, to, false,
				func(_ context.Context, target kv.Store) error { return work(ctx, source, target) })
		})
	}
	memory := int64(256 << 20)
	return []*cobra.Command{host.VerifyCommand(), host.CopyCommand(), host.ExportCommand(),
		host.ImportCommand(size{&memory, 4 << 20}, &memory)}
}

// addStoreFlags gives a command that works on stores the flags of settings, and shows those that say which store, and
// how it is read.
func addStoreFlags(command *cobra.Command) {
	shown := []string{"data", "engine", "tikv-pd", "tikv-ca", "tikv-cert", "tikv-key", "tikv-prefix", "block-cache",
		"log-level"}
	if command.Name() == "copy" { // --from and --to say which
		shown = slices.DeleteFunc(shown, func(name string) bool {
			return name == "data" || name == "engine" || name == "tikv-pd"
		})
	}
	if command.Name() == "restore" {
		shown = append(shown, "admin-addr")
	}
	addSettingFlags(command, shown...)
}

// resolveQuiet reads the settings of a command that serves nobody: unless it is asked for, its log has no lines about
// what goes well.
func (p *program) resolveQuiet(given map[string]string) (*config, error) {
	conf, all, err := resolve(inputs{given, p.environ, p.readFile})
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		if r.name == "log-level" && r.source == "default" {
			conf.LogLevel = "warn"
		}
	}
	return conf, nil
}

// withStore opens a folder, which is only read if it is the source, or the cluster of tikv://HOST:PORT,.., and nothing
// over it.
func (p *program) withStore(
	c *cobra.Command, place string, source bool, work func(context.Context, kv.Store) error,
) (err error) {
	given := givenFlags(c.Flags())
	given["engine"], given["data"] = "pebble", place
	if pd, cluster := strings.CutPrefix(place, "tikv://"); cluster {
		given["engine"], given["tikv-pd"] = "tikv", pd
		delete(given, "data")
	}
	conf, err := p.resolveQuiet(given)
	if err != nil {
		return err
	}
	conf.existing, conf.readOnly = source, source
	s := &server{config: conf, log: newLogger(p.stderr, conf), exit: p.exit, metrics: metric.New(build())}
	ctx, stop := p.stopOnSignal(c.Context(), s)
	defer stop()
	e, err := openEngine(ctx, s)
	if err != nil {
		return fmt.Errorf("failed to open %s: %w", place, err)
	}
	defer func() { err = errors.Join(err, e.store.Close()) }()
	return work(ctx, e.store)
}
