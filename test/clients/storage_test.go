// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"
)

// startMoto starts a service that others made, which speaks the protocols of S3 and Kinesis, and returns its URL.
func startMoto(t *testing.T) (endpoint string) {
	const program = ".venv-storage/bin/moto_server"
	if _, err := os.Stat(program); err != nil {
		t.Skip("there is no moto_server in .venv-storage: make test-clients installs it")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_, port, _ := net.SplitHostPort(address) // it was split off an address
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, "-p", port)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	endpoint = "http://" + address
	for range 300 {
		if answer, err := http.Get(endpoint + "/moto-api/"); err == nil {
			_ = answer.Body.Close()
			return endpoint
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("the service does not answer")
	return ""
}

// TestStorage runs the conformance suite of storages against a bucket of a service that others made.
func TestStorage(t *testing.T) {
	skipUnlessWanted(t)
	// moto answers 500 to some of several writes of one object at once; TestInProcess of storage/s3 does them.
	command := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-run", "TestService", "-skip",
		"TestService/Concurrent", "github.com/weftdb/weft/storage/s3")
	command.Dir = "../.."
	command.Env = append(command.Environ(), "WEFT_TEST_S3="+startMoto(t))
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v: %v\n%s", command.Args, err, out)
	}
}
