// SPDX-License-Identifier: Apache-2.0

package streams

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/history/capture"
	"github.com/weftdb/weft/internal/history/journal"
)

const (
	recordsMax   = 1000
	pageBytesMax = 1 << 20
	iteratorLife = capture.ReaderGrace
)

type iteratorRequest struct {
	StreamArn         *string
	ShardID           *string `json:"ShardId"`
	ShardIteratorType *string
	SequenceNumber    *string
	Timestamp         *float64 // in seconds since 1970
}

// The lengths of sequence numbers, and of the texts of iterators: one may hold the key of an item.
const (
	sequenceMin, sequenceMax = 21, 40
	iteratorTextMax          = 16 << 10
)

// iterator is a place in a shard, as clients carry it.
type iterator struct {
	Shard     string
	Stamp     uint64
	Key       []byte `json:",omitempty"`
	N         int    `json:",omitempty"`
	ExpiresMS int64
}

func (in *iteratorRequest) check() error {
	var faults exception.Constraints
	for _, member := range [...]struct {
		text *string
		name string
	}{{in.ShardID, "shardId"}, {in.ShardIteratorType, "shardIteratorType"}, {in.StreamArn, "streamArn"}} {
		if member.text == nil {
			faults.Null(member.name)
		}
	}
	if in.ShardIteratorType != nil {
		faults.OneOf(true, *in.ShardIteratorType, "shardIteratorType",
			[]string{"TRIM_HORIZON", "LATEST", "AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER", atTimestamp})
	}
	faults.Within(in.StreamArn, "streamArn", exception.ArnMin, exception.ArnMax)
	faults.Within(in.ShardID, "shardId", shardIDMin, shardIDMax)
	faults.Within(in.SequenceNumber, "sequenceNumber", sequenceMin, sequenceMax)
	if err := faults.Err(); err != nil {
		return err
	}
	return in.checkPlace()
}

// atTimestamp is the type of iterators that begin at a moment.
const atTimestamp = "AT_TIMESTAMP"

// checkPlace wants what the type of the iterator needs, and nothing that it does not take.
func (in *iteratorRequest) checkPlace() error {
	numbered := strings.HasSuffix(*in.ShardIteratorType, "_SEQUENCE_NUMBER")
	timed := *in.ShardIteratorType == atTimestamp
	switch {
	case timed && in.Timestamp == nil:
		return exception.Validation("Must provide Timestamp for iterator of type " + atTimestamp)
	case !timed && in.Timestamp != nil:
		return exception.Validation("Timestamp is not allowed for iterator of type " + *in.ShardIteratorType)
	case numbered && in.SequenceNumber == nil:
		return exception.Validation("Must provide SequenceNumber for iterator of type " + *in.ShardIteratorType)
	case !numbered && in.SequenceNumber != nil:
		return exception.Validation("SequenceNumber is not allowed for iterator of type " + *in.ShardIteratorType)
	}
	return nil
}

// getShardIterator says where to begin to read a shard.
func (a *API) getShardIterator(ctx context.Context, in *iteratorRequest, dst []byte) ([]byte, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	s, err := a.open(ctx, *in.StreamArn, "GetShardIterator")
	if err != nil {
		return nil, err
	}
	defer s.Release()
	all, err := s.changes.Shards(ctx, &s.Stream)
	if err != nil {
		return nil, err
	}
	shard, ok := find(all, *in.ShardID)
	if !ok {
		return nil, exception.New(exception.KindResourceNotFound, "Requested resource not found: Shard does not exist")
	}
	at, err := in.place(ctx, a, &s, shard)
	if err != nil {
		return nil, err
	}
	return appendJSON(dst, struct{ ShardIterator string }{a.iterator(&s, shard, at)})
}

// place is the place at which an iterator begins.
func (in *iteratorRequest) place(ctx context.Context, a *API, s *stream,
	shard journal.Shard) (journal.Position, error) {
	switch *in.ShardIteratorType {
	case "TRIM_HORIZON":
		return journal.Position{}, nil // the oldest change when it is read
	case "LATEST":
		return s.changes.Newest(ctx, shard)
	case atTimestamp:
		return in.placeAt(a, s, shard)
	}
	stamp, n, ok := parseSequence(*in.SequenceNumber)
	if !ok || stamp < shard.From || shard.To != 0 && stamp >= shard.To {
		return journal.Position{}, exception.Validation("Invalid SequenceNumber: " + *in.SequenceNumber +
			" is not in the range of the shard")
	}
	if stamp < s.changes.Horizon() {
		return journal.Position{}, trimmed()
	}
	if *in.ShardIteratorType == "AFTER_SEQUENCE_NUMBER" {
		n++
	}
	return passed(ctx, s, shard, stamp, n)
}

// placeAt is the place of the first change at or after the moment that is given.
func (in *iteratorRequest) placeAt(a *API, s *stream, shard journal.Shard) (journal.Position, error) {
	ms := int64(math.Round(*in.Timestamp * 1000))
	if ms > a.DB.NowMS() {
		return journal.Position{}, exception.Validation("Timestamp is in the future")
	}
	return s.changes.PlaceAt(shard, ms), nil
}

// passed is the place behind the first n changes of a commit.
func passed(ctx context.Context, s *stream, shard journal.Shard, stamp uint64, n int) (journal.Position, error) {
	at := journal.Position{Stamp: stamp}
	if n == 0 {
		return at, nil
	}
	next, _, err := s.changes.Read(ctx, &s.Stream, shard, at,
		func(r *capture.Record) bool { return r.At.Stamp == stamp && r.At.N+1 < n })
	if err == nil && next.Stamp > stamp { // the first change of a later commit was met
		next = journal.Position{Stamp: stamp + 1}
	}
	return next, err
}

func trimmed() error {
	return exception.New(exception.KindTrimmed,
		"The operation attempted to read past the oldest stream record in a shard: records are kept for 24 hours")
}

// iterator writes an iterator: the stream's ARN, a version, and the place.
func (a *API) iterator(s *stream, shard journal.Shard, at journal.Position) string {
	text, _ := json.Marshal(iterator{shardID(shard), at.Stamp, at.Key, at.N,
		a.DB.NowMS() + iteratorLife.Milliseconds()})
	return a.account().StreamARN(s.Descriptor().Name, s.Label) + "|1|" + base64.StdEncoding.EncodeToString(text)
}

// parseIterator reads an iterator.
func parseIterator(text string) (arn string, i iterator, err error) {
	parts := strings.Split(text, "|")
	if len(parts) == 3 && parts[1] == "1" {
		var raw []byte
		if raw, err = base64.StdEncoding.DecodeString(parts[2]); err == nil {
			err = json.Unmarshal(raw, &i)
		}
		if err == nil && i.N >= 0 && i.Shard != "" {
			return parts[0], i, nil
		}
	}
	return "", i, exception.Validation("Invalid ShardIterator: it is none that GetShardIterator or GetRecords returned")
}

type recordsRequest struct {
	ShardIterator *string
	Limit         *int64
}

// getRecords reads the next changes of a shard. An answer without any has none to show yet.
func (a *API) getRecords(ctx context.Context, in *recordsRequest, dst []byte) ([]byte, error) {
	limit, err := in.check()
	if err != nil {
		return nil, err
	}
	arn, i, err := parseIterator(*in.ShardIterator)
	if err != nil {
		return nil, err
	}
	s, err := a.open(ctx, arn, "GetRecords")
	if err != nil {
		return nil, err
	}
	defer s.Release()
	return a.readFrom(ctx, &s, &i, limit, dst)
}

// check judges the members by themselves and returns the number of records asked for.
func (in *recordsRequest) check() (limit int, err error) {
	var faults exception.Constraints
	if in.ShardIterator == nil {
		faults.Null("shardIterator")
	}
	faults.Within(in.ShardIterator, "shardIterator", 1, iteratorTextMax)
	if in.Limit == nil {
		return recordsMax, faults.Err()
	}
	faults.Between(true, *in.Limit, "limit", 1, recordsMax)
	return int(*in.Limit), faults.Err()
}

func (a *API) readFrom(ctx context.Context, s *stream, i *iterator, limit int, dst []byte) ([]byte, error) {
	if i.ExpiresMS < a.DB.NowMS() {
		return nil, exception.New(exception.KindIteratorExpired,
			"Iterator expired. The iterator was created more than 15 minutes ago")
	}
	all, err := s.changes.Shards(ctx, &s.Stream)
	if err != nil {
		return nil, err
	}
	shard, ok := find(all, i.Shard)
	if !ok {
		return nil, trimmed()
	}
	at := journal.Position{Stamp: i.Stamp, Key: i.Key, N: i.N}
	if at.Stamp != 0 && at.Stamp < s.changes.Oldest() {
		return nil, trimmed()
	}
	w := writer{api: a, stream: s, dst: append(dst, `{"Records":[`...), first: len(dst)}
	next, ended, err := s.changes.Read(ctx, &s.Stream, shard, at, func(r *capture.Record) bool {
		w.append(r)
		return w.count < limit && len(w.dst)-w.first < pageBytesMax
	})
	if err != nil {
		if isGone(err) {
			return nil, a.notFound(s.Descriptor().Name, s.Label)
		}
		return nil, err
	}
	dst = append(w.dst, ']')
	if oldest := (journal.Position{Stamp: s.changes.Horizon()}); w.count == 0 && next.Before(oldest) {
		next = oldest // none lies between
	}
	if !ended {
		dst = append(dst, `,"NextShardIterator":`...)
		dst = attributejson.AppendString(dst, []byte(a.iterator(s, shard, next)))
	}
	return append(dst, '}'), nil
}

// writer writes records.
type writer struct {
	api    *API
	stream *stream
	dst    []byte
	first  int // where the answer begins
	count  int
}

func (w *writer) append(r *capture.Record) {
	if w.count++; w.count > 1 {
		w.dst = append(w.dst, ',')
	}
	names, table := w.stream.Names(), w.stream.Descriptor()
	number := sequence(r.At.Stamp, r.At.N)
	w.dst = append(w.dst, `{"eventID":"`...)
	w.dst = append(w.dst, eventID(table.UUID, w.stream.Label, r, number)...)
	w.dst = append(w.dst, `","eventName":"`+r.EventName()+
		`","eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":"`+w.api.Region+
		`","dynamodb":{"ApproximateCreationDateTime":`...)
	w.dst = strconv.AppendInt(w.dst, r.AtMS/1000, 10)
	size := 0
	image := func(name string, row value.Row) {
		if row != nil {
			w.dst = append(w.dst, `,"`+name+`":`...)
			w.dst = attributejson.AppendItem(w.dst, row, names)
			size += row.Size()
		}
	}
	image("Keys", w.stream.changes.KeyAttributes(r.Key))
	image("NewImage", r.New)
	image("OldImage", r.Old)
	w.dst = append(w.dst, `,"SequenceNumber":"`+number+`","SizeBytes":`...)
	w.dst = strconv.AppendInt(w.dst, int64(size), 10)
	w.dst = append(w.dst, `,"StreamViewType":"`+w.stream.Images.String()+`"}`...)
	if r.ByExpiry {
		w.dst = append(w.dst, `,"userIdentity":{"PrincipalId":"dynamodb.amazonaws.com","Type":"Service"}`...)
	}
	w.dst = append(w.dst, '}')
}

// eventID is the same whenever the record is read, and no other record's.
func eventID(table, label string, r *capture.Record, number string) string {
	sum := sha256.Sum256([]byte(table + "/" + label + "/" + number + "/" + string(r.At.Key)))
	return hex.EncodeToString(sum[:16])
}
