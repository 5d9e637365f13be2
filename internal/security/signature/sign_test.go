// SPDX-License-Identifier: Apache-2.0

package signature_test

import (
	"crypto/sha256"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/security/signature"
)

// TestSign verifies what Sign has signed, and that another secret or body does not pass.
func TestSign(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, token := range []string{"", "session"} {
		body := `{"a":1}`
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:8000/",
			strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Amz-Target", "DynamoDB_20120810.ListTables")
		signature.Sign(r, []byte(body), signature.Credentials{AccessKey: "AK", Secret: "secret", Token: token},
			"us-east-1", "dynamodb", now)
		claim, fault := signature.Read(r)
		if fault != nil {
			t.Fatal(fault)
		}
		if claim.AccessKey != "AK" || claim.Token != token || claim.VerifyTime(now) != nil {
			t.Errorf("%+v", claim)
		}
		for _, test := range []struct {
			secret, body string
			passes       bool
		}{{"secret", body, true}, {"other", body, false}, {"secret", "{}", false}} {
			sum, key := sha256.Sum256([]byte(test.body)), signature.NewKey(test.secret, claim.Scope)
			if fault := claim.Verify(&key, r, &sum); (fault == nil) != test.passes {
				t.Errorf("%+v: %v", test, fault)
			}
		}
	}
}
