// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// algorithmParameter is the parameter of the query that says that the signature is in the query.
const algorithmParameter = "X-Amz-Algorithm"

// What a signature consists of, in the order in which AWS asks for it.
var (
	headerParts = [...]string{"Credential", "Signature", "SignedHeaders"}                                                     // immutable
	queryParts  = [...]string{algorithmParameter, "X-Amz-Credential", "X-Amz-Signature", "X-Amz-SignedHeaders", "X-Amz-Date"} // immutable
)

// authorizationFault is the answer to a request without anything that has the form of a signature, nil if there is one. Whether the signature
// is right is not looked at.
func authorizationFault(r *http.Request) *exception.Error {
	authorization := first(r.Header["Authorization"])
	if r.URL.RawQuery != "" {
		query, _ := url.ParseQuery(r.URL.RawQuery) // what can't be read of it is not there
		if query.Has(algorithmParameter) {
			if authorization != "" {
				return exception.New(exception.KindSignatureInvalid, "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.")
			}
			return queryFault(query)
		}
	}
	if !strings.HasPrefix(authorization, "AWS4-") {
		return exception.New(exception.KindTokenMissing, "Request is missing Authentication Token")
	}
	dated := first(r.Header["X-Amz-Date"]) != "" || first(r.Header["Date"]) != ""
	return headerFault(authorization, dated)
}

// headerFault names what a header Authorization lacks. Its parts stand after the name of the algorithm, parted by commas or blanks.
func headerFault(authorization string, dated bool) *exception.Error {
	var found [len(headerParts)]bool
	for _, rest := cutPart(authorization); rest != ""; {
		var part string
		if part, rest = cutPart(rest); part == "" {
			break
		}
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return exception.New(exception.KindSignatureIncomplete,
				"'"+part+"' not a valid key=value pair (missing equal-sign) in Authorization header: '"+authorization+"'.")
		}
		for i := range headerParts {
			found[i] = found[i] || name == headerParts[i] && value != ""
		}
	}
	if found == [...]bool{true, true, true} && dated {
		return nil
	}
	var text strings.Builder
	for i, name := range headerParts {
		if !found[i] {
			text.WriteString("Authorization header requires '" + name + "' parameter. ")
		}
	}
	if !dated {
		text.WriteString("Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ")
	}
	return exception.New(exception.KindSignatureIncomplete, text.String()+"Authorization="+authorization)
}

// cutPart returns the first part of a header's value and what stands behind it.
func cutPart(text string) (part, rest string) {
	for text != "" && (text[0] == ',' || text[0] == ' ') {
		text = text[1:]
	}
	end := 0
	for end < len(text) && text[end] != ',' && text[end] != ' ' {
		end++
	}
	return text[:end], text[end:]
}

// queryFault names what a signature in the query lacks.
func queryFault(query url.Values) *exception.Error {
	var text strings.Builder
	for _, name := range queryParts {
		if query.Get(name) == "" {
			text.WriteString("AWS query-string parameters must include '" + name + "'. ")
		}
	}
	if text.Len() == 0 {
		return nil
	}
	return exception.New(exception.KindSignatureIncomplete, text.String()+"Re-examine the query-string parameters.")
}
