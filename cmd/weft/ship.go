// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/resource/metric"
)

// startShipping begins to ship the database to the place of the configuration; nil for none.
func (s *server) startShipping(ctx context.Context, db *database.DB) (*database.Shipper, error) {
	if s.config.Ship == "" || s.config.idle {
		return nil, nil
	}
	to, err := openStorage(s.config.Ship, os.Environ())
	if err != nil {
		return nil, fmt.Errorf("ship: %w", err)
	}
	seal, err := sealFor(strings.FieldsFunc(s.config.ShipRecipients, func(r rune) bool { return r == ',' }))
	if err != nil {
		return nil, fmt.Errorf("ship-recipients: %w", err)
	}
	shipper, err := db.Ship(ctx, to, database.ShipOptions{
		Seal: seal, Program: "weft " + version, Keep: time.Duration(s.config.ShipKeepDays) * 24 * time.Hour,
		Logger: s.log.With("component", "shipping"),
	})
	if err != nil {
		return nil, fmt.Errorf("ship: %w", err)
	}
	s.metrics.ObserveShipping(func() metric.ShippingStats {
		now := shipper.Shipping()
		return metric.ShippingStats{
			BehindSeconds: max(0, time.Since(time.UnixMilli(now.SafeMS)).Seconds()), Segments: now.Segments,
			Bytes: now.Bytes, Backups: now.Bases, Failures: now.Fails, Chains: now.Chains,
		}
	})
	return shipper, nil
}
