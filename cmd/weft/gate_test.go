// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// command runs a command of weft against the admin port of a server, with a password on standard input where it wants
// one.
func command(t *testing.T, s *server, token string, args ...string) (code int, output string) {
	t.Helper()
	var out bytes.Buffer
	p := &program{stdout: &out, stderr: &out, readFile: os.ReadFile}
	if token != "" {
		p.environ = []string{token}
	}
	code = p.run(context.Background(), append(args, "--admin-addr", admin(s).Addr().String()))
	return code, out.String()
}

// statusOf sends a request to the admin port.
func statusOf(t *testing.T, s *server, method, path, token, body string) int {
	t.Helper()
	r, err := http.NewRequest(method, "http://"+admin(s).Addr().String()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}

// TestAdminTokens: with --auth required, the admin port is for reading, except for administrators, who show a token.
// Before there is an administrator, programs on this machine may create one.
func TestAdminTokens(t *testing.T) {
	s, _ := openServer(t, map[string]string{"auth": "required"})
	db := s.database.(*openedDatabase).db
	first := `{"do":"add","name":"root","password":"x"}`
	if got := statusOf(t, s, "POST", "/users", "", first); got != 200 {
		t.Fatalf("the first administrator: %d", got)
	}
	if got := statusOf(t, s, "POST", "/users", "", first); got != 401 {
		t.Fatalf("the second without a token: %d", got)
	}
	if err := db.Accounts().Add(t.Context(), "ann", "x"); err != nil {
		t.Fatal(err)
	}
	token := func(user string) string {
		text, err := db.Accounts().CreateToken(t.Context(), user)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	root, ann := token("root"), token("ann")
	for _, one := range []struct {
		method, path                  string
		none, wrong, reader, rootsOwn int
	}{
		{"GET", "/", 200, 200, 200, 200},
		{"GET", "/metrics", 200, 200, 200, 200},
		{"GET", "/readyz", 200, 200, 200, 200},
		{"GET", "/hot", 200, 200, 200, 200},
		{"GET", "/debug/pprof/cmdline", 401, 401, 403, 200},
		{"POST", "/users", 401, 401, 403, 200},
	} {
		for name, c := range map[string]struct {
			token string
			want  int
		}{"no token": {"", one.none}, "a wrong token": {root[:len(root)-1] + "_", one.wrong}, "a user's": {ann,
			one.reader}, "an administrator's": {root, one.rootsOwn}} {
			if got := statusOf(t, s, one.method, one.path, c.token, `{"do":"list"}`); got != c.want {
				t.Errorf("%s %s with %s: %d, not %d", one.method, one.path, name, got, c.want)
			}
		}
	}
	if code, out := command(t, s, "", "user", "list"); code == 0 || !strings.Contains(out, "WEFT_ADMIN_TOKEN") {
		t.Errorf("without a token: exit %d: %s", code, out)
	}
	code, out := command(t, s, "WEFT_ADMIN_TOKEN="+root, "user", "token", "list", "ann")
	if code != 0 || strings.Count(out, "\n") != 1 || strings.Contains(out, ann) {
		t.Errorf("the tokens of ann: exit %d: %s", code, out)
	}
	id, _, _ := strings.Cut(out, "\t")
	if code, out := command(t, s, "WEFT_ADMIN_TOKEN="+root, "user", "token", "drop", id); code != 0 {
		t.Errorf("dropping a token: exit %d: %s", code, out)
	}
	if got := statusOf(t, s, "GET", "/debug/pprof/cmdline", ann, ""); got != 401 {
		t.Errorf("a token that was dropped: %d", got)
	}
}

// TestWarnWhileShut: the log says at each tick how the first administrator is created, until there is a user.
func TestWarnWhileShut(t *testing.T) {
	s, log := openServer(t, nil)
	tick, ended := make(chan time.Time), make(chan struct{})
	said := log.reached("create the first administrator")
	go func() { s.warnWhileShut(t.Context(), tick); close(ended) }()
	<-said
	said = log.reached("create the first administrator")
	tick <- time.Time{}
	<-said
	if err := s.gate.accounts.Add(t.Context(), "ann", "x"); err != nil {
		t.Fatal(err)
	}
	tick <- time.Time{}
	<-ended
	if n := strings.Count(log.String(), "create the first administrator"); n != 2 {
		t.Errorf("it was said %d times", n)
	}
}
