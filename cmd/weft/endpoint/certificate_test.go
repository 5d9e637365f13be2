// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writePair writes a certificate with a serial number, which is its own authority, and its key. written is the time
// that the files get: each call needs its own.
func writePair(t *testing.T, f Files, serial int64, written time.Time) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "weft"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter:    time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{f.Certificate: {Type: "CERTIFICATE", Bytes: der},
		f.Key: {Type: "PRIVATE KEY", Bytes: secret}} {
		writeAt(t, name, pem.EncodeToMemory(block), written)
	}
}

func writeAt(t *testing.T, name string, content []byte, written time.Time) {
	t.Helper()
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(name, written, written); err != nil {
		t.Fatal(err)
	}
}

func filesIn(folder string) Files {
	return Files{Certificate: filepath.Join(folder, "cert.pem"), Key: filepath.Join(folder, "key.pem")}
}

// serialAt is the serial number of the certificate that a port shows.
func serialAt(address net.Addr, config *tls.Config) string {
	conn, err := tls.Dial("tcp", address.String(), config)
	if err != nil {
		return err.Error()
	}
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.String()
}

// TestCertificateIsReadAgain: a certificate that is replaced is shown to the next client, while requests go on; files
// that can't be used change nothing.
func TestCertificateIsReadAgain(t *testing.T) {
	files, begun, log := filesIn(t.TempDir()), time.Now(), new(bytes.Buffer)
	writePair(t, files, 1, begun)
	certificates, err := ReadCertificates(files, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	d := serve(t, Options{TLS: certificates.Config(),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })})
	insecure := &tls.Config{InsecureSkipVerify: true}
	kept := http.Client{Transport: &http.Transport{TLSClientConfig: insecure}}
	for serial := int64(1); serial <= 100; serial++ {
		writePair(t, files, serial, begun.Add(time.Duration(serial)*time.Second))
		if got := serialAt(d.Addr(), insecure); got != fmt.Sprint(serial) {
			t.Fatalf("after writing certificate %d the port shows %s", serial, got)
		}
		answer, err := kept.Get("https://" + d.Addr().String())
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("a request while certificate %d came: %v", serial, err)
		}
		_ = answer.Body.Close()
	}
	writeAt(t, files.Key, []byte("no key"), begun.Add(time.Hour))
	for range 3 {
		if got := serialAt(d.Addr(), insecure); got != "100" {
			t.Errorf("with a broken key the port shows %s", got)
		}
	}
	if n := strings.Count(log.String(), "can't be used"); n != 1 {
		t.Errorf("a broken key was reported %d times:\n%s", n, log)
	}
}

// TestTLSVersions: TLS 1.0 and 1.1 are refused, later versions are not, and plain text gets a word of explanation.
func TestTLSVersions(t *testing.T) {
	files := filesIn(t.TempDir())
	writePair(t, files, 1, time.Now())
	certificates, err := ReadCertificates(files, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	d := serve(t, Options{TLS: certificates.Config(), Handler: http.NotFoundHandler()})
	for version, want := range map[uint16]bool{tls.VersionTLS10: false, tls.VersionTLS11: false, tls.VersionTLS12: true,
		tls.VersionTLS13: true} {
		got := serialAt(d.Addr(), &tls.Config{InsecureSkipVerify: true, MinVersion: version, MaxVersion: version})
		if (got == "1") != want {
			t.Errorf("%s: %s", tls.VersionName(version), got)
		}
	}
	answer, err := http.Get("http://" + d.Addr().String())
	if err != nil || answer.StatusCode != http.StatusBadRequest {
		t.Errorf("plain text: %v, %v", answer, err)
	} else {
		_ = answer.Body.Close()
	}
}

// TestClientCertificate: with an authority of clients, only its certificates connect.
func TestClientCertificate(t *testing.T) {
	files, others := filesIn(t.TempDir()), filesIn(t.TempDir())
	writePair(t, files, 1, time.Now())
	writePair(t, others, 2, time.Now())
	files.ClientCA = files.Certificate
	certificates, err := ReadCertificates(files, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	d := serve(t, Options{TLS: certificates.Config(), Handler: http.NotFoundHandler()})
	for name, pair := range map[string]Files{"none": {}, "foreign": others, "own": files} {
		config := &tls.Config{InsecureSkipVerify: true}
		if pair.Certificate != "" {
			certificate, err := tls.LoadX509KeyPair(pair.Certificate, pair.Key)
			if err != nil {
				t.Fatal(err)
			}
			config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate,
				error) {
				return &certificate, nil
			}
		}
		client := http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}
		request, _ := http.NewRequestWithContext(context.Background(), http.MethodGet, "https://"+d.Addr().String(),
			nil)
		answer, err := client.Do(request)
		if (err == nil) != (name == "own") {
			t.Errorf("with the certificate %s: %v", name, err)
		}
		if err == nil {
			_ = answer.Body.Close()
		}
	}
	files.ClientCA = filepath.Join(t.TempDir(), "missing.pem")
	if _, err := ReadCertificates(files, nil); err == nil {
		t.Error("a missing authority was accepted")
	}
}
