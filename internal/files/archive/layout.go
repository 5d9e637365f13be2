// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/weftdb/weft/storage"
)

// The names that AWS gives the manifests of exports, which those of archives have, too.
const (
	ManifestSummary = "manifest-summary.json"
	ManifestFiles   = "manifest-files.json"
)

// fileBytesMax is about the number of bytes of rows' text in one data file, before compression.
const fileBytesMax = 128 << 20

// Layout writes the data files and the manifests of one exported table.
type Layout struct {
	To storage.Storage // below the prefix
	// Prefix stands in front of the names of data files in manifests.
	Prefix string
	// Own is the folder of the manifests, and Data that of the data files.
	Own, Data string
	// Suffix ends the names of data files. Those that end with .gz are packed.
	Suffix string
	// Name returns the name, without suffix, of a data file by its number: the same in each attempt at an export.
	Name func(number int) string

	files []dataFile
	file  *openFile
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
	io.Writer
	name   string
	pack   *gzip.Writer // nil: what is written is packed
	sum    hash.Hash
	pipe   *io.PipeWriter
	stored chan storedDefinition
	bytes  int64
}

type storedDefinition struct {
	object storage.Object
	err    error
}

// Write appends the text of one row.
func (l *Layout) Write(ctx context.Context, text []byte) error {
	out, _ := l.Open(ctx)
	if _, err := out.Write(text); err != nil {
		return errors.Join(err, l.Close())
	}
	if l.Count(1, int64(len(text))) {
		return l.Close()
	}
	return nil
}

// Open returns the data file that is being written, and reports whether it was begun by this call.
func (l *Layout) Open(ctx context.Context) (out io.Writer, begun bool) {
	if begun = l.file == nil; begun {
		l.open(ctx)
	}
	return l.file, begun
}

// Count notes rows in the open data file, and how many bytes of text they have. full says that it is long enough to be
// closed.
func (l *Layout) Count(rows, bytes int64) (full bool) {
	l.file.ItemCount += rows
	l.file.bytes += bytes
	return l.file.bytes >= fileBytesMax
}

// Files says how many data files there are, with the open one.
func (l *Layout) Files() int {
	n := len(l.files)
	if l.file != nil {
		n++
	}
	return n
}

// open begins the next data file.
func (l *Layout) open(ctx context.Context) {
	name := storage.Join(l.Data, l.Name(len(l.files))+l.Suffix)
	read, write := io.Pipe()
	f := &openFile{name: name, sum: md5.New(), pipe: write, stored: make(chan storedDefinition, 1)}
	f.DataFileS3Key = storage.Join(l.Prefix, name)
	f.Writer = io.MultiWriter(write, f.sum)
	if strings.HasSuffix(l.Suffix, ".gz") {
		f.pack, _ = gzip.NewWriterLevel(f.Writer, gzip.BestSpeed) // the level is one that there is
		f.Writer = f.pack
	}
	go func() {
		object, err := l.To.Put(ctx, name, read, storage.Unknown)
		read.CloseWithError(cmpErr(err)) // who writes on learns that nobody reads
		f.stored <- storedDefinition{object, err}
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

// Close ends the data file that is being written, if there is one.
func (l *Layout) Close() error {
	f := l.file
	if f == nil {
		return nil
	}
	l.file = nil
	var packed error
	if f.pack != nil {
		packed = f.pack.Close()
	}
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

// Abort gives up the data file that is being written.
func (l *Layout) Abort() {
	if f := l.file; f != nil {
		l.file = nil
		f.pipe.CloseWithError(errors.New("the export was interrupted"))
		<-f.stored
	}
}

// Summary is the object that describes an export. Incremental ones have another version, and more members.
type Summary struct {
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

// Finish writes the manifests, the summary last: a reader that finds it finds all files that it names.
func (l *Layout) Finish(ctx context.Context, s Summary) error {
	var list bytes.Buffer
	lines := json.NewEncoder(&list)
	for i := range l.files {
		if err := lines.Encode(&l.files[i]); err != nil {
			return err
		}
	}
	if err := l.manifest(ctx, storage.Join(l.Own, ManifestFiles), list.Bytes()); err != nil {
		return err
	}
	s.ManifestFilesS3Key = storage.Join(l.Prefix, l.Own, ManifestFiles)
	text, err := json.Marshal(&s)
	if err != nil {
		return err
	}
	return l.manifest(ctx, storage.Join(l.Own, ManifestSummary), text)
}

// manifest writes an object, and before it one with its sum.
func (l *Layout) manifest(ctx context.Context, name string, text []byte) error {
	sum := md5.Sum(text)
	check := base64.StdEncoding.EncodeToString(sum[:])
	if _, err := l.To.Put(ctx, strings.TrimSuffix(name, ".json")+".md5", strings.NewReader(check),
		int64(len(check))); err != nil {
		return err
	}
	_, err := l.To.Put(ctx, name, bytes.NewReader(text), int64(len(text)))
	return err
}
