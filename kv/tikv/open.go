// SPDX-License-Identifier: Apache-2.0

package tikv

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tikv/client-go/v2/config"
	"github.com/tikv/client-go/v2/tikv"
	pd "github.com/tikv/pd/client"
	"github.com/tikv/pd/client/opt"
	"github.com/tikv/pd/client/pkg/caller"
	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"
)

// Keep-alive pings find connections that died without a word.
const (
	keepAliveTime    = 10 * time.Second
	keepAliveTimeout = 3 * time.Second
)

// Open connects to the cluster of options.PD. ctx bounds the connecting alone. Errors: options' faults, ctx's error, the cluster's.
func Open(ctx context.Context, options Options) (*Store, error) {
	if len(options.PD) == 0 {
		return nil, errors.New("tikv: no placement driver; give the address of at least one")
	}
	if err := options.Validate(); err != nil {
		return nil, err
	}
	type answer struct {
		store *Store
		err   error
	}
	answers := make(chan answer, 1)
	go func() { // the clients retry by their own clocks
		store, err := connect(options)
		answers <- answer{store, err}
	}()
	select {
	case a := <-answers:
		return a.store, a.err
	case <-ctx.Done():
		go func() {
			if a := <-answers; a.err == nil {
				_ = a.store.Close() // nobody is left to be told
			}
		}()
		return nil, ctx.Err()
	}
}

// connect makes the clients without touching client-go's global settings, so that two stores may differ.
func connect(options Options) (*Store, error) {
	security := config.NewSecurity(options.CAPath, options.CertPath, options.KeyPath, nil)
	tlsConfig, err := security.ToTLSConfig()
	if err != nil {
		return nil, fmt.Errorf("tikv: read the TLS files: %w", err)
	}
	driver, err := pd.NewClient(caller.Component("weft"), options.PD,
		pd.SecurityOption{CAPath: options.CAPath, CertPath: options.CertPath, KeyPath: options.KeyPath},
		opt.WithGRPCDialOptions(grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: keepAliveTime, Timeout: keepAliveTimeout})))
	if err != nil {
		return nil, fmt.Errorf("tikv: connect to the placement driver: %w", err)
	}
	codec := tikv.NewCodecPDClient(tikv.ModeTxn, driver)
	safePoint, err := tikv.NewEtcdSafePointKV(options.PD, tlsConfig)
	if err != nil {
		driver.Close()
		return nil, fmt.Errorf("tikv: connect to the placement driver: %w", err)
	}
	stores := tikv.NewRPCClient(tikv.WithSecurity(security), tikv.WithCodec(codec.GetCodec()))
	name := fmt.Sprintf("weft-%d", driver.GetClusterID(context.Background()))
	client, err := tikv.NewKVStore(name, codec, safePoint, stores)
	if err != nil {
		driver.Close()
		return nil, errors.Join(fmt.Errorf("tikv: connect to the cluster: %w", err), safePoint.Close(), stores.Close())
	}
	return FromClient(client, options)
}
