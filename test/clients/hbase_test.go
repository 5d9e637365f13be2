// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/test/harness"
)

// hbaseCalls is how many random calls HBase and Weft are asked; WEFT_TEST_HBASE_CALLS overrides it.
const hbaseCalls = 10_000

// hbaseJava is HBase's jars with the programs of the folder hbase.
type hbaseJava struct{ path string }

// newHBaseJava compiles the programs. The test is skipped where there is no JDK, or HBase could not be fetched.
func newHBaseJava(t *testing.T) hbaseJava {
	skipUnlessWanted(t)
	needJDK(t)
	if _, err := os.Stat(".hbase/complete"); err != nil {
		t.Skip("there is no .hbase/complete: test/clients/install could not fetch HBase from Maven Central")
	}
	sources, err := filepath.Glob("hbase/*.java")
	if err != nil {
		t.Fatal(err)
	}
	classes := t.TempDir()
	if output, ok := ask("javac", append([]string{"-proc:none", "-nowarn", "-cp", ".hbase/*", "-d", classes}, sources...)...); !ok {
		t.Fatal(output)
	}
	return hbaseJava{classes + string(os.PathListSeparator) + ".hbase/*"}
}

// command runs one of the programs. HBase looks into packages of Java that are closed otherwise.
func (j hbaseJava) command(ctx context.Context, arguments ...string) *exec.Cmd {
	list := []string{"-Xmx800m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED"}
	for _, name := range []string{"java.lang", "java.lang.reflect", "java.io", "java.nio", "java.net", "java.util.concurrent", "sun.nio.ch", "jdk.internal.ref"} {
		list = append(list, "--add-opens=java.base/"+name+"=ALL-UNNAMED")
	}
	return exec.CommandContext(ctx, "java", append(append(list, "-cp", j.path), arguments...)...)
}

// run runs one of the programs and returns what it prints.
func (j hbaseJava) run(t *testing.T, arguments ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), sectionTimeout)
	defer cancel()
	var output, complaints bytes.Buffer
	command := j.command(ctx, arguments...)
	command.Stdout, command.Stderr = &output, &complaints
	if err := command.Run(); err != nil {
		t.Errorf("%s: %v\n%s%s", arguments[0], err, output.String(), complaints.String())
	}
	return output.String()
}

// startHBase starts HBase, and returns the address of its Thrift2 server.
func (j hbaseJava) startHBase(t *testing.T) string {
	addr := freeAddr(t)
	_, port, _ := net.SplitHostPort(addr)
	command := j.command(t.Context(), "Standalone", t.TempDir(), port)
	var log bytes.Buffer
	command.Stdout, command.Stderr = &log, &log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	t.Cleanup(func() {
		_ = command.Process.Kill()
		<-ended
	})
	for begun := time.Now(); ; time.Sleep(time.Second) {
		if answer, err := http.Get("http://" + addr + "/"); err == nil {
			answer.Body.Close()
			return addr
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("HBase ended: %v\n%s", err, log.String())
		default:
			if time.Since(begun) > 3*time.Minute {
				t.Fatal("HBase was not ready after 3 minutes")
			}
		}
	}
}

// freeAddr is an address that nobody listens on.
func freeAddr(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// startThrift starts the server with HBase's API, and returns the address of Thrift2.
func startThrift(t *testing.T) string {
	if help, _ := ask(binary, "serve", "--help"); !strings.Contains(help, "--hbase-addr") {
		t.Skip("the server has no HBase API")
	}
	addr := freeAddr(t)
	server := harness.Start(t, binary, harness.Options{Args: []string{"--hbase-addr", addr}})
	t.Cleanup(func() { stop(t, server) })
	return addr
}

// TestHBaseJava runs HBase's own Java API over Thrift2: Table, Admin, ResultScanner, checkAndMutate. The golden file has what HBase itself answers, which
// TestHBaseOracle checks.
func TestHBaseJava(t *testing.T) {
	java := newHBaseJava(t)
	addr := startThrift(t)
	datadriven.RunTest(t, "testdata/hbase/java", func(t *testing.T, d *datadriven.TestData) string { return java.run(t, "Api", addr) })
}

// TestHBaseOracle asks HBase itself and Weft the same random calls. Answers must be equal.
func TestHBaseOracle(t *testing.T) {
	java := newHBaseJava(t)
	addr := startThrift(t)
	hbase := java.startHBase(t)
	datadriven.RunTest(t, "testdata/hbase/java", func(t *testing.T, d *datadriven.TestData) string { return java.run(t, "Api", hbase) })
	calls, seed := hbaseCalls, rand.Uint32()
	if given, err := strconv.Atoi(os.Getenv("WEFT_TEST_HBASE_CALLS")); err == nil {
		calls = given
	}
	t.Logf("seed %d", seed)
	t.Log(java.run(t, "Oracle", hbase, addr, fmt.Sprint(seed), fmt.Sprint(calls)))
}
