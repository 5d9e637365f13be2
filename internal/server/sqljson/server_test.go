// SPDX-License-Identifier: Apache-2.0

package sqljson

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/testing/testdb"
)

func serve(t *testing.T) (*Server, *httptest.Server) {
	engine := sql.New(sql.Options{DB: testdb.Open(t)})
	s := New(Options{Open: engine.Open})
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, server
}

// TestStatements sends statements and prints the lines of their answers.
func TestStatements(t *testing.T) {
	_, server := serve(t)
	datadriven.RunTest(t, "testdata/statements.txt", func(t *testing.T, d *datadriven.TestData) string {
		body := d.Input
		if d.Cmd == "sql" {
			asked := request{Statement: d.Input}
			d.MaybeScanArgs(t, "rows", &asked.RowsMax)
			d.MaybeScanArgs(t, "database", &asked.Database)
			asked.ReadOnly, asked.Refuse = d.HasArg("read-only"), d.HasArg("refuse")
			text, err := json.Marshal(asked)
			if err != nil {
				t.Fatal(err)
			}
			body = string(text)
		}
		recorder := httptest.NewRecorder()
		server.Config.Handler.ServeHTTP(recorder, httptest.NewRequest("POST", "/api/sql", strings.NewReader(body)))
		if recorder.Code != http.StatusOK {
			return http.StatusText(recorder.Code) + "\n" + recorder.Body.String()
		}
		return recorder.Body.String()
	})
}

// TestEnds: a statement is listed while it runs, and ends when it is killed or when its client goes away.
func TestEnds(t *testing.T) {
	s, server := serve(t)
	const text = `{"statement": "SELECT 1; SELECT SLEEP(1000)"}`
	for hows := []string{"killed", "left"}; len(hows) > 0; {
		how := hows[0]
		ctx, leave := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, "POST", server.URL, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		answered := make(chan string, 1)
		go func() {
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				answered <- err.Error()
				return
			}
			defer answer.Body.Close()
			var last string
			for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
				last = lines.Text()
			}
			answered <- last
		}()
		for len(s.Processes()) == 0 {
			select {
			case end := <-answered:
				t.Fatalf("the statement ended: %s", end)
			default:
			}
		}
		one := s.Processes()[0]
		if one.ID < firstConnection || !strings.Contains(one.Info, "SLEEP") {
			t.Errorf("listed as %+v", one)
		}
		if how == "left" {
			leave()
			<-answered
		} else if !s.Kill(one.ID) {
			t.Error("nobody was killed")
		} else if end := <-answered; strings.Contains(end, `"code":1317`) {
			hows = append([]string{how}, hows...) // it was killed before SLEEP began: once more
		} else if !strings.Contains(end, `{"done"`) { // SLEEP says that it was woken by its value
			t.Errorf("after KILL: %s", end)
		}
		hows = hows[1:]
		leave()
		for len(s.Processes()) > 0 { // the test's time limit ends it
		}
	}
	if s.Kill(1) {
		t.Error("somebody was killed who is not there")
	}
}
