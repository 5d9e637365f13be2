// SPDX-License-Identifier: Apache-2.0

package tikv

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/pingcap/log"
	"github.com/tikv/client-go/v2/config"
	"github.com/tikv/client-go/v2/tikv"
	pd "github.com/tikv/pd/client"
	"github.com/tikv/pd/client/opt"
	"github.com/tikv/pd/client/pkg/caller"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"

	"github.com/weftdb/weft/kv"
)

// Keep-alive pings find connections that died without a word.
const (
	keepAliveTime    = 10 * time.Second
	keepAliveTimeout = 3 * time.Second
)

// How long Open tries: each address on its own first, then the placement driver's answers, then one read from a store.
const (
	dialTimeout    = 2 * time.Second
	connectTimeout = 10 * time.Second
)

// Open connects to the cluster of options.PD and reads a key, so that a cluster that can't serve is found out now. It
// gives up within about 20 seconds and says what it tried. ctx bounds the connecting alone. Errors: options' faults,
// ctx's error, the cluster's.
func Open(ctx context.Context, options Options) (*Store, error) {
	if len(options.PD) == 0 {
		return nil, errors.New("tikv: no placement driver; give the address of at least one")
	}
	if err := options.Validate(); err != nil {
		return nil, err
	}
	security := options.security()
	if _, err := security.ToTLSConfig(); err != nil {
		return nil, fmt.Errorf("tikv: read the TLS files: %w", err)
	}
	if err := dialAll(ctx, options.PD); err != nil {
		return nil, err
	}
	store, err := connectWithin(ctx, options)
	if err != nil {
		return nil, err
	}
	if err := store.probe(ctx); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

// dialAll returns an error that tells of each address if none takes a connection. The clients would say the same after
// a hundred seconds.
func dialAll(ctx context.Context, addresses []string) error {
	answers := make(chan error, len(addresses))
	for _, address := range addresses {
		go func() { answers <- dial(ctx, address) }()
	}
	var failures []string
	for range addresses {
		err := <-answers
		if err == nil {
			return nil
		}
		failures = append(failures, err.Error())
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	slices.Sort(failures)
	return fmt.Errorf("tikv: no placement driver can be reached (%s): see that the cluster runs and that these are the addresses of its PD servers, "+
		"host:port, as `tiup cluster display` lists them", strings.Join(failures, "; "))
}

func dial(ctx context.Context, address string) error {
	dialer := net.Dialer{Timeout: dialTimeout}
	connection, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return connection.Close()
}

// connectWithin is connect, given up after connectTimeout: the clients retry by clocks of their own.
func connectWithin(ctx context.Context, options Options) (*Store, error) {
	within, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	type answer struct {
		store *Store
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		store, err := connect(options)
		answers <- answer{store, err}
	}()
	select {
	case a := <-answers:
		return a.store, a.err
	case <-within.Done():
		go func() {
			if a := <-answers; a.err == nil {
				_ = a.store.Close() // nobody is left to be told
			}
		}()
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, fmt.Errorf("tikv: %s take connections but don't answer as placement drivers within %v: %s",
		strings.Join(options.PD, ", "), connectTimeout,
		options.hintTLS())
}

// hintTLS says what is to be seen to when an address takes connections and says nothing.
func (o Options) hintTLS() string {
	if o.CAPath == "" {
		return "if the cluster uses TLS, give the certificates; see also that the addresses are PD's and not those of other servers"
	}
	return "see that the cluster uses TLS with this authority, and that the addresses are PD's and not those of other servers"
}

// probe reads one key.
func (s *Store) probe(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	_, _, err := s.point(within, s.client.GetSnapshot(math.MaxUint64), nil, nil)
	if err == nil || errors.Is(err, kv.ErrFormat) { // what stands there is for others to judge
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("tikv: the placement driver answers, but no store serves a read within %v (%w): see that the TiKV stores are up and "+
		"that this machine reaches the addresses they advertise", connectTimeout, err)
}

func (o Options) security() config.Security {
	return config.NewSecurity(o.CAPath, o.CertPath, o.KeyPath, nil)
}

// connect makes the clients without touching client-go's global settings, so that two stores may differ.
func connect(options Options) (*Store, error) {
	security := options.security()
	tlsConfig, err := security.ToTLSConfig()
	if err != nil {
		return nil, fmt.Errorf("tikv: read the TLS files: %w", err)
	}
	driver, err := pd.NewClient(caller.Component("weft"), options.PD,
		pd.SecurityOption{CAPath: options.CAPath, CertPath: options.CertPath, KeyPath: options.KeyPath},
		opt.WithGRPCDialOptions(grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: keepAliveTime,
			Timeout: keepAliveTimeout})))
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

// LogTo sends what client-go has to say to logger, from now on and for the whole process: it has one log for all.
// Without it, it writes lines of its own to standard error. Its information is logged as slog's debug, being a great
// deal.
func LogTo(logger *slog.Logger) {
	lines := zap.New(&core{logger: logger})
	log.ReplaceGlobals(lines, &log.ZapProperties{Core: lines.Core(), Level: zap.NewAtomicLevelAt(zap.InfoLevel)})
}

// core is a zapcore.Core that writes to an slog.Logger.
type core struct {
	logger *slog.Logger
}

func level(l zapcore.Level) slog.Level {
	switch {
	case l >= zapcore.ErrorLevel:
		return slog.LevelError
	case l == zapcore.WarnLevel:
		return slog.LevelWarn
	default:
		return slog.LevelDebug
	}
}

// Enabled reports whether a line of this level is written.
func (c *core) Enabled(l zapcore.Level) bool {
	return c.logger.Enabled(context.Background(), level(l))
}

// With returns a core that adds fields to each line.
func (c *core) With(fields []zapcore.Field) zapcore.Core {
	return &core{logger: c.logger.With(attributes(fields)...)}
}

// Check adds the core to those that write the line.
func (c *core) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(entry.Level) {
		return checked.AddCore(entry, c)
	}
	return checked
}

// Write writes one line.
func (c *core) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	c.logger.Log(context.Background(), level(entry.Level), "tikv: "+entry.Message, attributes(fields)...)
	return nil
}

// Sync does nothing: the logger writes at once.
func (c *core) Sync() error { return nil }

func attributes(fields []zapcore.Field) []any {
	encoder := zapcore.NewMapObjectEncoder()
	var all []any
	for _, field := range fields {
		field.AddTo(encoder)
		if value, ok := encoder.Fields[field.Key]; ok {
			all = append(all, slog.Any(field.Key, value))
		}
	}
	return all
}
