// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weftdb/weft"
)

// client asks a service in the name of a tenant.
func client(t *testing.T, s *Service) func(tenant, password, method, path, body string) (status int, answer string) {
	return func(tenant, password, method, path, body string) (int, string) {
		t.Helper()
		r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		r.SetBasicAuth(tenant, password)
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
}

// TestTenants: a tenant reads and writes its own notes, and no others.
func TestTenants(t *testing.T) {
	dir := t.TempDir()
	passwords := map[string]string{"ann": "a", "bob": "b"}
	var ids []string
	for run := range 2 { // the second one finds what the first has made
		s, err := OpenService(t.Context(), dir, passwords)
		if err != nil {
			t.Fatal(err)
		}
		ask := client(t, s)
		for _, one := range []struct {
			tenant, password, method, path, body string
			want                                 int
		}{
			{"ann", "a", "POST", "/notes/ann", `{"text": "pens"}`, http.StatusOK},
			{"ann", "a", "POST", "/notes/bob", `{"text": "graffiti"}`, http.StatusForbidden},
			{"ann", "a", "GET", "/notes/bob", "", http.StatusForbidden},
			{"ann", "a", "DELETE", "/notes/bob/1", "", http.StatusForbidden},
			{"ann", "b", "GET", "/notes/ann", "", http.StatusUnauthorized},
			{"eve", "", "GET", "/notes/ann", "", http.StatusUnauthorized},
			{"bob", "b", "GET", "/notes/bob", "", http.StatusOK},
			{"bob", "b", "POST", "/notes/bob", "no JSON", http.StatusBadRequest},
		} {
			if got, answer := ask(one.tenant, one.password, one.method, one.path, one.body); got != one.want {
				t.Errorf("%+v: %d %s", one, got, answer)
			}
		}
		_, answer := ask("ann", "a", "GET", "/notes/ann", "")
		var notes []Note
		if err := json.Unmarshal([]byte(answer), &notes); err != nil || len(notes) != run+1 || notes[0].Text != "pens" {
			t.Errorf("%s, %v", answer, err)
		}
		ids = append(ids, notes[len(notes)-1].ID)
		if run == 1 {
			if status, _ := ask("ann", "a", "DELETE", "/notes/ann/"+ids[0], ""); status != http.StatusNoContent {
				t.Error(status)
			}
			if _, ok, err := s.notes.Get(t.Context(), weft.Document{"tenant": "ann", "id": ids[0]}); ok || err != nil {
				t.Error(ok, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
