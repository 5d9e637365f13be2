// SPDX-License-Identifier: Apache-2.0

package streams

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
	"github.com/weftdb/weft/internal/history/journal"
	"github.com/weftdb/weft/internal/security/permission"
)

// pageMax is the number of streams or shards an answer has at most.
const pageMax = 100

type listRequest struct {
	TableName               *string
	Limit                   *int64
	ExclusiveStartStreamArn *string
}

type listedStream struct{ StreamArn, TableName, StreamLabel string }

// listStreams lists the streams of a table, or of all tables in the order of their names.
func (a *API) listStreams(ctx context.Context, in *listRequest, dst []byte) ([]byte, error) {
	limit, err := in.check()
	if err != nil {
		return nil, err
	}
	if a.Guard != nil {
		if err := exception.Authorization(a.Guard.Check(ctx, permission.FromContext(ctx),
			permission.Request{Action: "dynamodb:ListStreams", Resource: "*"})); err != nil {
			return nil, err
		}
	}
	var after listedStream
	if in.ExclusiveStartStreamArn != nil {
		if after.TableName, after.StreamLabel, err = a.account().Stream(*in.ExclusiveStartStreamArn,
			"ListStreams"); err != nil {
			return nil, err
		}
	}
	answer := struct {
		Streams                []listedStream
		LastEvaluatedStreamArn string `json:",omitempty"`
	}{Streams: []listedStream{}}
	for table := range a.tables(in.TableName, after.TableName) {
		for _, s := range a.streamsOf(table) {
			if table == after.TableName && s.StreamLabel <= after.StreamLabel {
				continue
			}
			if len(answer.Streams) == limit {
				answer.LastEvaluatedStreamArn = answer.Streams[limit-1].StreamArn
				return appendJSON(dst, answer)
			}
			answer.Streams = append(answer.Streams, s)
		}
	}
	return appendJSON(dst, answer)
}

// tables are the names of the tables whose streams are listed, from one on.
func (a *API) tables(only *string, from string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		if only != nil {
			if name, err := a.account().Table(*only, "ListStreams"); err == nil {
				yield(name)
			}
			return
		}
		if from != "" && !yield(from) {
			return
		}
		for {
			names := a.DB.Tables(a.Name(), from, pageMax)
			for _, name := range names {
				if !yield(name) {
					return
				}
			}
			if len(names) == 0 {
				return
			}
			from = names[len(names)-1]
		}
	}
}

func (a *API) streamsOf(table string) (list []listedStream) {
	pin, err := a.DB.PinIn(a.Name(), table)
	if err != nil {
		return nil
	}
	defer pin.Release()
	for _, s := range pin.Changes().Streams() {
		list = append(list, listedStream{a.account().StreamARN(table, s.Label), table, s.Label})
	}
	return list
}

// check judges the members by themselves and returns the number of streams asked for.
func (in *listRequest) check() (limit int, err error) {
	var faults exception.Constraints
	if in.TableName != nil && !strings.HasPrefix(*in.TableName, "arn:") {
		faults.Named(in.TableName, "tableName")
	}
	limit = pageOf(in.Limit, &faults)
	faults.Within(in.ExclusiveStartStreamArn, "exclusiveStartStreamArn", exception.ArnMin, exception.ArnMax)
	return limit, faults.Err()
}

func pageOf(limit *int64, faults *exception.Constraints) int {
	if limit == nil {
		return pageMax
	}
	faults.Between(true, *limit, "limit", 1, pageMax)
	return int(*limit)
}

type describeRequest struct {
	StreamArn             *string
	Limit                 *int64
	ExclusiveStartShardID *string `json:"ExclusiveStartShardId"`
	ShardFilter           *shardFilter
}

type shardFilter struct {
	Type    *string
	ShardID *string `json:"ShardId"`
}

type sequenceRange struct {
	StartingSequenceNumber string
	EndingSequenceNumber   string `json:",omitempty"`
}

type describedShard struct {
	ShardID             string `json:"ShardId"`
	SequenceNumberRange sequenceRange
	ParentShardID       string `json:"ParentShardId,omitempty"`
}

type description struct {
	StreamArn               string
	StreamLabel             string
	StreamStatus            string
	StreamViewType          string
	CreationRequestDateTime float64
	TableName               string
	KeySchema               []tablemodel.Key
	Shards                  []describedShard
	LastEvaluatedShardID    string `json:"LastEvaluatedShardId,omitempty"`
}

// describeStream shows a stream and its shards, those with children first.
func (a *API) describeStream(ctx context.Context, in *describeRequest, dst []byte) ([]byte, error) {
	limit, err := in.check()
	if err != nil {
		return nil, err
	}
	s, err := a.open(ctx, *in.StreamArn, "DescribeStream")
	if err != nil {
		return nil, err
	}
	defer s.Release()
	all, err := s.changes.Shards(ctx, &s.Stream)
	if err != nil {
		return nil, err
	}
	d := description{
		StreamArn: a.account().StreamARN(s.Descriptor().Name, s.Label), StreamLabel: s.Label, StreamStatus: "ENABLED",
		StreamViewType:          s.Images.String(),
		CreationRequestDateTime: float64(s.CreatedAtMS) / 1000, TableName: s.Descriptor().Name,
		KeySchema: tablemodel.KeySchema(s.Descriptor()), Shards: []describedShard{},
	}
	switch {
	case s.ClosedAtMS != 0:
		d.StreamStatus = "DISABLED"
	case s.EndedAtMS != 0:
		d.StreamStatus = "DISABLING"
	}
	shown := in.choose(all)
	for i, shard := range shown {
		if i == limit {
			d.LastEvaluatedShardID = d.Shards[limit-1].ShardID
			break
		}
		d.Shards = append(d.Shards, describe(shard, all))
	}
	return appendJSON(dst, struct{ StreamDescription description }{d})
}

// The lengths of the ids of shards.
const shardIDMin, shardIDMax = 28, 65

// check judges the members and returns the number of shards asked for.
func (in *describeRequest) check() (limit int, err error) {
	var faults exception.Constraints
	if in.StreamArn == nil {
		faults.Null("streamArn")
	}
	faults.Within(in.StreamArn, "streamArn", exception.ArnMin, exception.ArnMax)
	limit = pageOf(in.Limit, &faults)
	faults.Within(in.ExclusiveStartShardID, "exclusiveStartShardId", shardIDMin, shardIDMax)
	if f := in.ShardFilter; f != nil && f.Type != nil {
		faults.OneOf(true, *f.Type, "shardFilter.type", []string{"CHILD_SHARDS"})
	}
	if f := in.ShardFilter; f != nil {
		faults.Within(f.ShardID, "shardFilter.shardId", shardIDMin, shardIDMax)
	}
	if err := faults.Err(); err != nil {
		return 0, err
	}
	if f := in.ShardFilter; f != nil && (f.Type == nil || f.ShardID == nil) {
		return 0, exception.Validation("ShardFilter needs Type and ShardId")
	}
	return limit, nil
}

// choose returns the shards that are asked for.
func (in *describeRequest) choose(all []journal.Shard) []journal.Shard {
	if in.ShardFilter != nil {
		parent, ok := find(all, *in.ShardFilter.ShardID)
		if !ok {
			return nil // it is too old to be known: so are its children, or they are roots by now
		}
		all = slices.DeleteFunc(slices.Clone(all),
			func(s journal.Shard) bool { return s.Bucket != parent.Bucket || s.From != parent.To || parent.To == 0 })
	}
	if in.ExclusiveStartShardID == nil {
		return all
	}
	for i, s := range all {
		if shardID(s) == *in.ExclusiveStartShardID {
			return all[i+1:]
		}
	}
	return nil // it is too old to be known, or never was: AWS tells neither
}

func describe(s journal.Shard, all []journal.Shard) describedShard {
	d := describedShard{ShardID: shardID(s),
		SequenceNumberRange: sequenceRange{StartingSequenceNumber: sequence(s.From, 0)}}
	if s.To != 0 {
		d.SequenceNumberRange.EndingSequenceNumber = sequence(s.To-1, perCommit-1)
	}
	if parent, ok := s.Parent(all); ok {
		d.ParentShardID = shardID(parent)
	}
	return d
}

// shardID names a shard as AWS does: the milliseconds of its beginning, then eight hexadecimal digits, here of the rest
// of its first stamp and the bucket.
func shardID(s journal.Shard) string {
	return fmt.Sprintf("shardId-%020d-%08x", s.FromMS(), (s.From<<8|uint64(s.Bucket.Bucket))&0xffffffff)
}

func find(all []journal.Shard, id string) (journal.Shard, bool) {
	for _, s := range all {
		if shardID(s) == id {
			return s, true
		}
	}
	return journal.Shard{}, false
}

func appendJSON(dst []byte, answer any) ([]byte, error) {
	text, err := json.Marshal(answer)
	return append(dst, text...), err
}

// perCommit is the number of sequence numbers a commit has.
const perCommit = 10_000_000

// sequence is the sequence number of a change: the stamp of its commit, then its place among the commit's changes.
func sequence(stamp uint64, n int) string { return fmt.Sprintf("%d%07d", stamp, min(n, perCommit-1)) }

// parseSequence reads a sequence number.
func parseSequence(text string) (stamp uint64, n int, ok bool) {
	if len(text) < 8 || strings.Trim(text, "0123456789") != "" {
		return 0, 0, false
	}
	head, tail := text[:len(text)-7], text[len(text)-7:]
	if _, err := fmt.Sscan(strings.TrimLeft(head, "0")+"", &stamp); err != nil && strings.Trim(head, "0") != "" {
		return 0, 0, false
	}
	for _, digit := range tail {
		n = 10*n + int(digit-'0')
	}
	return stamp, n, true
}
