// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/security/signature"
)

// FuzzAuthorization looks at any header and query. What is accepted has all parts; a refusal is JSON with one of three
// exceptions.
func FuzzAuthorization(f *testing.F) {
	f.Add("AWS4-HMAC-SHA256 Credential=a, SignedHeaders=b, Signature=c", "", "20260921T101112Z")
	f.Add("AWS4-", "X-Amz-Algorithm", "")
	f.Add("", "X-Amz-Algorithm=1&X-Amz-Credential=2&X-Amz-Signature=3&X-Amz-SignedHeaders=4&X-Amz-Date=5", "")
	f.Add("AWS4-x Credential,\xff=\"", "%zz;=&X-Amz-Algorithm", "x")
	f.Fuzz(func(t *testing.T, authorization, query, date string) {
		r := &http.Request{URL: &url.URL{RawQuery: query},
			Header: http.Header{"Authorization": {authorization}, "X-Amz-Date": {date}}}
		fault := exceptionOf(signature.CheckForm(r))
		if fault == nil {
			for _, part := range [...]string{"Credential", "Signature", "SignedHeaders"} {
				if !strings.Contains(authorization, part+"=") && !strings.Contains(query, "X-Amz-") {
					t.Errorf("accepted without %s", part)
				}
			}
			return
		}
		switch fault.Name() {
		case "MissingAuthenticationTokenException", "InvalidSignatureException", "IncompleteSignatureException":
		default:
			t.Error(fault)
		}
		if body := fault.AppendJSON(nil); !json.Valid(body) {
			t.Errorf("%q is no JSON", body)
		}
	})
}
