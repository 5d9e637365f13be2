// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/weftdb/weft/storage"
	"github.com/weftdb/weft/storage/s3"
)

// storageHelp says how a place is written.
const storageHelp = `A place is a folder, file:///FOLDER, or s3://BUCKET/PREFIX with ?endpoint=URL&region=NAME for services other than Amazon's. The variables
AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN sign requests, AWS_REGION and AWS_ENDPOINT_URL_S3 are the defaults of region and endpoint.`

// openStorage opens the place that a user named, with the credentials of the environment. It is the one place that
// names kinds of storage.
func openStorage(place string, environ []string) (storage.Storage, error) {
	scheme, _, found := strings.Cut(place, "://")
	if !found {
		if place == "" {
			return nil, fmt.Errorf("the place is empty: name a folder, or s3://BUCKET/PREFIX")
		}
		dir, err := filepath.Abs(place)
		return storage.Folder(dir), err
	}
	address, err := url.Parse(place)
	if err != nil {
		return nil, err
	}
	switch scheme {
	case "file":
		if address.Host != "" || address.Path == "" {
			return nil, fmt.Errorf("%s names no folder: write file:///FOLDER with three slashes", place)
		}
		return storage.Folder(filepath.FromSlash(address.Path)), nil
	case "s3":
		return openBucket(address, environ)
	}
	return nil, fmt.Errorf("%s: there is no storage %q, only file and s3", place, scheme)
}

// folderOf is the folder that a place names; ok is false for other kinds of storage.
func folderOf(place string) (dir string, ok bool) {
	scheme, _, found := strings.Cut(place, "://")
	if address, err := url.Parse(place); found && scheme == "file" && err == nil {
		return filepath.FromSlash(address.Path), true
	}
	return place, !found
}

// bucketsOf opens buckets by their names, where the setting buckets says; nil for "".
func bucketsOf(place string, environ []string) (func(name string) (storage.Storage, error), error) {
	if place == "" {
		return nil, nil
	}
	if !strings.HasPrefix(place, "s3:") {
		return func(name string) (storage.Storage, error) {
			return openStorage(strings.TrimSuffix(place, "/")+"/"+name, environ)
		}, nil
	}
	address, err := url.Parse(place)
	if err == nil && (address.Host != "" || address.Path != "" || address.Opaque != "") {
		err = fmt.Errorf("buckets is %s: name no bucket, for each request names its own; write s3://?endpoint=URL",
			address.Redacted())
	}
	if err != nil {
		return nil, err
	}
	open := func(name string) (storage.Storage, error) {
		one := *address
		one.Host = name
		return openBucket(&one, environ)
	}
	_, err = open("weft") // of a mistake in the settings
	return open, err
}

// openBucket opens a prefix of a bucket.
func openBucket(address *url.URL, environ []string) (storage.Storage, error) {
	variable := func(name string) string {
		for _, entry := range environ {
			if value, ok := strings.CutPrefix(entry, name+"="); ok {
				return value
			}
		}
		return ""
	}
	query := address.Query()
	for name := range query {
		if name != "endpoint" && name != "region" {
			return nil, fmt.Errorf("%s: there is no setting %q, only endpoint and region", address.Redacted(), name)
		}
	}
	s, err := s3.Open(s3.Options{
		Bucket: address.Host, Endpoint: cmp.Or(query.Get("endpoint"), variable("AWS_ENDPOINT_URL_S3"),
			variable("AWS_ENDPOINT_URL")),
		Region:    cmp.Or(query.Get("region"), variable("AWS_REGION"), variable("AWS_DEFAULT_REGION")),
		AccessKey: variable("AWS_ACCESS_KEY_ID"), SecretKey: variable("AWS_SECRET_ACCESS_KEY"),
		SessionToken: variable("AWS_SESSION_TOKEN"),
	})
	if err != nil {
		return nil, err
	}
	return storage.Below(s, address.Path), nil
}
