// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Files are the PEM files of TLS.
type Files struct {
	Certificate, Key string
	ClientCA         string // "": clients need no certificate
}

// Certificates are a server's certificates. They are read again when their files change. Certificates are safe for
// concurrent use.
type Certificates struct {
	files Files
	log   *slog.Logger

	mu     sync.Mutex
	read   stamps // of the files when config was read
	failed stamps // of the files that could not be read, and were reported
	config *tls.Config
}

// stamps tell whether files have changed.
type stamps [3]stamp

type stamp struct {
	modified time.Time
	size     int64
}

// ReadCertificates reads the files.
func ReadCertificates(files Files, log *slog.Logger) (*Certificates, error) {
	c := &Certificates{files: files, log: log, read: files.stamps()}
	var err error
	c.config, err = files.config()
	return c, err
}

// Config returns a configuration for listeners, of TLS 1.2 and later. Each handshake uses the files as they are then;
// while they can't be used, what was read before stays in use.
func (c *Certificates) Config() *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return c.current(), nil },
	}
}

func (c *Certificates) current() *tls.Config {
	now := c.files.stamps() // before reading: what changes meanwhile is read again next time
	c.mu.Lock()
	defer c.mu.Unlock()
	if now == c.read {
		return c.config
	}
	config, err := c.files.config()
	switch {
	case err == nil:
		c.config, c.read = config, now
		c.log.Info("the TLS certificate was read again", "file", c.files.Certificate)
	case now != c.failed:
		c.failed = now
		c.log.Error("the TLS files have changed and can't be used; the earlier certificate stays in use", "error", err)
	}
	return c.config
}

// stamps looks at the files; those that are missing have zero stamps.
func (f Files) stamps() (s stamps) {
	for i, name := range [...]string{f.Certificate, f.Key, f.ClientCA} {
		if info, err := os.Stat(name); name != "" && err == nil {
			s[i] = stamp{info.ModTime(), info.Size()}
		}
	}
	return s
}

// config reads the files.
func (f Files) config() (*tls.Config, error) {
	certificate, err := tls.LoadX509KeyPair(f.Certificate, f.Key)
	if err != nil {
		return nil, fmt.Errorf("failed to load the certificate (tls-cert, tls-key): %w", err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	if f.ClientCA == "" {
		return config, nil
	}
	authority, err := os.ReadFile(f.ClientCA)
	if err != nil {
		return nil, fmt.Errorf("failed to load the clients' authority (tls-client-ca): %w", err)
	}
	config.ClientCAs, config.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
	if !config.ClientCAs.AppendCertsFromPEM(authority) {
		return nil, errors.New("tls-client-ca holds no certificate in PEM")
	}
	return config, nil
}
