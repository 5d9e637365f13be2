// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net/url"
	"os"

	"github.com/weftdb/weft/internal/dynamodb/kinesis"
	"github.com/weftdb/weft/internal/dynamodb/remote"
	"github.com/weftdb/weft/internal/security/signature"
)

// startKinesis begins to send the changes of tables to streams of Kinesis, if a service was named. Credentials are
// those of AWS's variables, as for buckets.
func (s *server) startKinesis(ctx context.Context, db runningDatabase) {
	opened, ok := db.(*openedDatabase)
	if !ok || s.config.KinesisEndpoint == "" || s.config.idle {
		return
	}
	by := signature.Credentials{AccessKey: os.Getenv("AWS_ACCESS_KEY_ID"), Secret: os.Getenv("AWS_SECRET_ACCESS_KEY"),
		Token: os.Getenv("AWS_SESSION_TOKEN")}
	if by.AccessKey == "" {
		by.AccessKey, by.Secret = "weft", "weft" // services for tests take any
	}
	s.kinesis = kinesis.Start(ctx, kinesis.Options{DB: opened.db, Region: s.config.Region, Logger: s.log,
		Service: &remote.Service{
			URL: s.config.KinesisEndpoint, Region: s.config.Region, Name: "kinesis", Target: "Kinesis_20131202.",
			Version: "1.1", Credentials: by,
		}})
}

// checkKinesis looks at the address of the service.
func (c *config) checkKinesis() error {
	if c.KinesisEndpoint == "" {
		return nil
	}
	if u, err := url.Parse(c.KinesisEndpoint); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("kinesis-endpoint is %q: set it to a URL such as https://kinesis.eu-central-1.amazonaws.com",
			c.KinesisEndpoint)
	}
	return nil
}
