// SPDX-License-Identifier: Apache-2.0

package s3_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/weftdb/weft/storage"
	"github.com/weftdb/weft/storage/s3"
	"github.com/weftdb/weft/storage/storagetest"
)

// TestInProcess runs the suite against a small server of the protocol.
func TestInProcess(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) storage.Storage {
		s, err := s3.Open(s3.Options{Bucket: "weft", Endpoint: serve(t), PartBytes: 5 << 20})
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}

// TestService runs the suite against the service of WEFT_TEST_S3, such as http://127.0.0.1:5000, with the credentials
// that AWS's variables hold.
func TestService(t *testing.T) {
	endpoint := os.Getenv("WEFT_TEST_S3")
	if endpoint == "" {
		t.Skip("WEFT_TEST_S3 names no service; make test-clients starts one")
	}
	var buckets atomic.Int64
	storagetest.Run(t, func(t *testing.T) storage.Storage {
		o := s3.Options{Bucket: fmt.Sprintf("weft-test-%d-%d", os.Getpid(), buckets.Add(1)), Endpoint: endpoint,
			PartBytes: 5 << 20,
			AccessKey: cmp.Or(os.Getenv("AWS_ACCESS_KEY_ID"), "test"),
			SecretKey: cmp.Or(os.Getenv("AWS_SECRET_ACCESS_KEY"), "test")}
		makeBucket(t, &o)
		s, err := s3.Open(o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}

func makeBucket(t *testing.T, o *s3.Options) {
	host, secure := o.Endpoint[len("http://"):], false
	if o.Endpoint[:5] == "https" {
		host, secure = o.Endpoint[len("https://"):], true
	}
	client, err := minio.New(host, &minio.Options{Creds: credentials.NewStaticV4(o.AccessKey, o.SecretKey, ""),
		Secure: secure, Region: "us-east-1"})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.MakeBucket(context.WithoutCancel(t.Context()), o.Bucket, minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []s3.Options{{}, {Bucket: "b", Endpoint: "localhost:9000"}, {Bucket: "b", Endpoint: "ftp://host"},
		{Bucket: "b", Endpoint: "http://host/path"}} {
		if _, err := s3.Open(o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
}
