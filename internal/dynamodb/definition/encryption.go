// SPDX-License-Identifier: Apache-2.0

package definition

import "github.com/weftdb/weft/internal/dynamodb/exception"

// Encryption is the specification of encryption at rest as it was given. It is kept and described; nothing is encrypted by it.
type Encryption struct {
	Enabled        bool
	SSEType        string `json:",omitempty"`
	KMSMasterKeyID string `json:"KMSMasterKeyId,omitempty"`
}

// check judges the request by itself. The texts are from memory.
func (e *Encryption) check() error {
	switch {
	case e == nil:
	case !e.Enabled && (e.SSEType != "" || e.KMSMasterKeyID != ""):
		return exception.InvalidValue("SSEType and KMSMasterKeyId can not be specified when SSESpecification.Enabled is false")
	case e.SSEType == "AES256":
		return exception.InvalidValue("SSEType AES256 is not supported")
	}
	return nil
}

// against refuses to encrypt once more by the key that is in use. The text is from memory.
func (e *Encryption) against(had *Encryption) error {
	if e != nil && e.Enabled && had != nil && had.Enabled && e.KMSMasterKeyID == had.KMSMasterKeyID {
		return exception.InvalidValue("Table is already encrypted by given KMSMasterKeyId")
	}
	return nil
}

// described shows what is not the key that Amazon owns and never mentions.
func (e *Encryption) described(a Account) *sseDescription {
	if e == nil || !e.Enabled {
		return nil
	}
	return &sseDescription{"ENABLED", "KMS", a.keyARN(e.KMSMasterKeyID)}
}
