// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"os"
	"os/exec"
	"testing"

	"github.com/weftdb/weft/test/harness"
)

// TestExchange exports to buckets of a service that others made, and imports from them, with boto3 and with Amazon's
// library for Ion.
func TestExchange(t *testing.T) {
	skipUnlessWanted(t)
	endpoint := startMoto(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	server := harness.Start(t, binary, harness.Options{Args: []string{"--buckets", "s3://?endpoint=" + endpoint}})
	defer stop(t, server)
	command := exec.CommandContext(t.Context(), ".venv-storage/bin/python3", "exchange_client.py")
	command.Env = append(os.Environ(), "S3_ENDPOINT="+endpoint, "DYNAMODB_ENDPOINT=http://"+server.Addr())
	if out, err := command.CombinedOutput(); err != nil || string(out) != "ok\n" {
		t.Errorf("%v: %v\n%s", command.Args, err, out)
	}
}

// TestKinesis sends the changes of a table to a stream of a service that others made, and reads them there with boto3.
func TestKinesis(t *testing.T) {
	skipUnlessWanted(t)
	endpoint := startMoto(t)
	server := harness.Start(t, binary, harness.Options{Args: []string{"--kinesis-endpoint", endpoint}})
	defer stop(t, server)
	command := exec.CommandContext(t.Context(), ".venv-storage/bin/python3", "kinesis_client.py")
	command.Env = append(os.Environ(), "KINESIS_ENDPOINT="+endpoint, "DYNAMODB_ENDPOINT=http://"+server.Addr())
	if out, err := command.CombinedOutput(); err != nil || string(out) != "ok\n" {
		t.Errorf("%v: %v\n%s", command.Args, err, out)
	}
}
