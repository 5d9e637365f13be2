// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/weftdb/weft/test/harness"
)

// TestBackupToS3 backs the database of the real binary up to a bucket of a service that others made, ships changes
// there, and restores both, encrypted.
func TestBackupToS3(t *testing.T) {
	skipUnlessWanted(t)
	endpoint := startMoto(t)
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret",
		"AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL_S3": endpoint} {
		t.Setenv(name, value)
	}
	makeBucket(t, endpoint)
	binary := harness.Build(t)
	run := func(args ...string) string {
		t.Helper()
		output, err := harness.Run(binary, args...)
		if err != nil {
			t.Fatal(err)
		}
		return output
	}
	keyFile := filepath.Join(t.TempDir(), "weft.key")
	public := strings.TrimSpace(run("backup", "key", keyFile))
	admin := freeAddress(t)
	server := harness.Start(t, binary, harness.Options{Args: []string{"--admin-addr", admin, "--ship",
		"s3://bucket/shipped", "--ship-recipients", public}})
	client := server.Client()
	harness.CreateTable(t, client, &dynamodb.CreateTableInput{TableName: aws.String("orders"),
		BillingMode: types.BillingModePayPerRequest,
		KeySchema:   []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"),
			AttributeType: types.ScalarAttributeTypeS}}})
	put := func(from, to int) {
		t.Helper()
		for i := from; i < to; i++ {
			item := map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: fmt.Sprint(i)},
				"text": &types.AttributeValueMemberS{Value: strings.Repeat("x", 100)}}
			if _, err := client.PutItem(t.Context(),
				&dynamodb.PutItemInput{TableName: aws.String("orders"), Item: item}); err != nil {
				t.Fatal(err)
			}
		}
	}
	put(0, 100)
	if text := run("backup", "s3://bucket/backups", "--recipient", public, "--admin-addr",
		admin); !strings.Contains(text, "were new") {
		t.Error(text)
	}
	put(100, 150)
	run("backup", "s3://bucket/backups", "--recipient", public, "--admin-addr", admin)
	if lines := strings.Split(strings.TrimSpace(run("backup", "list", "s3://bucket/backups")), "\n"); len(lines) != 3 {
		t.Errorf("%q", lines)
	}
	awaitShipped(t, admin)
	time.Sleep(10 * time.Millisecond)
	moment := time.Now()
	time.Sleep(10 * time.Millisecond)
	put(150, 200)
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	for _, restore := range []struct {
		args []string
		want int
	}{
		{[]string{"s3://bucket/backups"}, 150},
		{[]string{"s3://bucket/shipped", "--at", "latest"}, 200},
		{[]string{"s3://bucket/shipped", "--at", moment.Format(time.RFC3339Nano)}, 150},
	} {
		dir := filepath.Join(t.TempDir(), "restored")
		run(append(append([]string{"restore"}, restore.args...), "--key-file", keyFile, "--data", dir)...)
		if text := harness.Verify(t, binary, dir); !strings.Contains(text,
			fmt.Sprintf("orders: %d rows", restore.want)) {
			t.Errorf("%v: %s", restore.args, text)
		}
	}
	if _, err := harness.Run(binary, "restore", "s3://bucket/shipped", "--at", "latest", "--data",
		filepath.Join(t.TempDir(), "restored")); err == nil || !strings.Contains(err.Error(), "encrypted") {
		t.Errorf("restored without the key: %v", err)
	}
}

func makeBucket(t *testing.T, endpoint string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, endpoint+"/bucket", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("no bucket: %s, %v", answer.Status, err)
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// awaitShipped waits until a backup to ship after is made.
func awaitShipped(t *testing.T, admin string) {
	t.Helper()
	for range 600 {
		answer, err := http.Get("http://" + admin + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		if err = errors.Join(err, answer.Body.Close()); err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte("\nweft_ship_backups_total 1")) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("nothing was shipped in a minute")
}
