// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
)

// engine is an open store and what an operator can ask of it.
type engine struct {
	store kv.Store
	admin kv.Admin
}

// openEngine is the one place that names engines.
func openEngine(_ context.Context, s *server) (engine, error) {
	switch s.config.Engine {
	case "mem":
		store := mem.Open(mem.Options{})
		return engine{store, store}, nil
	case "pebble":
		return engine{}, errors.New("engine pebble is not part of this version: use mem")
	case "tikv":
		return engine{}, errors.New("engine tikv is not part of this version: use pebble")
	default:
		return engine{}, fmt.Errorf("there is no engine %q", s.config.Engine)
	}
}

// openDatabase opens the engine and the database on it.
func openDatabase(ctx context.Context, s *server) (database, error) {
	e, err := openEngine(ctx, s)
	if err != nil {
		return nil, err
	}
	return bareDatabase{e}, nil
}

// startDoors opens the ports of the doors that are on. After an error it returns the doors that are already open, to be shut.
func startDoors(_ context.Context, _ *server, _ database) ([]door, error) {
	return nil, nil
}

// bareDatabase is an engine with nothing on it.
type bareDatabase struct{ engine }

// Ready always is: without doors nothing can be asked of it.
func (d bareDatabase) Ready() error { return nil }

// Close closes the engine.
func (d bareDatabase) Close() error { return d.store.Close() }
