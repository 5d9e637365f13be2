// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"math/big"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

func listen(t testing.TB) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

// open makes a pool of connections. The driver's complaints about connections that end are dropped: tests end them.
func open(t testing.TB, address, login, rest string) *sql.DB {
	t.Helper()
	c, err := mysql.ParseDSN(fmt.Sprintf("%s@tcp(%s)/%s", login, address, rest))
	if err != nil {
		t.Fatal(err)
	}
	c.Logger = log.New(new(strings.Builder), "", 0)
	connector, err := mysql.NewConnector(c)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// number is MySQL's number of an error, 0 if it is none.
func number(err error) uint16 {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return e.Number
	}
	return 0
}

func expectNumber(t *testing.T, err error, want uint16) {
	t.Helper()
	if number(err) != want {
		t.Errorf("error %v, want number %d", err, want)
	}
}

func text(t *testing.T, db interface {
	QueryRow(string, ...any) *sql.Row
}, query string, arguments ...any) string {
	t.Helper()
	var s string
	if err := db.QueryRow(query, arguments...).Scan(&s); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return s
}

func TestDriverText(t *testing.T) {
	_, address := serve(t, newDialect(), Options{})
	db := open(t, address, "root:secret", "d")
	if got := text(t, db, "SELECT 1"); got != "1" {
		t.Fatal(got)
	}
	r, err := db.Exec("insert")
	if err != nil {
		t.Fatal(err)
	}
	affected, _ := r.RowsAffected()
	id, _ := r.LastInsertId()
	if affected != 3 || id != 7 {
		t.Fatal(affected, id)
	}
	_, err = db.Exec("fail")
	expectNumber(t, err, 1146)
	if _, err := db.Exec("plain"); number(err) != 1105 || err.Error() != "Error 1105 (HY000): plain failure" {
		t.Fatal(err)
	}
	rows, err := db.Query("failrows")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
	}
	expectNumber(t, rows.Err(), 1213)
	_ = rows.Close()
	if _, err := db.Exec("silent"); err != nil {
		t.Fatal(err)
	}
}

func TestDriverInterpolates(t *testing.T) {
	_, address := serve(t, newDialect(), Options{})
	db := open(t, address, "root", "d?interpolateParams=true")
	if got := text(t, db, "SELECT ?", "it's"); got != `'it\'s'` {
		t.Fatal(got)
	}
}

func TestDriverMultiStatements(t *testing.T) {
	_, address := serve(t, newDialect(), Options{})
	db := open(t, address, "root", "d?multiStatements=true&clientFoundRows=true")
	rows, err := db.Query("select a; insert; rows 2 3; select z")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got []string
	for more := true; more; more = rows.NextResultSet() {
		columns, _ := rows.Columns()
		got = append(got, strings.Join(columns, ","))
		for rows.Next() {
			got = append(got, "row")
		}
	}
	// The driver steps over answers without rows. testdata/commands.txt shows them.
	if s := strings.Join(got, " "); s != "value row n,v row row value row" {
		t.Fatalf("%q, %v", s, rows.Err())
	}
	if s := text(t, db, "state"); !strings.Contains(s, "found=true multi=true") {
		t.Fatal(s)
	}
}

// TestDriverTypes compares what the text and the binary protocol bring of values of all types.
func TestDriverTypes(t *testing.T) {
	_, address := serve(t, newDialect(), Options{})
	db := open(t, address, "root", "d?parseTime=false")
	byText, byBinary := allText(t, db, "types"), allText(t, db, "types", sql.Named("", nil))
	if len(byText) != 4 || len(byBinary) != 4 {
		t.Fatal(len(byText), len(byBinary))
	}
	for i := range 3 { // the fourth holds values of other kinds than their columns'
		for j, column := range typeColumns {
			a, b := byText[i][j], byBinary[i][j]
			if column.Name == "timestamp" || column.Name == "time" { // the driver shows the declared digits
				a, b = strings.TrimSuffix(a, ".000"), strings.TrimSuffix(b, ".000")
			}
			if a != b {
				t.Errorf("row %d, %s: text %q, binary %q", i, column.Name, a, b)
			}
		}
	}
}

// allText reads all rows as texts; with an argument, by a prepared statement.
func allText(t *testing.T, db *sql.DB, query string, prepared ...any) (table [][]string) {
	t.Helper()
	statement, err := db.Prepare(query)
	if err != nil {
		t.Fatal(err)
	}
	defer statement.Close()
	read := func() (*sql.Rows, error) { return db.Query(query) }
	if len(prepared) > 0 {
		read = func() (*sql.Rows, error) { return statement.Query() }
	}
	rows, err := read()
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, _ := rows.Columns()
	for rows.Next() {
		values, targets := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			t.Fatal(err)
		}
		var row []string
		for _, v := range values {
			if !v.Valid {
				v.String = "NULL"
			}
			row = append(row, v.String)
		}
		table = append(table, row)
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	return table
}

func TestDriverParameters(t *testing.T) {
	_, address := serve(t, newDialect(), Options{PacketBytesMax: 1 << 20})
	db := open(t, address, "root", "d?maxAllowedPacket=262144")
	at := time.Date(2024, 2, 29, 12, 30, 1, 500_000_000, time.UTC)
	for _, c := range []struct {
		value any
		want  string // text and kind
	}{
		{int64(-5), "-5/2"}, {uint64(1<<64 - 1), "18446744073709551615/3"}, {2.5, "2.5/4"}, {"größe", "größe/6"},
		{[]byte{0xff}, "\xff/7"}, {[]byte{}, "/6"},
		{nil, "NULL/0"}, {true, "1/2"}, {at, "2024-02-29 12:30:01.500/6"},
		{strings.Repeat("x", 300_000), strings.Repeat("x", 300_000) + "/6"},
	} {
		var v sql.NullString
		var kind string
		if err := db.QueryRow("echo ?", c.value).Scan(&v, &kind); err != nil {
			t.Errorf("%.40v: %v", c.value, err)
			continue
		}
		if !v.Valid {
			v.String = "NULL"
		}
		if got := v.String + "/" + kind; got != c.want && got != strings.Replace(c.want, ".500", ".5", 1) {
			t.Errorf("%.40v: got %.60q, want %.60q", c.value, got, c.want)
		}
	}
	_, err := db.Exec("unpreparable ?", 1)
	expectNumber(t, err, 1064)
	_, err = db.Exec("echo ?", strings.Repeat("x", 2<<20))
	expectNumber(t, err, 1153)
}

func TestDriverTransactionsAndDatabases(t *testing.T) {
	_, address := serve(t, newDialect(), Options{})
	db := open(t, address, "root", "d")
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec("insert"); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(context.Background(), "use other"); err != nil {
		t.Fatal(err)
	}
	var s string
	if err := conn.QueryRowContext(context.Background(), "state").Scan(&s); err != nil ||
		!strings.Contains(s, "db=other") {
		t.Fatal(s, err)
	}
	expectNumber(t, open(t, address, "root", "missing").Ping(), 1049)
}

// TestDriverAuthentication tries both plugins, with and without TLS, with right and wrong passwords, known and unknown
// users.
func TestDriverAuthentication(t *testing.T) {
	verifiers := map[string]Verifier{"full": VerifierOf("secret"), "empty": VerifierOf(""),
		"native": {NativeSHA1: VerifierOf("secret").NativeSHA1}, "caching": {SHA256: VerifierOf("secret").SHA256}}
	o := Options{TLS: certificate(t), Authenticate: func(user string) (Verifier, bool) {
		v,
			ok := verifiers[user]
		return v, ok
	}}
	_, address := serve(t, newDialect(), o)
	for _, c := range []struct {
		login, parameters string
		want              uint16
	}{
		{"full:secret", "", 0}, {"full:wrong", "", 1045}, {"full", "", 1045}, {"empty", "", 0},
		{"empty:secret", "", 1045},
		{"nobody:secret", "", 1045}, {"nobody", "", 1045}, {"caching:secret", "", 0}, {"native:secret", "", 0},
		{"native:wrong", "", 1045}, {"native", "", 1045},
		{"full:secret", "?tls=skip-verify", 0}, {"full:wrong", "?tls=skip-verify", 1045},
		{"nobody:wrong", "?tls=skip-verify", 1045},
		{"empty", "?tls=skip-verify", 0}, {"native:secret", "?tls=skip-verify", 0},
		{"native:wrong", "?tls=skip-verify", 1045},
	} {
		t.Run(c.login+c.parameters, func(t *testing.T) {
			expectNumber(t, open(t, address, c.login, c.parameters).Ping(), c.want)
		})
	}
	db := open(t, address, "full:secret", "?tls=skip-verify")
	if s := text(t, db, "state"); s != "user=full db= found=false multi=false tls=true" {
		t.Fatal(s)
	}
	if err := open(t, address, "nobody:x", "").Ping(); err == nil ||
		!strings.Contains(err.Error(), "Access denied for user 'nobody'@'127.0.0.1' (using password: YES)") {
		t.Fatal(err)
	}
}

func TestDriverNeedsTLS(t *testing.T) {
	_, address := serve(t, newDialect(), Options{TLS: certificate(t), TLSRequired: true})
	expectNumber(t, open(t, address, "root", "").Ping(), 3159)
	if err := open(t, address, "root", "?tls=skip-verify").Ping(); err != nil {
		t.Fatal(err)
	}
}

// certificate makes a server's certificate.
func certificate(t *testing.T) *tls.Config {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "weft"},
		NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
}

// TestDriverLargePackets sends and receives packets that are split, of lengths around the border.
func TestDriverLargePackets(t *testing.T) {
	_, address := serve(t, newDialect(), Options{})
	db := open(t, address, "root", "d?maxAllowedPacket=67108864")
	const border = 1<<24 - 1
	for _, size := range []int{60_000, 70_000, 1 << 20, border - 7, border - 6, border - 5, border + 1, 2*border + 5} {
		// The row is a length of two bytes at most, a number, a length of four and the value.
		if got := len(text(t, db, "select "+strings.Repeat("x", size))); got != size {
			t.Fatal(size, got)
		}
		var n, v string
		if err := db.QueryRow(fmt.Sprintf("rows 1 %d", size)).Scan(&n, &v); err != nil || len(v) != size {
			t.Fatal(size, len(v), err)
		}
	}
}

func TestDriverStreams(t *testing.T) {
	_, address := serve(t, newDialect(), Options{})
	db := open(t, address, "root", "d")
	rows, err := db.Query("rows 100000 10")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for ; rows.Next(); count++ {
	}
	if count != 100_000 || rows.Err() != nil {
		t.Fatal(count, rows.Err())
	}
}

func TestDriverConcurrent(t *testing.T) {
	_, address := serve(t, newDialect(), Options{})
	db := open(t, address, "root", "d")
	statement, err := db.Prepare("echo ?")
	if err != nil {
		t.Fatal(err)
	}
	defer statement.Close()
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range 50 {
				want := fmt.Sprint(i, "-", j)
				var got, kind string
				if err := statement.QueryRow(want).Scan(&got, &kind); err != nil || got != want {
					t.Error(got, want, err)
					return
				}
				if j%10 == 0 {
					_, _ = db.Exec("panic")
				}
			}
		}()
	}
	wg.Wait()
}

func TestDriverContextEnds(t *testing.T) {
	d := newDialect()
	_, address := serve(t, d, Options{WatchInterval: time.Millisecond})
	for _, statement := range []string{"sleep", "sleeprows"} {
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			<-d.sleeping
			cancel()
		}()
		rows, err := open(t, address, "root", "d").QueryContext(ctx, statement)
		if err == nil {
			_ = rows.Close()
			t.Error(statement, " answered")
		}
		if err := <-d.cancelled; !errors.Is(err, errGone) {
			t.Error(err)
		}
		cancel()
	}
}

func TestDriverContextEndsInTLS(t *testing.T) {
	d := newDialect()
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		config := certificate(t)
		config.MaxVersion = version
		_, address := serve(t, d, Options{WatchInterval: time.Millisecond, TLS: config})
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			<-d.sleeping
			cancel()
		}()
		if _, err := open(t, address, "root", "d?tls=skip-verify").ExecContext(ctx, "sleep"); err == nil {
			t.Error("it answered")
		}
		if err := <-d.cancelled; !errors.Is(err, errGone) {
			t.Error(err)
		}
		cancel()
	}
}

func TestDriverKill(t *testing.T) {
	d := newDialect()
	s, address := serve(t, d, Options{})
	db := open(t, address, "root", "d")
	for _, queryOnly := range []bool{true, false} {
		conn, err := db.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		failed := make(chan error, 1)
		go func() {
			_, err := conn.ExecContext(context.Background(), "sleep")
			failed <- err
		}()
		<-d.sleeping
		var id uint32
		for _, p := range s.Processes() {
			if p.Info == "sleep" && p.Command == "Query" && p.User == "root" && p.Database == "d" &&
				p.State == "executing" {
				id = p.ID
			}
		}
		if err := s.Kill(id, queryOnly); err != nil {
			t.Fatal(err, s.Processes())
		}
		expectNumber(t, <-failed, 1317)
		<-d.cancelled
		err = conn.PingContext(context.Background())
		if alive := err == nil; alive != queryOnly {
			t.Errorf("after a kill with queryOnly %v: %v", queryOnly, err)
		}
		_ = conn.Close()
	}
	if err := s.Kill(999_999, false); err == nil || err.Error() != "Unknown thread id: 999999" {
		t.Fatal(err)
	}
}

func TestConnectionsMax(t *testing.T) {
	_, address := serve(t, newDialect(), Options{ConnectionsMax: 1})
	first := open(t, address, "root", "d")
	first.SetMaxOpenConns(1)
	if err := first.Ping(); err != nil {
		t.Fatal(err)
	}
	expectNumber(t, open(t, address, "root", "d").Ping(), 1040)
	if err := first.Ping(); err != nil {
		t.Fatal(err)
	}
}

func TestShutdownLetsStatementsFinish(t *testing.T) {
	d := newDialect()
	s, address := serve(t, d, Options{})
	db := open(t, address, "root", "d")
	failed := make(chan error, 1)
	go func() {
		_, err := db.Exec("sleep")
		failed <- err
	}()
	<-d.sleeping
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { ended <- s.Shutdown(ctx) }()
	for id := uint32(1); ; id++ { // the only connection; Shutdown waits for it
		if s.Kill(id, true) == nil {
			break
		}
	}
	expectNumber(t, <-failed, 1317)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	cancel()
}

func TestShutdownCutsOff(t *testing.T) {
	d := newDialect()
	s, address := serve(t, d, Options{})
	db := open(t, address, "root", "d")
	failed := make(chan error, 1)
	go func() {
		_, err := db.Exec("sleep")
		failed <- err
	}()
	<-d.sleeping
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	expectNumber(t, <-failed, 1053)
	if err := <-d.cancelled; !errors.Is(err, errShutdown) {
		t.Fatal(err)
	}
}
