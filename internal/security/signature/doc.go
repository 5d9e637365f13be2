// SPDX-License-Identifier: Apache-2.0

// Package signature verifies AWS Signature Version 4, as SDKs sign requests in the Authorization header or, presigned,
// in the query. It follows "AWS Signature Version 4 for API requests" in AWS's IAM user guide; faults have the names
// and texts of AWS's services.
//
// Knows: the forms of a signed request, the canonical request, signing keys, the time for which a signature holds.
// Never: where secrets are kept, what a caller may do, sockets.
package signature
