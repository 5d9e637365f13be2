// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/test/harness"
)

// TestSignIn lets each client sign in at a server that asks for it: by each plugin that the client has, with and
// without TLS, with a right password, a wrong one and none.
func TestSignIn(t *testing.T) {
	skipUnlessWanted(t)
	for _, c := range []struct {
		name string
		made func(t *testing.T) program
	}{
		{"mariadb", mariadb},
		{"pymysql", func(t *testing.T) program { return python(t, "pymysql") }},
		{"connector-python", func(t *testing.T) program { return python(t, "mysql.connector") }},
		{"mysql2", func(t *testing.T) program { return script(t, "mysql2.mjs", "mysql2", "") }},
		{"jdbc-mysql", mysqlJDBC}, {"jdbc-mariadb", mariadbJDBC},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := c.made(t)
			t.Parallel()
			server, certificate := guarded(t)
			defer stop(t, server)
			p.environ = append(p.environ, "SQL_CERTIFICATE="+certificate)
			datadriven.RunTest(t, filepath.Join("testdata", "signin", c.name),
				func(t *testing.T, _ *datadriven.TestData) string {
					return p.section(t, server, "signin")
				})
		})
	}
}

// guarded is a server with TLS that ann and eve may use: their passwords are secret and apple.
func guarded(t *testing.T) (server *harness.Server, certificate string) {
	t.Helper()
	data, certificate, key := t.TempDir(), "", ""
	stop(t, harness.Start(t, binary, harness.Options{Data: data})) // which makes the database
	for _, user := range [][2]string{{"ann", "secret"}, {"eve", "apple"}} {
		add := harness.Command(t.Context(), binary, "user", "add", user[0], "--data", data, "--password-stdin")
		add.Stdin = strings.NewReader(user[1] + "\n")
		if output, err := add.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, output)
		}
	}
	certificate, key = writeCertificate(t)
	args := []string{"--auth", "required", "--dynamodb-addr", "off", "--tls-cert", certificate, "--tls-key", key}
	return harness.Start(t, binary, harness.Options{Data: data, Args: args}), certificate
}

// writeCertificate writes a certificate of 127.0.0.1 that is its own authority, and its key.
func writeCertificate(t *testing.T) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "weft"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter:    time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return writePEM(t, "CERTIFICATE", der), writePEM(t, "PRIVATE KEY", secret)
}

func writePEM(t *testing.T, kind string, der []byte) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "server.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
