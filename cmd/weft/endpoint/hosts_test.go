// SPDX-License-Identifier: Apache-2.0

package endpoint

import "testing"

// TestHosts: names that an attacker's name server can give a meaning are not this machine's own.
func TestHosts(t *testing.T) {
	own, public, named := Hosts{Own: true}, Hosts{}, Hosts{Names: []string{"db.example"}}
	for _, one := range []struct {
		host               string
		own, public, named bool
	}{
		{"", true, true, true},
		{"127.0.0.1:8000", true, true, true},
		{"127.0.0.1", true, true, true},
		{"[::1]:8000", true, true, true},
		{"::1", true, true, true},
		{"10.1.2.3", true, true, true},
		{"LocalHost.:80", true, true, true},
		{"a.localhost", true, true, true},
		{"localhost.example", false, true, false},
		{"127.0.0.1.example:8000", false, true, false},
		{"DB.example:443", false, true, true},
		{"dynamodb.us-east-1.amazonaws.com", true, true, true},
		{"123456789012.ddb.us-east-1.amazonaws.com:443", true, true, true},
		{"dynamodb.us-east-1.amazonaws.com.example", false, true, false},
		{"dynamodb.us-east-1.elb.amazonaws.com", false, true, false},
		{"x.db.example", false, true, false},
	} {
		if own.Allows(one.host) != one.own || public.Allows(one.host) != one.public ||
			named.Allows(one.host) != one.named {
			t.Errorf("%q: %v %v %v", one.host, own.Allows(one.host), public.Allows(one.host), named.Allows(one.host))
		}
	}
}
