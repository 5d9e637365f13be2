// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// developed makes certificates in a folder as weft cert dev does.
func developed(t *testing.T) (folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "certs")
	var stdout, stderr bytes.Buffer
	p := &program{stdout: &stdout, stderr: &stderr, readFile: os.ReadFile}
	if code := p.run(context.Background(), []string{"cert", "dev", "--out", folder}); code != 0 ||
		!strings.Contains(stdout.String(), folder+"/ca.pem") {
		t.Fatalf("exit %d: %s%s", code, &stdout, &stderr)
	}
	return folder
}

// TestCertDev: the admin port shows the certificate of weft cert dev, and commands of weft verify it and show their
// own. Making certificates again keeps the authority, so what was trusted still is.
func TestCertDev(t *testing.T) {
	folder := developed(t)
	in := func(name string) string { return filepath.Join(folder, name) }
	s, _ := openServer(t, map[string]string{"tls-cert": in("server.pem"), "tls-key": in("server-key.pem"),
		"tls-client-ca": in("ca.pem")})
	call := func(environ ...string) (int, string) {
		var out bytes.Buffer
		p := &program{stdout: &out, stderr: &out, readFile: os.ReadFile, environ: environ}
		return p.run(context.Background(), []string{"user", "list", "--admin-addr", admin(s).Addr().String()}),
			out.String()
	}
	trust, own := "WEFT_ADMIN_CA="+in("ca.pem"), []string{"WEFT_ADMIN_CERT=" + in("client.pem"),
		"WEFT_ADMIN_KEY=" + in("client-key.pem")}
	for range 2 {
		if code, out := call(append(own, trust)...); code != 0 {
			t.Errorf("with a certificate: exit %d: %s", code, out)
		}
		p := &program{stdout: new(bytes.Buffer), stderr: os.Stderr}
		if code := p.run(context.Background(), []string{"cert", "dev", "--out", folder}); code != 0 {
			t.Fatalf("exit %d", code)
		}
	}
	if code, out := call(trust); code == 0 {
		t.Errorf("without a certificate: exit %d: %s", code, out)
	}
	if code, out := call(append(own, "WEFT_ADMIN_CA="+filepath.Join(developed(t), "ca.pem"))...); code == 0 ||
		!strings.Contains(out, "unknown authority") {
		t.Errorf("with another authority: exit %d: %s", code, out)
	}
	if code, out := call(); code == 0 {
		t.Errorf("in plain text: exit %d: %s", code, out)
	}
	info, err := os.Stat(in("ca-key.pem"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the authority's key: %v, %v", info.Mode(), err)
	}
}
