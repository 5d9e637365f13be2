// SPDX-License-Identifier: Apache-2.0

package exchange

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/weftdb/weft/storage"
)

// The names that AWS gives the objects of exports. All begin with exportFolder behind the request's prefix.
const (
	exportFolder    = "AWSDynamoDB"
	manifestSummary = "manifest-summary.json"
	manifestFiles   = "manifest-files.json"
)

// fileBytesMax is how much of the items' text one data file has about, before it is packed.
const fileBytesMax = 128 << 20

// layout writes the objects of one export.
type layout struct {
	to     storage.Storage // below the request's prefix
	prefix string
	id     string
	data   string // the folder of the data files
	suffix string
	files  []dataFile
	file   *openFile
}

// dataFile is a line of the list of files.
type dataFile struct {
	ItemCount     int64  `json:"itemCount"`
	MD5Checksum   string `json:"md5Checksum"`
	ETag          string `json:"etag"`
	DataFileS3Key string `json:"dataFileS3Key"`
}

// openFile is a data file that is being written.
type openFile struct {
	dataFile
	name   string
	pack   *gzip.Writer
	sum    hash.Hash
	pipe   *io.PipeWriter
	stored chan stored
	bytes  int64
}

type stored struct {
	object storage.Object
	err    error
}

// start writes the first object, as AWS does to see whether it may.
func (l *layout) start(ctx context.Context) error {
	_, err := l.to.Put(ctx, storage.Join(exportFolder, l.id, "_started"), strings.NewReader(""), 0)
	return err
}

// write appends the text of one item.
func (l *layout) write(ctx context.Context, text []byte) error {
	if l.file == nil {
		l.open(ctx)
	}
	f := l.file
	f.ItemCount++
	f.bytes += int64(len(text))
	if _, err := f.pack.Write(text); err != nil {
		return errors.Join(err, l.close())
	}
	if f.bytes >= fileBytesMax {
		return l.close()
	}
	return nil
}

// open begins the next data file, whose name is the same in each attempt at the export.
func (l *layout) open(ctx context.Context) {
	digest := sha256.Sum256(fmt.Appendf(nil, "%s/%d", l.id, len(l.files)))
	name := storage.Join(l.data, strings.ToLower(base32.StdEncoding.EncodeToString(digest[:16])[:26])+l.suffix)
	read, write := io.Pipe()
	f := &openFile{name: name, sum: md5.New(), pipe: write, stored: make(chan stored, 1)}
	f.DataFileS3Key = storage.Join(l.prefix, name)
	f.pack, _ = gzip.NewWriterLevel(io.MultiWriter(write, f.sum), gzip.BestSpeed) // the level is one that there is
	go func() {
		object, err := l.to.Put(ctx, name, read, storage.Unknown)
		read.CloseWithError(cmpErr(err)) // who writes on learns that nobody reads
		f.stored <- stored{object, err}
	}()
	l.file = f
}

// cmpErr is an error for a pipe that is read no more.
func cmpErr(err error) error {
	if err == nil {
		return io.ErrClosedPipe
	}
	return err
}

// close ends the data file that is being written, if there is one.
func (l *layout) close() error {
	f := l.file
	if f == nil {
		return nil
	}
	l.file = nil
	packed := f.pack.Close()
	f.pipe.CloseWithError(packed) // nil: the end
	done := <-f.stored
	if done.err != nil {
		return done.err // packed is of no more news
	}
	if packed != nil {
		return packed
	}
	sum := f.sum.Sum(nil)
	f.MD5Checksum, f.ETag = base64.StdEncoding.EncodeToString(sum), done.object.ETag
	if f.ETag == "" { // a folder has none: S3's for an object of one part
		f.ETag = hex.EncodeToString(sum)
	}
	l.files = append(l.files, f.dataFile)
	return nil
}

// abort gives up the data file that is being written.
func (l *layout) abort() {
	if f := l.file; f != nil {
		l.file = nil
		f.pipe.CloseWithError(errors.New("the export was interrupted"))
		<-f.stored
	}
}

// summary is the object that describes an export. Incremental ones have another version, and more members.
type summary struct {
	Version            string  `json:"version"`
	ExportARN          string  `json:"exportArn"`
	StartTime          string  `json:"startTime"`
	EndTime            string  `json:"endTime"`
	TableARN           string  `json:"tableArn"`
	TableID            string  `json:"tableId"`
	ExportTime         *string `json:"exportTime,omitempty"`
	ExportFromTime     *string `json:"exportFromTime,omitempty"`
	ExportToTime       *string `json:"exportToTime,omitempty"`
	S3Bucket           string  `json:"s3Bucket"`
	S3Prefix           *string `json:"s3Prefix"`
	S3SSEAlgorithm     *string `json:"s3SseAlgorithm"`
	S3SSEKMSKeyID      *string `json:"s3SseKmsKeyId"`
	ManifestFilesS3Key string  `json:"manifestFilesS3Key"`
	BilledSizeBytes    int64   `json:"billedSizeBytes"`
	ItemCount          int64   `json:"itemCount"`
	OutputFormat       string  `json:"outputFormat"`
	OutputView         string  `json:"outputView,omitempty"`
	ExportType         string  `json:"exportType"`
}

// finish writes the manifests, the summary last: who finds it finds all that it speaks of.
func (l *layout) finish(ctx context.Context, s summary) error {
	var list bytes.Buffer
	lines := json.NewEncoder(&list)
	for i := range l.files {
		if err := lines.Encode(&l.files[i]); err != nil {
			return err
		}
	}
	own := storage.Join(exportFolder, l.id)
	if err := l.manifest(ctx, storage.Join(own, manifestFiles), list.Bytes()); err != nil {
		return err
	}
	s.ManifestFilesS3Key = storage.Join(l.prefix, own, manifestFiles)
	text, err := json.Marshal(&s)
	if err != nil {
		return err
	}
	return l.manifest(ctx, storage.Join(own, manifestSummary), text)
}

// manifest writes an object, and before it one with its sum.
func (l *layout) manifest(ctx context.Context, name string, text []byte) error {
	sum := md5.Sum(text)
	check := base64.StdEncoding.EncodeToString(sum[:])
	if _, err := l.to.Put(ctx, strings.TrimSuffix(name, ".json")+".md5", strings.NewReader(check), int64(len(check))); err != nil {
		return err
	}
	_, err := l.to.Put(ctx, name, bytes.NewReader(text), int64(len(text)))
	return err
}

// timeText is a moment as manifests write it; nil for none.
func timeText(ms int64) *string {
	if ms == 0 {
		return nil
	}
	text := time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
	return &text
}
