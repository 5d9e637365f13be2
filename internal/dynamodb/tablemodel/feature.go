// SPDX-License-Identifier: Apache-2.0

package tablemodel

import (
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// StreamSpecification asks for a stream of a table's changes, or for its end.
type StreamSpecification struct {
	StreamEnabled  *bool
	StreamViewType *string
}

// check judges the request by itself. The first text is from memory; the second is CreateTable's, and here
// UpdateTable's, too.
func (s *StreamSpecification) check() error {
	switch {
	case s == nil:
	case *s.StreamEnabled && s.StreamViewType == nil:
		return exception.InvalidValue("StreamViewType is required when StreamEnabled is true")
	case !*s.StreamEnabled && s.StreamViewType != nil:
		return exception.InvalidValue("Table is being created with a stream disabled, UpdateViewType should not be specified")
	}
	return nil
}

// against refuses to begin a stream of a table that has one, and to end one that is not there. The second text is from
// memory.
func (s *StreamSpecification) against(table *schema.Table) error {
	if s == nil {
		return nil
	}
	_, on := table.Stream()
	switch {
	case *s.StreamEnabled && on:
		return exception.Validation("Table already has an enabled stream: TableName: " + table.Name)
	case !*s.StreamEnabled && !on:
		return exception.Validation("Table does not have an enabled stream: TableName: " + table.Name)
	}
	return nil
}

// images are the parts of items that the records of the stream show; nil without a stream.
func (s *StreamSpecification) images() *schema.Images {
	if s == nil || !*s.StreamEnabled {
		return nil
	}
	images, _ := schema.ImagesOf(*s.StreamViewType)
	return &images
}

// edit begins or ends a stream.
func (s *StreamSpecification) edit(db *database.DB, table *schema.Table) error {
	if s == nil {
		return nil
	}
	if images := s.images(); images != nil {
		return db.Changes().StreamOn(table, *images)
	}
	return db.Changes().StreamOff(table)
}

// StreamDescription is the specification of a stream that is on, as DescribeTable shows it.
type StreamDescription struct {
	StreamEnabled  bool
	StreamViewType string
}

// describeStream describes the stream that is on, or the last one.
func (d *Description) describeStream(table *schema.Table) {
	d.StreamSpecification = nil
	if n := len(table.Streams); n > 0 {
		last := &table.Streams[n-1]
		d.LatestStreamLabel, d.LatestStreamArn = last.Label, d.TableArn+streamPart+last.Label
	}
	if s, ok := table.Stream(); ok {
		d.StreamSpecification = &StreamDescription{true, s.Images.String()}
	}
}

// Recovery asks for point-in-time recovery, or for its end.
type Recovery struct {
	PointInTimeRecoveryEnabled *bool
	RecoveryPeriodInDays       *int64
}

// Check judges the request by itself.
func (r *Recovery) Check() error {
	const member = "pointInTimeRecoverySpecification"
	var faults constraints
	switch {
	case r == nil:
		faults.Null(member)
	case r.PointInTimeRecoveryEnabled == nil:
		faults.Null(member + ".pointInTimeRecoveryEnabled")
	}
	if r != nil && r.RecoveryPeriodInDays != nil {
		faults.Between(true, *r.RecoveryPeriodInDays, member+".recoveryPeriodInDays", 1, schema.RecoveryDaysMax)
	}
	return faults.Err()
}

// Days is for how many days the table's changes are kept after the request.
func (r *Recovery) Days(table *schema.Table) int {
	switch {
	case !*r.PointInTimeRecoveryEnabled:
		return 0
	case r.RecoveryPeriodInDays != nil:
		return int(*r.RecoveryPeriodInDays)
	case table.Recovery != nil:
		return table.Recovery.Days
	}
	return schema.RecoveryDaysMax
}

// Backups is how a table's continuous backups are described.
type Backups struct {
	ContinuousBackupsStatus        string
	PointInTimeRecoveryDescription struct {
		PointInTimeRecoveryStatus  string
		RecoveryPeriodInDays       int     `json:",omitempty"`
		EarliestRestorableDateTime seconds `json:",omitempty"`
		LatestRestorableDateTime   seconds `json:",omitempty"`
	}
}

// DescribeRecovery describes the moments that a table can be restored to. The former state is ENABLED of every table,
// as at AWS: backups can be made of it at any time.
func DescribeRecovery(pin database.Pinned) (b Backups) {
	recovery := &b.PointInTimeRecoveryDescription
	b.ContinuousBackupsStatus, recovery.PointInTimeRecoveryStatus = "ENABLED", "DISABLED"
	r := pin.Descriptor().Recovery
	if r == nil {
		return b
	}
	recovery.PointInTimeRecoveryStatus, recovery.RecoveryPeriodInDays = "ENABLED", r.Days
	if from, to, ok := pin.Changes().Restorable(); ok {
		recovery.EarliestRestorableDateTime, recovery.LatestRestorableDateTime = seconds(from.UnixMilli()),
			seconds(to.UnixMilli())
	}
	return b
}

const (
	revisionsMax     = 255 // characters of a revision's id
	noPolicyRevision = "NO_POLICY"
)

// PolicyNotFound is the exception for a policy that is not there, or not of the expected revision. The text is from
// memory.
func PolicyNotFound(arn string) error {
	return exception.New(exception.KindPolicyNotFound,
		"Resource-based policy not found for the provided ResourceArn: "+arn)
}

// InvalidPolicy is the exception for a policy that can't be read. The text is from memory.
func InvalidPolicy(err error) error {
	return exception.Validation("Invalid policy document: " + strings.TrimPrefix(err.Error(), "policy: "))
}

// CheckPolicy judges a PutResourcePolicy's, GetResourcePolicy's or DeleteResourcePolicy's members. A nil policy is not
// there; required says that it must be.
func CheckPolicy(policy, expected *string, required bool) error {
	var faults constraints
	if policy == nil && required {
		faults.Null("policy")
	}
	if expected != nil && *expected == "" {
		faults.short("", "expectedRevisionId", 1)
	}
	if expected != nil && len(*expected) > revisionsMax {
		faults.long(*expected, "expectedRevisionId", revisionsMax)
	}
	return faults.Err()
}

// ExpectsPolicy reports whether a request is to be done only if there is a policy, of that revision.
func ExpectsPolicy(expected *string) bool {
	return expected != nil && *expected != noPolicyRevision
}

// EncryptionMember is the specification of encryption at rest.
type EncryptionMember struct {
	Enabled        *bool
	SSEType        *string
	KMSMasterKeyID *string `json:"KMSMasterKeyId"`
}

// Encryption is a request for encryption that was accepted, although nothing is encrypted.
type Encryption struct {
	SSEType string `json:"sseType"`
}

// encryptionDescription is how AWS describes encryption.
type encryptionDescription struct {
	Status          string
	SSEType         string
	KMSMasterKeyArn string
}

// notEncrypted stands where the ARN of a key would.
const notEncrypted = "not encrypted by Weft; encrypt the disk"

// Check judges the request by itself; member is its name. Nothing here is encrypted, so a request for encryption passes
// only if the server accepts them all the same. The text about members beside Enabled false is from memory.
func (e *EncryptionMember) Check(member string, accepted bool) error {
	switch {
	case e == nil:
	case valueOf(e.Enabled) && !accepted:
		return missing(member, "encryption of tables", "leave it out or set Enabled to false, and encrypt the disk")
	case valueOf(e.Enabled) && e.KMSMasterKeyID != nil:
		return missing(member+".KMSMasterKeyId", "keys of KMS", "leave it out, and encrypt the disk")
	case !valueOf(e.Enabled) && (e.SSEType != nil || e.KMSMasterKeyID != nil):
		return exception.InvalidValue("SSEType and KMSMasterKeyId can not be specified when SSESpecification.Enabled is false")
	}
	return nil
}

// after is the stored form of a request that Check has passed, in place of the one before.
func (e *EncryptionMember) after(before *Encryption) *Encryption {
	switch {
	case e == nil:
		return before
	case !valueOf(e.Enabled):
		return nil
	case e.SSEType != nil:
		return &Encryption{*e.SSEType}
	}
	return &Encryption{"KMS"}
}

// describe describes encryption as AWS does for one who looks whether the request was accepted, and says who has to
// encrypt.
func (e *Encryption) describe() *encryptionDescription {
	if e == nil {
		return nil
	}
	return &encryptionDescription{Status: "ENABLED", SSEType: e.SSEType, KMSMasterKeyArn: notEncrypted}
}
