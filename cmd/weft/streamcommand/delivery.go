// SPDX-License-Identifier: Apache-2.0

package streamcommand

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/dynamodb/streamreader"
)

// Pauses between two tries.
const (
	pauseMin       = 200 * time.Millisecond
	pauseMax       = 30 * time.Second
	answerBytesMax = 6 << 20
)

// delivery posts batches of records.
type delivery struct {
	*trigger
	host   *Host
	reader *streamreader.Reader
	url    string
	client *http.Client
	warn   func(format string, args ...any)
	saved  []byte // the position in the file
}

// event is a record as Lambda gets it. Its names of the identity's members are other than those of GetRecords.
type event struct {
	streamreader.Record
	UserIdentity *identity `json:"userIdentity,omitempty"`
	Source       string    `json:"eventSourceARN"`
}

type identity struct {
	Type        string `json:"type"`
	PrincipalID string `json:"principalId"`
}

func (d *delivery) event(r *streamreader.Record) (json.RawMessage, error) {
	e := event{Record: *r, Source: d.reader.Position.Stream}
	if len(r.UserIdentity) > 0 {
		e.UserIdentity = new(identity) // its names are matched without regard to case
		if err := json.Unmarshal(r.UserIdentity, e.UserIdentity); err != nil {
			return nil, err
		}
	}
	return json.Marshal(&e)
}

// piece is a record that is posted.
type piece struct {
	number string // its sequence number
	event  json.RawMessage
}

// take posts a page of a shard, and returns when all of it was handled, or given up.
func (d *delivery) take(ctx context.Context, shard string, records []streamreader.Record) error {
	var batch []piece
	size := 0
	for i := range records {
		e, err := d.event(&records[i])
		if err != nil {
			return err
		}
		if len(batch) == d.batch || len(batch) > 0 && size+len(e) > eventBytesMax {
			if err := d.deliver(ctx, shard, batch); err != nil {
				return err
			}
			batch, size = nil, 0
		}
		batch, size = append(batch, piece{records[i].Change.SequenceNumber, e}), size+len(e)+1
	}
	return d.deliver(ctx, shard, batch)
}

// deliver posts a batch until all of it was handled or given up, in its order. Errors: those of files, and ctx's.
func (d *delivery) deliver(ctx context.Context, shard string, batch []piece) error {
	pause, tries := pauseMin, 0
	for len(batch) > 0 {
		handled, err := d.post(ctx, batch)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if handled > 0 {
			if err := d.handled(shard, batch[handled-1].number); err != nil {
				return err
			}
			batch, pause, tries = batch[handled:], pauseMin, 0
		}
		if err == nil {
			continue
		}
		if refused := errors.As(err, new(refusal)); refused && len(batch) > 1 && !d.noBisect {
			half := len(batch) / 2
			if err := d.deliver(ctx, shard, batch[:half]); err != nil {
				return err
			}
			batch, pause, tries = batch[half:], pauseMin, 0
			continue
		}
		if tries++; d.retries >= 0 && tries > d.retries {
			return d.giveUp(shard, batch, err)
		}
		d.warn("%d records from %s on were not handled; they are posted again in %s: %v", len(batch), batch[0].number,
			pause, err)
		if !rest(ctx, pause) {
			return ctx.Err()
		}
		pause = min(2*pause, pauseMax)
	}
	return nil
}

// refusal is the error of an answer that is not 200 to 299, or that names records which were not handled.
type refusal string

func (r refusal) Error() string { return string(r) }

// post posts a batch once. handled is the number of its first records that need not come again; if not all of them,
// there is an error.
func (d *delivery) post(ctx context.Context, batch []piece) (handled int, err error) {
	events := make([]json.RawMessage, len(batch))
	for i := range batch {
		events[i] = batch[i].event
	}
	body, err := json.Marshal(struct{ Records []json.RawMessage }{events})
	if err != nil {
		return 0, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := d.client.Do(request)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, answerBytesMax))
	if err != nil {
		return 0, err
	}
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return 0, refusal(fmt.Sprintf("the answer was %s: %.200s", answer.Status, strings.TrimSpace(string(text))))
	}
	return handledOf(batch, text)
}

// handledOf reads which records an answer says were not handled: those from the first of them on come again. An answer
// that says nothing of the kind is one that all were.
func handledOf(batch []piece, answer []byte) (handled int, err error) {
	var said struct {
		Failures []struct {
			Item string `json:"itemIdentifier"`
		} `json:"batchItemFailures"`
	}
	if json.Unmarshal(answer, &said) != nil || len(said.Failures) == 0 {
		return len(batch), nil
	}
	failed := map[string]bool{}
	for _, f := range said.Failures {
		failed[f.Item] = true
	}
	for i, p := range batch {
		if failed[p.number] {
			return i, refusal("the answer names record " + p.number + " in batchItemFailures")
		}
	}
	return 0, refusal("the answer names records in batchItemFailures that were not posted")
}

// giveUp puts records that fail into a file.
func (d *delivery) giveUp(shard string, batch []piece, why error) error {
	file, err := os.OpenFile(d.failed, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	for _, p := range batch {
		if err == nil {
			_, err = file.Write(append(bytes.Clone(p.event), '\n'))
		}
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	d.warn("%d records from %s on were given up and are in %s: %v", len(batch), batch[0].number, d.failed, why)
	return d.handled(shard, batch[len(batch)-1].number)
}

// handled notes that the records of a shard up to a number need not be posted again.
func (d *delivery) handled(shard, number string) error {
	d.reader.Handled(shard, number)
	return d.save()
}

// save writes the position into its file, whole or not at all.
func (d *delivery) save() error {
	text, err := json.MarshalIndent(d.reader.Position, "", "  ")
	if err != nil || bytes.Equal(text, d.saved) {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(d.position), filepath.Base(d.position)+".*")
	if err != nil {
		return err
	}
	_, err = file.Write(append(bytes.Clone(text), '\n'))
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), d.position)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	d.saved = text
	return nil
}

// readPosition reads a file of a position; without one it is the zero Position.
func readPosition(name string) (p streamreader.Position, err error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err == nil && p.Shards == nil {
		p.Shards = map[string]streamreader.Shard{}
	}
	if err != nil {
		return p, fmt.Errorf("the position can't be read: %w; if the file is of no use, remove it, and choose --from",
			err)
	}
	return p, nil
}
