// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weftdb/weft/internal/testing/testdb"
)

// TestUserLocks: who waits for a lock gets it when it is given back, or when the session that has it ends; not before,
// and not after its time.
func TestUserLocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, testdb.Open(t))
		ask := func(name, text string) string {
			out := &printer{}
			if err := h.session(name).Query(t.Context(), []byte(text), out); err != nil {
				return err.Error()
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			return lines[len(lines)-1]
		}
		expect := func(name, text, want string) {
			t.Helper()
			if got := ask(name, text); !strings.Contains(got, want) {
				t.Errorf("%s: %s gives %q, not %q", name, text, got, want)
			}
		}
		for _, name := range []string{"a", "b", "c"} {
			h.session(name)
		}
		expect("a", "SELECT GET_LOCK('x', 0)", "1")
		expect("a", "SELECT GET_LOCK('X', 10)", "1")
		expect("b", "SELECT GET_LOCK('x', 0)", "0")
		begun := time.Now()
		expect("b", "SELECT GET_LOCK('x', 2.5)", "0")
		if waited := time.Since(begun); waited != 2500*time.Millisecond {
			t.Errorf("it waited for %v", waited)
		}
		expect("b", "SELECT IS_USED_LOCK('x')", "1")
		expect("b", "SELECT IS_FREE_LOCK('x'), IS_FREE_LOCK('y')", "0 | 1")
		expect("b", "SELECT RELEASE_LOCK('x'), RELEASE_LOCK('y')", "0 | NULL")
		expect("b", "SELECT GET_LOCK('y', -1)", "1")
		var group sync.WaitGroup
		group.Go(func() { expect("b", "SELECT GET_LOCK('x', -1)", "1") })
		synctest.Wait()
		expect("a", "SELECT GET_LOCK('y', -1)", "Deadlock found")
		expect("a", "SELECT RELEASE_LOCK('x')", "1")
		synctest.Wait()
		expect("c", "SELECT IS_USED_LOCK('x')", "1") // it was taken twice
		expect("a", "SELECT RELEASE_ALL_LOCKS()", "1")
		group.Wait()
		expect("c", "SELECT IS_USED_LOCK('x')", "2")
		group.Go(func() { expect("c", "SELECT GET_LOCK('x', 1000)", "1") })
		synctest.Wait()
		h.sessions["b"].Close()
		group.Wait()
		expect("a", "SELECT IS_USED_LOCK('x'), IS_FREE_LOCK('y')", "3 | 1")
		expect("a", "SELECT GET_LOCK(repeat('n', 65), 0)", "Incorrect user-level lock name")
		expect("a", "SELECT GET_LOCK(NULL, 0)", "NULL")
		expect("a", "SET max_execution_time = 100", "ok")
		expect("a", "SELECT GET_LOCK('x', 1000)", "maximum statement execution time")
		delete(h.sessions, "b")
	})
}
