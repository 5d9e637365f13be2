// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/weftdb/weft/test/harness"
)

// TestHostileClients starts a server that may hold little, and lets clients send it statements that killed, froze or
// filled one: each is answered by an error or ends with its client, another client is served all the time, and the
// process stays below what it may take.
func TestHostileClients(t *testing.T) {
	s := harness.Start(t, binary, harness.Options{Args: []string{"--sql-memory", "32MiB"}})
	db := open(t, s, "default", "maxAllowedPacket=0")
	exec := func(ctx context.Context, text string) error {
		_, err := db.ExecContext(ctx, text)
		return err
	}
	if err := errors.Join(exec(t.Context(), "CREATE TABLE t (k BIGINT PRIMARY KEY, v VARCHAR)"),
		exec(t.Context(), "INSERT INTO t VALUES (1, 'a')")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var wait sync.WaitGroup
	for name, text := range map[string]string{
		"depth":      "SELECT 1 UNION SELECT 1" + strings.Repeat(" AND 1", 400_000),
		"UNIONs":     "SELECT 1" + strings.Repeat(" UNION SELECT 1", 10_000),
		"IN":         "SELECT k FROM t WHERE k IN (1" + strings.Repeat(",1", 5_000_000) + ")",
		"pattern":    "SELECT 1 UNION SELECT regexp_like(concat(repeat('a', 100), '!'), '(((a+)+)+)+$') UNION SELECT repeat('a', 1000) REGEXP '((x{30}){30}){12}'",
		"joins":      "SELECT count(*) FROM t t0" + strings.Repeat(" JOIN t ON t0.k = 1", 20),
		"subqueries": "SELECT " + strings.Repeat("(SELECT ", 100) + "1" + strings.Repeat(")", 100),
		"packet":     "SELECT '" + strings.Repeat("p", 30<<20) + "'",
		"texts":      "SELECT " + strings.Repeat("repeat('r', 16000000), ", 50) + "1",
	} {
		wait.Go(func() {
			for range 3 {
				var refused *mysql.MySQLError
				if err := exec(ctx, text); err == nil {
					t.Errorf("%s: no error", name)
				} else if errors.As(err, &refused) && refused.Number == 1105 {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
	for i := range 8 {
		wait.Go(func() { holdMuch(ctx, t, s, i) })
	}
	served := 0
	other := connect(t, s, "default", "")
	done := make(chan struct{})
	go func() { wait.Wait(); close(done) }()
	for over := false; !over; served++ {
		var v string
		if err := other.QueryRowContext(t.Context(), "SELECT v FROM t WHERE k = 1").Scan(&v); err != nil || v != "a" {
			t.Fatalf("after %d answers: %q, %v", served, v, err)
		}
		select {
		case <-done:
			over = true
		case <-time.After(5 * time.Millisecond):
		}
	}
	t.Log("another client was served", served, "times; the server's peak was", peakMiB(t, s), "MiB")
	if peak := peakMiB(t, s); peak > 512 {
		t.Errorf("the server took %d MiB", peak)
	}
}

// holdMuch prepares statements, writes in a transaction and sets variables until the server refuses, and holds what it
// has for a while.
func holdMuch(ctx context.Context, t *testing.T, s *harness.Server, number int) {
	conn := connect(t, s, "default", "maxAllowedPacket=0")
	long, err := strings.Repeat("h", 1<<20), error(nil)
	for i := 0; err == nil && ctx.Err() == nil && i < 500; i++ {
		switch number % 3 {
		case 0:
			_, err = conn.PrepareContext(ctx, fmt.Sprintf("SELECT v FROM t WHERE k = %d AND v = '%s'", i, long))
		case 1:
			_, err = conn.ExecContext(ctx, "SET autocommit = 0")
			if err == nil {
				_, err = conn.ExecContext(ctx, fmt.Sprintf("INSERT INTO t VALUES (%d, '%s')", 1000*number+i+2, long))
			}
		case 2:
			_, err = conn.ExecContext(ctx, fmt.Sprintf("SET @v%d = '%s'", i, long[:1<<19]))
		}
	}
	if err == nil {
		t.Errorf("client %d is never refused", number)
	}
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
	}
}

// peakMiB is the most memory that the server has taken, 0 where the system does not say.
func peakMiB(t *testing.T, s *harness.Server) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.PID()))
	if err != nil {
		t.Log(err)
		return 0
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	kB, _ := strconv.Atoi(strings.Fields(after + " 0")[0])
	return kB >> 10
}
