// SPDX-License-Identifier: Apache-2.0

//go:build notikv

package main

import (
	"context"
	"errors"
)

// openTiKV stands where this program was built without the client of TiKV, which makes half of it.
func openTiKV(context.Context, *server) (engine, error) {
	return engine{}, errors.New("this binary was built without TiKV (-tags notikv): use a binary built without that tag, or --engine pebble")
}
