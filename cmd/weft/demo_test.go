// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/rounds"
)

// TestDemo: what the demo's last lines say to try works, and nothing that it shows accuses the demo of its own load.
func TestDemo(t *testing.T) {
	rounds.SkipRace(t)
	s, _ := openServer(t, map[string]string{"dynamodb-addr": "127.0.0.1:0"})
	var stdout, stderr bytes.Buffer
	p := &program{stdout: &stdout, stderr: &stderr}
	if err := p.loadCities(t.Context(), s.database.(*openedDatabase).db); err != nil {
		t.Fatal(err)
	}
	mustGet(t, admin(s), "/hot", "200 There were too few requests")
	mustGet(t, admin(s), "/advise?table=cities", "200 cities: 0 findings")
	p.printDemo(s)
	wants := map[string]string{"explain": "49 returned", "indexes": "by-place", "hot": "There were too few", "advise": "cities: 0 findings"}
	for line := range strings.Lines(stdout.String()) {
		words, ok := strings.CutPrefix(line, "  weft ")
		if !ok {
			continue
		}
		args, err := exec.Command("sh", "-c", `printf '%s\n' `+words).Output() // as a shell splits it
		if err != nil {
			t.Fatal(err)
		}
		list := strings.Split(strings.TrimSpace(string(args)), "\n")
		var out, errs bytes.Buffer
		q := &program{stdout: &out, stderr: &errs}
		if code := q.run(t.Context(), list); code != 0 || !strings.Contains(out.String(), wants[list[0]]) || wants[list[0]] == "" {
			t.Errorf("%s: exit %d, %s%s", line, code, &out, &errs)
		}
		delete(wants, list[0])
	}
	if len(wants) > 0 {
		t.Errorf("the demo does not show %v:\n%s", wants, &stdout)
	}
}
