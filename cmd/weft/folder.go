// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"

	"github.com/weftdb/weft/internal/database"
)

// withFolder reads a folder that holds a store. No protocol is served, and nothing runs in the background.
func (p *program) withFolder(ctx context.Context, folder string, work func(*database.DB) error) (err error) {
	return p.openFolder(ctx, folder, func(c *config) { c.readOnly = true },
		func(s *server) error { return work(s.database.(*openedDatabase).db) })
}

// withConfiguredFolder is withFolder for work that writes, or needs the settings.
func (p *program) withConfiguredFolder(ctx context.Context, folder string,
	work func(*config, *database.DB) error) (err error) {
	return p.openFolder(ctx, folder, func(*config) {},
		func(s *server) error { return work(s.config, s.database.(*openedDatabase).db) })
}

// openFolder opens a server without ports on a folder that holds a store. settle may change its settings before.
func (p *program) openFolder(
	ctx context.Context, folder string, settle func(*config), work func(*server) error,
) (err error) {
	conf, _, err := resolve(inputs{map[string]string{
		"engine": "pebble", "data": folder, "dynamodb-addr": off, "mysql-addr": off, "admin-addr": off,
		"log-level": "warn",
	}, p.environ, p.readFile})
	if err != nil {
		return err
	}
	conf.existing, conf.idle = true, true
	conf.Schema, conf.Seed = nil, "" // of the environment: they are a server's
	settle(conf)
	s := &server{config: conf, log: newLogger(p.stderr, conf), exit: p.exit}
	if err := s.Open(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return work(s)
}
