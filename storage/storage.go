// SPDX-License-Identifier: Apache-2.0

// Package storage is a place for objects outside of the database: backups, exports and files to import. An object is a
// name and some bytes that are written as a whole. Folder keeps objects as files; package storage/s3 in a bucket.
//
// # Promises of every storage
//
//   - An object appears under its name whole or not at all, and replaces another one of that name in the same step.
//   - Once Put has returned nil, the object is durable, and every Get and List shows it.
//   - Names are listed in the order of their bytes.
//   - An object may not be inside another one: a writer of a/b never writes a/b/c.
//
// Knows: names, bytes, ranges of bytes.
// Never: what objects hold, encryption, credentials.
package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"strings"
	"time"
	"unicode/utf8"
)

// ErrNotFound is wrapped by the error of a Get of an object that is not there.
var ErrNotFound = errors.New("storage: there is no such object")

// ErrNoBucket is wrapped by the error of a storage that is not there as a whole.
var ErrNoBucket = errors.New("storage: there is no such bucket")

// ErrDenied is wrapped by the error of a storage that does not let its user do what was asked.
var ErrDenied = errors.New("storage: access denied")

// NameBytesMax is the longest name of an object, with what the storage itself puts in front.
const NameBytesMax = 900

// Unknown is the size of an object whose size is not known yet.
const Unknown = -1

// Object describes an object of a storage.
type Object struct {
	Name     string
	Size     int64
	Modified time.Time
	ETag     string // what the storage calls this content; "" if it has no name for it
}

// Storage keeps objects. All methods are safe for concurrent use.
type Storage interface {
	// Put writes an object of size bytes, or of as many as body has if size is Unknown. A body with fewer or more bytes
	// is an error, and nothing is written.
	Put(ctx context.Context, name string, body io.Reader, size int64) (Object, error)
	// Get opens the bytes of an object from offset on: length of them, or all if length is negative. Fewer come if the
	// object ends before. The caller closes what it returns. Errors: ErrNotFound, at once or from the first Read.
	Get(ctx context.Context, name string, offset, length int64) (io.ReadCloser, error)
	// List yields the objects whose names begin with prefix and sort after the name after, in order. It ends with the
	// first error.
	List(ctx context.Context, prefix, after string) iter.Seq2[Object, error]
	// Delete removes an object. One that is not there is no error.
	Delete(ctx context.Context, name string) error
}

// CheckName returns an error for a text that is no name of an object: names are parts with slashes between them, and no
// part is empty, "." or "..".
func CheckName(name string) error {
	switch {
	case name == "":
		return errors.New("storage: the name of an object is empty")
	case len(name) > NameBytesMax:
		return fmt.Errorf("storage: the name %.40q.. has %d bytes; use at most %d", name, len(name), NameBytesMax)
	case !utf8.ValidString(name) || strings.ContainsFunc(name,
		func(r rune) bool { return r < ' ' || r == '\\' || r == 0x7f }):
		return fmt.Errorf("storage: %.80q can't be the name of an object: it has control characters or backslashes, or is not UTF-8", name)
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." || strings.HasPrefix(part, temporary) {
			return fmt.Errorf("storage: %.80q can't be the name of an object: no part may be empty, ., .. or begin with %s", name, temporary)
		}
	}
	return nil
}

// temporary begins the names of files that are being written.
const temporary = ".weft-new-"

// ReadAll returns an object of at most limit bytes. Errors: ErrNotFound, one that says so for a longer object.
func ReadAll(ctx context.Context, s Storage, name string, limit int64) ([]byte, error) {
	body, err := s.Get(ctx, name, 0, limit+1)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(body)
	if err := errors.Join(err, body.Close()); err != nil {
		return nil, err
	}
	if int64(len(text)) > limit {
		return nil, fmt.Errorf("storage: %s has more than %d bytes", name, limit)
	}
	return text, nil
}

// Below returns the part of a storage whose names begin with prefix and a slash, without them.
func Below(s Storage, prefix string) Storage {
	prefix = strings.Trim(prefix, "/")
	if prefix == "" {
		return s
	}
	return &below{s, prefix + "/"}
}

type below struct {
	Storage
	prefix string
}

func (b *below) Put(ctx context.Context, name string, body io.Reader, size int64) (Object, error) {
	o, err := b.Storage.Put(ctx, b.prefix+name, body, size)
	o.Name = name
	return o, err
}

func (b *below) Get(ctx context.Context, name string, offset, length int64) (io.ReadCloser, error) {
	return b.Storage.Get(ctx, b.prefix+name, offset, length)
}

func (b *below) Delete(ctx context.Context, name string) error {
	return b.Storage.Delete(ctx, b.prefix+name)
}

func (b *below) List(ctx context.Context, prefix, after string) iter.Seq2[Object, error] {
	if after != "" {
		after = b.prefix + after
	}
	return func(yield func(Object, error) bool) {
		for o, err := range b.Storage.List(ctx, b.prefix+prefix, after) {
			o.Name = strings.TrimPrefix(o.Name, b.prefix)
			if !yield(o, err) {
				return
			}
		}
	}
}

// Join joins parts of a name, empty ones left out.
func Join(parts ...string) string { return path.Join(parts...) }
