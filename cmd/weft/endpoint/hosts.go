// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// Hosts says by which names clients may call an HTTP port. A web page can reach a port through a name that an attacker
// lets resolve to the port's address, and the browser then sends that name.
type Hosts struct {
	// Own says that the port listens on an address of this machine alone, so that only its own names make sense.
	Own   bool
	Names []string // in lower case
}

// awsName is AWS's name for DynamoDB's endpoints. Clients that are sent here by a hosts file or a proxy use these
// names, and no attacker can give them an address.
var awsName = regexp.MustCompile(`^(dynamodb|\d{12}\.ddb)\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$`)

// Allows reports whether a request may have the header Host: an IP address, localhost, one of Names, or AWS's name of a
// DynamoDB endpoint. If the port is reached from other machines and there are no Names, any will do.
func (h Hosts) Allows(host string) bool {
	if !h.Own && len(h.Names) == 0 {
		return true
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
	if host == "" || host == "localhost" || strings.HasSuffix(host, ".localhost") || awsName.MatchString(host) ||
		slices.Contains(h.Names, host) {
		return true
	}
	_, err := netip.ParseAddr(host)
	return err == nil
}
