// SPDX-License-Identifier: Apache-2.0

// Package certcommand is weft cert: it makes certificates for TLS.
//
// Knows: certificates, PEM files, how clients are told to trust an authority.
// Never: servers.
package certcommand

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/commandline"
)

// How long certificates hold. Systems refuse those of servers that hold for longer than 825 days.
const (
	authorityYears  = 10
	certificateDays = 825
)

// Command is `weft cert`, which prints to stdout.
func Command(stdout io.Writer) *cobra.Command {
	command := &cobra.Command{
		Use: "cert", Short: "Make certificates for TLS", Args: commandline.UnknownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	var folder string
	var hosts []string
	dev := &cobra.Command{
		Use:   "dev",
		Short: "Make a local authority and certificates for tests and development",
		Long: `Make a certificate authority, and with it a certificate for the server and one for clients, as PEM files in a folder. An authority
that is already in the folder is used again, so that clients that trust it go on trusting it. Keep ca-key.pem to yourself: whoever
has it can pretend to be any server to clients that trust the authority.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return develop(stdout, folder, hosts) },
	}
	dev.Flags().StringVar(&folder, "out", "weft-certs", "the `FOLDER` to write to")
	dev.Flags().StringSliceVar(&hosts, "hosts", []string{"localhost", "127.0.0.1", "::1"},
		"comma-separated `NAMES` and addresses of the server")
	command.AddCommand(dev)
	return command
}

// develop makes the files and tells how they are used.
func develop(stdout io.Writer, folder string, hosts []string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	authority, err := authorityIn(folder)
	if err != nil {
		return err
	}
	server := template("weft server", x509.ExtKeyUsageServerAuth)
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			server.IPAddresses = append(server.IPAddresses, ip)
		} else {
			server.DNSNames = append(server.DNSNames, host)
		}
	}
	if _, err := authority.issue(server, folder, "server"); err != nil {
		return err
	}
	if _, err := authority.issue(template("weft client", x509.ExtKeyUsageClientAuth), folder, "client"); err != nil {
		return err
	}
	_, err = strings.NewReplacer("DIR", folder, "HOST", hosts[0]).WriteString(stdout, certificateUses)
	return err
}

const certificateUses = `Start the server:
  weft serve --tls-cert DIR/server.pem --tls-key DIR/server-key.pem
and, so that only clients with a certificate connect, --tls-client-ca DIR/ca.pem

Clients trust DIR/ca.pem:
  AWS CLI, boto3   AWS_CA_BUNDLE=DIR/ca.pem aws --endpoint-url https://HOST:8000 dynamodb list-tables
  JavaScript SDK   NODE_EXTRA_CA_CERTS=DIR/ca.pem
  Go SDK           AWS_CA_BUNDLE=DIR/ca.pem
  mysql            mysql --ssl-ca=DIR/ca.pem --ssl-mode=VERIFY_IDENTITY -h HOST -P 33060
  mariadb          mariadb --ssl-ca=DIR/ca.pem --ssl-verify-server-cert -h HOST -P 33060
  go-sql-driver    mysql.RegisterTLSConfig("weft", &tls.Config{RootCAs: pool}), then ?tls=weft
  Connector/J      keytool -importcert -noprompt -file DIR/ca.pem -keystore trust.p12 -storepass changeit, then
                   ?sslMode=VERIFY_IDENTITY&trustCertificateKeyStoreUrl=file:trust.p12&trustCertificateKeyStorePassword=changeit
  weft             WEFT_ADMIN_CA=DIR/ca.pem weft user list
The client certificate is DIR/client.pem with DIR/client-key.pem; weft reads them from WEFT_ADMIN_CERT and WEFT_ADMIN_KEY.
`

// template is a certificate to be issued.
func template(name string, usages ...x509.ExtKeyUsage) *x509.Certificate {
	return &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().AddDate(0, 0, certificateDays),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: usages, BasicConstraintsValid: true,
	}
}

// authority issues certificates. The zero value issues those that are their own authority.
type authority struct {
	certificate *x509.Certificate
	key         any
}

// authorityIn reads the authority of a folder, or makes one.
func authorityIn(folder string) (authority, error) {
	pair, err := tls.LoadX509KeyPair(filepath.Join(folder, "ca.pem"), filepath.Join(folder, "ca-key.pem"))
	if err == nil {
		return authority{pair.Leaf, pair.PrivateKey}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return authority{}, fmt.Errorf("the authority in %s can't be used: %w", folder, err)
	}
	ca := template("weft development authority")
	ca.IsCA, ca.MaxPathLenZero, ca.KeyUsage, ca.NotAfter = true, true, x509.KeyUsageCertSign|x509.KeyUsageCRLSign,
		time.Now().AddDate(authorityYears, 0, 0)
	return authority{}.issue(ca, folder, "ca")
}

// issue writes a certificate and its key to NAME.pem and NAME-key.pem.
func (a authority) issue(t *x509.Certificate, folder, name string) (made authority, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return made, err
	}
	if t.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127)); err != nil {
		return made, err
	}
	if a.certificate == nil {
		a = authority{t, key}
	}
	der, err := x509.CreateCertificate(rand.Reader, t, a.certificate, &key.PublicKey, a.key)
	if err != nil {
		return made, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return made, err
	}
	err = errors.Join(writePEM(filepath.Join(folder, name+"-key.pem"), "PRIVATE KEY", secret, 0o600),
		writePEM(filepath.Join(folder, name+".pem"), "CERTIFICATE", der, 0o644))
	return authority{t, key}, err
}

// writePEM replaces a file as a whole, so that a server that reads it meanwhile finds the old one or the new one.
func writePEM(path, kind string, der []byte, mode fs.FileMode) error {
	next := path + ".new"
	if err := os.WriteFile(next, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), mode); err != nil {
		return err
	}
	return os.Rename(next, path)
}
