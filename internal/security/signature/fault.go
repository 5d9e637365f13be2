// SPDX-License-Identifier: Apache-2.0

package signature

import "fmt"

// Fault is why a request is not let in: the name of AWS's exception, and its text.
type Fault struct {
	Name    string
	Message string
	// Detail is the canonical request and the string to sign that the signature should have been made of, where the
	// signature is wrong. It helps to find a client's mistake, and quotes the request's headers.
	Detail string
}

func (f *Fault) Error() string { return f.Name + ": " + f.Message }

// The names of AWS's exceptions.
const (
	MissingToken       = "MissingAuthenticationTokenException"
	Incomplete         = "IncompleteSignatureException"
	Invalid            = "InvalidSignatureException"
	UnrecognizedClient = "UnrecognizedClientException"
	Throttled          = "ThrottlingException"
)

const mismatch = "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. " +
	"Consult the service documentation for details."

// Unrecognized is the answer to an access key that there is none of, that is disabled, or that comes with an unknown
// session token. The cases are not distinguished.
func Unrecognized() *Fault {
	return &Fault{Name: UnrecognizedClient, Message: "The security token included in the request is invalid."}
}

// Throttle is the answer to a client whose signatures were wrong too often. It does not report whether this one was.
func Throttle() *Fault {
	return &Fault{Name: Throttled, Message: "Too many requests with wrong signatures or unknown access keys came from this address: try again later."}
}

func incomplete(format string, args ...any) *Fault {
	return &Fault{Name: Incomplete, Message: fmt.Sprintf(format, args...)}
}

func invalid(format string, args ...any) *Fault {
	return &Fault{Name: Invalid, Message: fmt.Sprintf(format, args...)}
}
