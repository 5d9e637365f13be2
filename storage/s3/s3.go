// SPDX-License-Identifier: Apache-2.0

// Package s3 is a storage of objects in a bucket: Amazon's S3, or any service that speaks its protocol. Programs that
// don't import it don't link its client.
//
// Knows: buckets, prefixes, credentials, parts of large objects.
// Never: what objects hold.
package s3

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/weftdb/weft/storage"
)

// Options say which bucket. Bucket must be set.
type Options struct {
	Bucket string
	// Endpoint is the service's URL. Default: Amazon's.
	Endpoint string
	// Region is the bucket's. Default: "us-east-1".
	Region string
	// AccessKey, SecretKey and SessionToken sign requests. Default: requests are not signed.
	AccessKey, SecretKey, SessionToken string
	// PartBytes is the size of the parts of an object of unknown size: as much memory is taken by each
	// of those that are written at once, and an object has at most 10,000 parts. Default: 16 MiB.
	PartBytes uint64
	// Transport sends the requests. Default: one of its own.
	Transport http.RoundTripper
}

// Open returns a storage in a bucket, which must be there. Nothing is sent before the first use.
func Open(o Options) (storage.Storage, error) {
	if o.Bucket == "" {
		return nil, errors.New("s3: the name of the bucket is missing: write s3://BUCKET/PREFIX")
	}
	o.Endpoint = cmp.Or(o.Endpoint, "https://s3.amazonaws.com")
	endpoint, err := url.Parse(o.Endpoint)
	if err != nil || endpoint.Host == "" || endpoint.Scheme != "http" && endpoint.Scheme != "https" {
		return nil, fmt.Errorf("s3: the endpoint %q is no URL such as https://HOST:PORT", o.Endpoint)
	}
	if strings.Trim(endpoint.Path, "/") != "" {
		return nil, fmt.Errorf("s3: the endpoint %q has a path: name the host alone", o.Endpoint)
	}
	o.Region = cmp.Or(o.Region, "us-east-1")
	o.PartBytes = cmp.Or(o.PartBytes, 16<<20)
	client, err := minio.New(endpoint.Host, &minio.Options{
		Creds: credentials.NewStaticV4(o.AccessKey, o.SecretKey, o.SessionToken), Secure: endpoint.Scheme == "https",
		Region: o.Region, Transport: o.Transport,
	})
	if err != nil {
		return nil, fmt.Errorf("s3: %w", err)
	}
	return &bucket{client: client, name: o.Bucket, partBytes: o.PartBytes}, nil
}

// bucket is a storage.
type bucket struct {
	client    *minio.Client
	name      string
	partBytes uint64
}

// Put sends one request, or one for each part of a large object.
func (b *bucket) Put(ctx context.Context, name string, body io.Reader, size int64) (storage.Object, error) {
	if err := storage.CheckName(name); err != nil {
		return storage.Object{}, err
	}
	counted := &counter{Reader: body, limit: size}
	info, err := b.client.PutObject(ctx, b.name, name, counted, size,
		minio.PutObjectOptions{PartSize: b.partBytes, NumThreads: 1, ContentType: "application/octet-stream"})
	if err == nil && size >= 0 {
		err = counted.end()
	}
	if err != nil {
		return storage.Object{}, wrap("put", name, err)
	}
	return storage.Object{Name: name, Size: info.Size, ETag: strings.Trim(info.ETag, `"`)}, nil
}

// counter holds a body to its promised size: one that is longer is refused before its last byte is sent, so that the
// service takes nothing.
type counter struct {
	io.Reader
	limit, read int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.read += int64(n); c.limit >= 0 && (c.read > c.limit || c.read == c.limit && err == nil && c.more()) {
		return 0, fmt.Errorf("the object has more than the %d bytes that were promised", c.limit)
	}
	return n, err
}

func (c *counter) more() bool {
	n, _ := io.ReadFull(c.Reader, make([]byte, 1)) // an error is another read's
	return n > 0
}

func (c *counter) end() error {
	if c.read != c.limit {
		return fmt.Errorf("the object has %d bytes, not the %d that were promised", c.read, c.limit)
	}
	return nil
}

// Get sends one request when it is first read.
func (b *bucket) Get(ctx context.Context, name string, offset, length int64) (io.ReadCloser, error) {
	if err := storage.CheckName(name); err != nil {
		return nil, err
	}
	if length == 0 {
		return http.NoBody, nil
	}
	options := minio.GetObjectOptions{}
	if offset > 0 || length > 0 {
		last := int64(0) // to the end
		if length > 0 {
			last = offset + length - 1
		}
		if err := options.SetRange(offset, last); err != nil {
			return nil, fmt.Errorf("s3: get %s: %w", name, err)
		}
	}
	body, _, _, err := minio.Core{Client: b.client}.GetObject(ctx, b.name, name, options)
	if err != nil {
		if minio.ToErrorResponse(err).Code == "InvalidRange" {
			return http.NoBody, nil // it ends before
		}
		return nil, wrap("get", name, err)
	}
	return body, nil
}

// List asks for page after page.
func (b *bucket) List(ctx context.Context, prefix, after string) iter.Seq2[storage.Object, error] {
	return func(yield func(storage.Object, error) bool) {
		for o := range b.client.ListObjectsIter(ctx, b.name,
			minio.ListObjectsOptions{Prefix: prefix, StartAfter: after, Recursive: true}) {
			if o.Err != nil {
				yield(storage.Object{}, wrap("list", prefix, o.Err))
				return
			}
			if !yield(storage.Object{Name: o.Key, Size: o.Size, Modified: o.LastModified,
				ETag: strings.Trim(o.ETag, `"`)}, nil) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(storage.Object{}, err)
		}
	}
}

// Delete sends one request.
func (b *bucket) Delete(ctx context.Context, name string) error {
	if err := storage.CheckName(name); err != nil {
		return err
	}
	err := b.client.RemoveObject(ctx, b.name, name, minio.RemoveObjectOptions{})
	if err = wrap("delete", name, err); errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	return err
}

func wrap(what, name string, err error) error {
	if err == nil {
		return nil
	}
	switch minio.ToErrorResponse(err).Code {
	case "NoSuchKey":
		return fmt.Errorf("%w: %s", storage.ErrNotFound, name)
	case "NoSuchBucket":
		return fmt.Errorf("s3: %s %s: %w", what, name, storage.ErrNoBucket)
	case "AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch":
		return fmt.Errorf("s3: %s %s: %w: %w", what, name, storage.ErrDenied, err)
	}
	return fmt.Errorf("s3: %s %s: %w", what, name, err)
}
