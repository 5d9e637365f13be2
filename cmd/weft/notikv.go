// SPDX-License-Identifier: Apache-2.0

//go:build !tikv

package main

import (
	"context"
	"errors"
)

// openTiKV refuses: this binary lacks TiKV's client, which would double the time to build it.
func openTiKV(context.Context, *server) (engine, error) {
	return engine{}, errors.New("this binary has no client of TiKV: build one that has it with `go build -tags tikv ./cmd/weft` (`make build` puts it at bin/weft-tikv), or use --engine pebble")
}
