// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/weftdb/weft/bench/loadgen"
)

// openStreaming starts the binary, with a stream of both images for its table.
func openStreaming(ctx context.Context, c *config) (*httpPeer, error) {
	p, err := openWeft(ctx, c, peerStreaming)
	if err != nil {
		return nil, err
	}
	_, err = p.target.call("UpdateTable",
		`{"TableName":"`+tableName+`","StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}}`)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("switching the stream on: %w", err), p.Close())
	}
	return p, nil
}

const (
	lagWriters = 4
	lagPause   = 5 * time.Millisecond // of the reader between two looks at all shards
)

// lagMeter reads a stream while others write.
type lagMeter struct {
	target    target
	iterators []string
	seen      []time.Duration // from before a put is sent until its record has come
}

// measureLag writes with several clients, reads the stream with one, and tells how long a record takes from the put's
// request to its reader.
func measureLag(ctx context.Context, c *config, p *httpPeer, out io.Writer) error {
	m := lagMeter{target: p.target}
	if err := m.open(); err != nil {
		return err
	}
	var written atomic.Int64
	var writers loadgen.Group
	until := time.Now().Add(time.Duration(c.Seconds * float64(c.Rounds) * float64(time.Second)))
	for i := range lagWriters {
		writers.Run(func() error {
			for ; ctx.Err() == nil && time.Now().Before(until); written.Add(1) {
				item := fmt.Sprintf(`{"TableName":%q,"Item":{"pk":{"S":"lag %d"},"sk":{"S":"0"},"sent":{"N":"%d"}}}`,
					tableName, i, time.Now().UnixNano())
				if _, err := m.target.call("PutItem", item); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for time.Now().Before(until) || int64(len(m.seen)) < written.Load() {
		if time.Since(until) > answerTimeout {
			return errors.Join(fmt.Errorf("the stream has %d records of %d puts", len(m.seen), written.Load()),
				writers.Wait())
		}
		if err := m.read(); err != nil {
			return errors.Join(err, writers.Wait())
		}
		time.Sleep(lagPause)
	}
	if err := errors.Join(writers.Wait(), ctx.Err()); err != nil {
		return err
	}
	slices.Sort(m.seen)
	at := func(share float64) float64 {
		return float64(m.seen[int(share*float64(len(m.seen)-1))]) / float64(time.Millisecond)
	}
	fmt.Fprintf(out, "\nFrom the request of a put to its record at a reader, %d puts by %d clients in %.0f s: p50 %.1f ms, p99 %.1f ms, %.1f ms at most.\n",
		len(m.seen), lagWriters, c.Seconds*float64(c.Rounds), at(0.5), at(0.99), at(1))
	return nil
}

// ask calls an operation and decodes its answer.
func (m *lagMeter) ask(api, body string, into any) error {
	a, err := m.target.call(api, body)
	if err != nil {
		return err
	}
	return json.Unmarshal(a.Body, into)
}

// open finds the shards that are written to.
func (m *lagMeter) open() error {
	var table struct {
		Table struct{ LatestStreamArn string }
	}
	if err := m.ask("DescribeTable", `{"TableName":"`+tableName+`"}`, &table); err != nil {
		return err
	}
	arn := table.Table.LatestStreamArn
	var stream struct {
		StreamDescription struct {
			Shards []struct {
				ShardId             string
				SequenceNumberRange struct{ EndingSequenceNumber string }
			}
		}
	}
	if err := m.ask(streamsAPI+"DescribeStream", fmt.Sprintf(`{"StreamArn":%q}`, arn), &stream); err != nil {
		return err
	}
	for _, shard := range stream.StreamDescription.Shards {
		if shard.SequenceNumberRange.EndingSequenceNumber != "" {
			continue
		}
		var first struct{ ShardIterator string }
		if err := m.ask(streamsAPI+"GetShardIterator",
			fmt.Sprintf(`{"StreamArn":%q,"ShardId":%q,"ShardIteratorType":"LATEST"}`, arn, shard.ShardId),
			&first); err != nil {
			return err
		}
		m.iterators = append(m.iterators, first.ShardIterator)
	}
	return nil
}

// read looks at all shards once.
func (m *lagMeter) read() error {
	for i, iterator := range m.iterators {
		var page struct {
			NextShardIterator string
			Records           []struct {
				Dynamodb struct {
					NewImage struct{ Sent struct{ N string } }
				}
			}
		}
		if err := m.ask(streamsAPI+"GetRecords", fmt.Sprintf(`{"ShardIterator":%q}`, iterator), &page); err != nil {
			return err
		}
		now := time.Now()
		for _, record := range page.Records {
			sent, err := strconv.ParseInt(record.Dynamodb.NewImage.Sent.N, 10, 64)
			if err != nil {
				return fmt.Errorf("a record without the time of its put: %w", err)
			}
			m.seen = append(m.seen, now.Sub(time.Unix(0, sent)))
		}
		m.iterators[i] = page.NextShardIterator
	}
	return nil
}
