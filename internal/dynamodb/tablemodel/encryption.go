// SPDX-License-Identifier: Apache-2.0

package tablemodel

import "github.com/weftdb/weft/internal/dynamodb/exception"

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
