// SPDX-License-Identifier: Apache-2.0

package schema

import "slices"

// Images say what the journal keeps of each change of a row.
type Images uint8

// The images. Without any the journal keeps the row's key.
const (
	NewImage Images = 1 << iota // the row after the change
	OldImage                    // the row before it
)

// imageNames are the names of Images in every API. // immutable
var imageNames = [...]string{0: "KEYS_ONLY", NewImage: "NEW_IMAGE", OldImage: "OLD_IMAGE",
	NewImage | OldImage: "NEW_AND_OLD_IMAGES"}

// ImageNames are the names that ImagesOf knows.
func ImageNames() []string { return imageNames[:] }

// String is the name of the images, such as KEYS_ONLY.
func (i Images) String() string { return imageNames[i] }

// ImagesOf are the images of a name.
func ImagesOf(name string) (i Images, ok bool) {
	at := slices.Index(imageNames[:], name)
	return Images(max(at, 0)), at >= 0
}

// StreamHours is for how long the changes of a stream can be read.
const StreamHours = 24

// RecoveryDaysMax is the number of days for which a table's changes can be kept to restore it.
const RecoveryDaysMax = 35

// Stream is the changes of a table's rows for programs to read. Each has a label of its own, so that one that is
// switched on again is another one.
type Stream struct {
	Label string `json:"label"`
	// Images are the parts of a row, besides the key, that its records show.
	Images Images `json:"images,omitempty"`
	// CreatedAtMS and EndedAtMS are when it was switched on and off, Unix milliseconds. EndedAtMS is 0 while it is on.
	CreatedAtMS int64 `json:"createdAtMS"`
	EndedAtMS   int64 `json:"endedAtMS,omitempty"`
	// ClosedAtMS is the time from which on no commit has changes for it, Unix milliseconds; 0 while there may be
	// writers that think that it is on.
	ClosedAtMS int64 `json:"closedAtMS,omitempty"`
}

// Destination is a stream of Kinesis that the changes of a table's rows go to.
type Destination struct {
	ARN string `json:"arn"`
	// Micro says that the times of changes are given in microseconds, not milliseconds.
	Micro bool `json:"micro,omitempty"`
	// CreatedAtMS, EndedAtMS and ClosedAtMS are as those of a Stream.
	CreatedAtMS int64 `json:"createdAtMS"`
	EndedAtMS   int64 `json:"endedAtMS,omitempty"`
	ClosedAtMS  int64 `json:"closedAtMS,omitempty"`
	// Reached says that the service knows the stream. Fault is why changes can never go there; then it has ended.
	Reached bool   `json:"reached,omitempty"`
	Fault   string `json:"fault,omitempty"`
}

// Destination returns the destination that is switched on. ok is false if none is.
func (t *Table) Destination() (d *Destination, ok bool) {
	for i := range t.Destinations {
		if t.Destinations[i].EndedAtMS == 0 {
			return &t.Destinations[i], true
		}
	}
	return nil, false
}

// Recovery says that a table can be restored as it was at any moment of the last days.
type Recovery struct {
	// the first such moment, Unix milliseconds; 0 while there may be writers that keep no changes
	SinceMS int64 `json:"sinceMS"`
	Days    int   `json:"days"`
}

// Stream returns the stream that is switched on. ok is false if none is.
func (t *Table) Stream() (s *Stream, ok bool) {
	for i := range t.Streams {
		if t.Streams[i].EndedAtMS == 0 {
			return &t.Streams[i], true
		}
	}
	return nil, false
}

// Journaled reports whether the changes of the table's rows are kept in the journal, and with which images.
func (t *Table) Journaled() (images Images, yes bool) {
	if s, ok := t.Stream(); ok {
		images, yes = images|s.Images, true
	}
	if _, ok := t.Destination(); ok || t.Recovery != nil {
		images, yes = NewImage|OldImage, true
	}
	if t.IsFollowed() {
		images, yes = images|OldImage, true
	}
	return images, yes
}

// IsFollowed reports whether the changes of the table's rows are followed by a job, for an asynchronous index.
func (t *Table) IsFollowed() bool {
	for i := range t.Indexes {
		if x := &t.Indexes[i]; x.Async != nil && x.State != Dropping {
			return true
		}
	}
	return false
}

// NeedsFollowing reports whether there may be changes by now that were left to that job. Writers may be a stage ahead.
func (t *Table) NeedsFollowing() bool {
	for i := range t.Indexes {
		if x := &t.Indexes[i]; x.Async != nil && x.State != Dropping && x.State != DeleteOnly && x.State != WriteOnly {
			return true
		}
	}
	return false
}

// JournalHours is the time the table's changes are kept for a stream, or to restore it.
func (t *Table) JournalHours() int {
	hours := StreamHours
	if t.Recovery != nil {
		hours = max(hours, 24*t.Recovery.Days)
	}
	return hours
}

// JournalSettled reports whether every writer knows whether changes are kept.
func (t *Table) JournalSettled() bool {
	for i := range t.Streams {
		if s := &t.Streams[i]; s.EndedAtMS != 0 && s.ClosedAtMS == 0 {
			return false
		}
	}
	for i := range t.Destinations {
		if d := &t.Destinations[i]; d.EndedAtMS != 0 && d.ClosedAtMS == 0 {
			return false
		}
	}
	return t.Recovery == nil || t.Recovery.SinceMS != 0
}

// SettleJournal notes that after a moment nobody writes as if a stream that was switched off were on, or as if changes
// were not kept that are. The table can be restored to the moment itself: what was written before it and not kept is
// part of it.
func (t *Table) SettleJournal(atMS int64) {
	for i := range t.Streams {
		if s := &t.Streams[i]; s.EndedAtMS != 0 && s.ClosedAtMS == 0 {
			s.ClosedAtMS = max(atMS, s.EndedAtMS) + 1
		}
	}
	for i := range t.Destinations {
		if d := &t.Destinations[i]; d.EndedAtMS != 0 && d.ClosedAtMS == 0 {
			d.ClosedAtMS = max(atMS, d.EndedAtMS) + 1
		}
	}
	if t.Recovery != nil && t.Recovery.SinceMS == 0 {
		t.Recovery.SinceMS = atMS
	}
}
