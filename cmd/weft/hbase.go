// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/subtle"
	"errors"
	"net"

	"github.com/weftdb/weft/cmd/weft/endpoint"
	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/security/audit"
	"github.com/weftdb/weft/internal/server/hbasethrift"
	"github.com/weftdb/weft/internal/server/mysqlwire"
)

// listenHBase opens the ports of HBase's APIs that are on. After an error none is.
func listenHBase(s *server, db *openedDatabase) (protocols []protocol, err error) {
	api := &hbase.API{DB: db.db, Statements: s.digests, Slow: s.slowFrom}
	if s.config.Auth != "off" {
		api.Guard = s.gate.guard
	}
	s.scans = openScans(s, api)
	shared := hbasethrift.NewMemory(memory.New(s.config.division().Calls))
	ports := []struct {
		name, addr, other string
		version           hbasethrift.Version
	}{{"hbase", s.config.HBaseAddr, "hbase-thrift1", hbasethrift.Two}, {"hbase-thrift1",
		s.config.HBaseThrift1Addr, "hbase", hbasethrift.One}}
	listeners := map[string]net.Listener{} // all, before any is served: each names the other one's port
	for _, one := range ports {
		if one.addr == off {
			continue
		}
		listener, err := s.bound.Listen(one.addr,
			endpoint.Protocol{Name: one.name, Metrics: s.metrics.Protocol(one.name), TLS: s.tls})
		if err != nil {
			return nil, errors.Join(err, closeAll(listeners))
		}
		listeners[one.name] = listener
	}
	for _, one := range ports {
		listener := listeners[one.name]
		if listener == nil {
			continue
		}
		o := hbasethrift.Options{API: api, Version: one.version, Addr: listener.Addr().String(), Memory: shared,
			Logger: s.log, Metrics: s.metrics.Protocol(one.name), Hosts: s.hosts(one.addr)}
		if other := listeners[one.other]; other != nil {
			o.OtherAddr = other.Addr().String()
		}
		if s.config.Auth != "off" {
			o.SignIn = s.gate.signIn(one.name)
		}
		protocols = append(protocols, &port{hbasethrift.New(o), one.name, listener})
	}
	return protocols, nil
}

func closeAll(listeners map[string]net.Listener) (err error) {
	for _, l := range listeners {
		err = errors.Join(err, l.Close())
	}
	return err
}

// signIn verifies the password that a client of HBase's APIs sends with each request, and returns the user.
func (g *gate) signIn(port string) func(ctx context.Context, user, password, host string) (string, error) {
	return func(_ context.Context, user, password, host string) (string, error) {
		s := g.server
		reason := g.refusal(user, password, host)
		if reason == "" {
			return user, nil
		}
		s.auditLogin(audit.Event{Port: port, User: user, From: host}, reason)
		if s.config.Auth == "warn" {
			s.log.Warn("this call would be refused if auth were required", "protocol", port, "client", host, "user",
				user, "reason", reason)
			return "", nil
		}
		return "", errors.New(reason)
	}
}

// refusal is why a user with a password may not come in; "" if one may.
func (g *gate) refusal(user, password, host string) string {
	if user == "" {
		ctx, cancel := context.WithTimeout(context.Background(), accountTimeout)
		defer cancel()
		if g.isShut(ctx) {
			return noUsers
		}
		return "sign in: send a user and a password in the headers ACCESSKEYID and ACCESSSIGNATURE, or by Basic authentication; plain sockets can't sign in, so use HTTP"
	}
	verifier, ok := verifierOf(g.server, g.accounts, user)
	given := mysqlwire.VerifierOf(password)
	ok = subtle.ConstantTimeCompare(verifier.SHA256[:], given.SHA256[:]) == 1 && ok
	switch refusal := g.judge(user, host, ok); {
	case refusal != nil:
		return refusal.Message
	case !ok:
		return "the user or the password is wrong"
	}
	return ""
}
