// SPDX-License-Identifier: Apache-2.0

//go:build tikv

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/weftdb/weft/kv/tikv"
)

// clusterAnswerTimeout is the time /readyz waits for the cluster.
const clusterAnswerTimeout = 2 * time.Second

func openTiKV(ctx context.Context, s *server) (engine, error) {
	c := s.config
	tikv.LogTo(s.log)
	s.log.Info("connecting to TiKV", "pd", c.TiKVPD, "tls", c.TiKVCA != "", "prefix", c.TiKVPrefix)
	store, err := tikv.Open(ctx, tikv.Options{
		PD: c.TiKVPD, CAPath: c.TiKVCA, CertPath: c.TiKVCert, KeyPath: c.TiKVKey, Prefix: []byte(c.TiKVPrefix),
		ReplicaReads: c.TiKVReplicaReads,
	})
	if err != nil {
		return engine{}, err
	}
	return engine{store: store, admin: store, ready: func() error { return tikvReady(store) }}, nil
}

// tikvReady asks the cluster for its time.
func tikvReady(store *tikv.Store) error {
	ctx, cancel := context.WithTimeout(context.Background(), clusterAnswerTimeout)
	defer cancel()
	if _, err := store.NowMS(ctx); err != nil {
		return fmt.Errorf("the TiKV cluster doesn't answer: %w", err)
	}
	return nil
}
