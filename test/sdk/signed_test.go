// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"bytes"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"

	"github.com/weftdb/weft/test/harness"
)

// TestSignedRequests signs with the SDK, by access keys that the command line makes, and asks a server that lets nobody
// else in.
func TestSignedRequests(t *testing.T) {
	data, master := t.TempDir(), filepath.Join(t.TempDir(), "master")
	if err := os.WriteFile(master, []byte(base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))),
		0o600); err != nil {
		t.Fatal(err)
	}
	harness.Start(t, binary, harness.Options{Data: data}).Kill() // makes the folder
	user := func(arguments ...string) string {
		t.Helper()
		command := harness.Command(t.Context(), binary,
			append([]string{"user", "--data", data, "--password-stdin"}, arguments...)...)
		command.Env, command.Stdin = append(harness.Environ(), "WEFT_MASTER_KEY_FILE="+master),
			strings.NewReader("secret\n")
		said, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("weft user %s: %v: %s", arguments, err, said)
		}
		return string(said)
	}
	user("add", "ann")
	id, secret := keyOf(user("key", "create", "ann"))
	disabled, disabledSecret := keyOf(user("key", "create", "ann"))
	user("key", "disable", disabled)
	if said := user("add", "bob"); !strings.Contains(said, "without any right") {
		t.Errorf("the second user: %s", said)
	}
	bob, bobSecret := keyOf(user("key", "create", "bob"))
	signing := harness.Start(t, binary, harness.Options{Data: data,
		Args: []string{"--auth", "required", "--master-key-file", master}})
	list := func(id, secret, token string) string {
		options := signing.Client().Options()
		options.Credentials = credentials.NewStaticCredentialsProvider(id, secret, token)
		_, err := dynamodb.New(options).ListTables(t.Context(), &dynamodb.ListTablesInput{})
		var fault smithy.APIError
		if errors.As(err, &fault) {
			return fault.ErrorCode()
		}
		if err != nil {
			return err.Error()
		}
		return "ok"
	}
	for _, c := range []struct{ id, secret, token, want string }{
		{id, secret, "", "ok"},
		{id, secret + "x", "", "InvalidSignatureException"},
		{id, disabledSecret, "", "InvalidSignatureException"},
		{disabled, disabledSecret, "", "UnrecognizedClientException"},
		{"AKIAIOSFODNN7EXAMPLE", secret, "", "UnrecognizedClientException"},
		{id, secret, "token", "UnrecognizedClientException"},
		{bob, bobSecret, "", "AccessDeniedException"},
	} {
		if got := list(c.id, c.secret, c.token); got != c.want {
			t.Errorf("%s %s: %s, not %s", c.id, c.token, got, c.want)
		}
	}
	if err := signing.Stop(); err != nil {
		t.Error(err)
	}
	user("policy", "put", "bob", "AmazonDynamoDBReadOnlyAccess")
	if said := user("policy", "list", "bob"); said != "AmazonDynamoDBReadOnlyAccess\n" {
		t.Errorf("bob's policies: %s", said)
	}
	if said := user("policy", "show", "bob", "AmazonDynamoDBReadOnlyAccess"); !strings.Contains(said,
		"dynamodb:GetItem") {
		t.Errorf("a predefined policy: %s", said)
	}
	signing = harness.Start(t, binary, harness.Options{Data: data,
		Args: []string{"--auth", "required", "--master-key-file", master}})
	if got := list(bob, bobSecret, ""); got != "ok" {
		t.Errorf("with a policy: %s", got)
	}
}

// keyOf reads what `weft user key create` says.
func keyOf(said string) (id, secret string) {
	first, second, _ := strings.Cut(strings.TrimSpace(said), "\n")
	return strings.TrimPrefix(first, "AWS_ACCESS_KEY_ID="), strings.TrimPrefix(second, "AWS_SECRET_ACCESS_KEY=")
}
