// SPDX-License-Identifier: Apache-2.0

package tablemodel

import "github.com/weftdb/weft/internal/dynamodb/exception"

// EncryptionMember is the specification of encryption at rest.
type EncryptionMember struct {
	Enabled        *bool
	SSEType        *string
	KMSMasterKeyID *string `json:"KMSMasterKeyId"`
}

// check judges the request by itself. Nothing here is encrypted, so only a request for no encryption passes. The
// second text is from memory.
func (e *EncryptionMember) check() error {
	switch {
	case e == nil:
	case valueOf(e.Enabled):
		return missing("SSESpecification", "encryption of tables", "leave it out or set Enabled to false, and encrypt the disk")
	case e.SSEType != nil || e.KMSMasterKeyID != nil:
		return exception.InvalidValue("SSEType and KMSMasterKeyId can not be specified when SSESpecification.Enabled is false")
	}
	return nil
}
