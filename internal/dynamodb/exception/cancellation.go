// SPDX-License-Identifier: Apache-2.0

package exception

import (
	"fmt"
	"strings"

	"github.com/weftdb/weft/internal/dynamodb/attributejson"
)

// Reason is why one action of a transaction can't be done; the zero Reason is none.
type Reason struct {
	Code, Message string
	Item          []byte // as JSON, nil for none
}

// Reasons holds a reason for each action of a transaction, in their order.
type Reasons []Reason

// Refuse notes a ValidationError. Only the first of a transaction is reported.
func (r Reasons) Refuse(i int, message string) {
	for j := range r {
		if r[j].Code == "ValidationError" {
			return
		}
	}
	r[i] = Reason{Code: "ValidationError", Message: message}
}

// Err is the TransactionCanceledException, nil if there is no reason for one.
func (r Reasons) Err() error {
	codes, list, any := make([]string, len(r)), []byte(`"CancellationReasons":[`), false
	for i := range r {
		if i > 0 {
			list = append(list, ',')
		}
		codes[i] = "None"
		if r[i].Code != "" {
			codes[i], any = r[i].Code, true
		}
		list = r[i].append(list, codes[i])
	}
	if !any {
		return nil
	}
	e := New(KindTransactionCanceled,
		fmt.Sprintf("Transaction cancelled, please refer cancellation reasons for specific reasons [%s]",
			strings.Join(codes, ", ")))
	e.Extra = append(list, ']')
	return e
}

func (r *Reason) append(dst []byte, code string) []byte {
	dst = append(dst, '{')
	if r.Item != nil {
		dst = append(attributejson.AppendMember(dst, "Item"), r.Item...)
	}
	dst = attributejson.AppendString(attributejson.AppendMember(dst, "Code"), []byte(code))
	if r.Message != "" {
		dst = attributejson.AppendString(attributejson.AppendMember(dst, "Message"), []byte(r.Message))
	}
	return append(dst, '}')
}
