// SPDX-License-Identifier: Apache-2.0

package signature

import (
	"net/http"
	"net/url"
	"strings"
)

// form is the parts of a signature as a request writes them.
type form struct {
	algorithm, credential, signature, headers, date, expires, token string
	presigned                                                       bool
}

// algorithmParameter is the parameter of a query that says that the signature is there.
const algorithmParameter = "X-Amz-Algorithm"

// CheckForm returns a fault if a request carries nothing of the form of a signature. Whether the signature is right is
// not looked at.
func CheckForm(r *http.Request) *Fault {
	var f form
	return f.read(r)
}

// Named returns the access key and the region that a request names, whether it is signed by that key or not; "" for
// what it does not name.
func Named(r *http.Request) (accessKey, region string) {
	var f form
	if f.read(r) != nil {
		return "", ""
	}
	accessKey, rest, _ := strings.Cut(f.credential, "/")
	_, rest, _ = strings.Cut(rest, "/") // the date
	region, _, _ = strings.Cut(rest, "/")
	return accessKey, region
}

func (f *form) read(r *http.Request) *Fault {
	authorization := first(r.Header["Authorization"])
	if r.URL.RawQuery != "" {
		query, _ := url.ParseQuery(r.URL.RawQuery) // what can't be read of it is not there
		if query.Has(algorithmParameter) {
			if authorization != "" {
				return invalid("Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.")
			}
			return f.readQuery(query)
		}
	}
	if !strings.HasPrefix(authorization, "AWS4-") {
		return &Fault{Name: MissingToken, Message: "Request is missing Authentication Token"}
	}
	return f.readHeader(r, authorization)
}

func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// readHeader reads the parts of an Authorization header. They stand after the name of the algorithm, parted by commas
// or blanks.
func (f *form) readHeader(r *http.Request, authorization string) *Fault {
	algorithm, rest := cutPart(authorization)
	f.algorithm = algorithm
	for rest != "" {
		var part string
		if part, rest = cutPart(rest); part == "" {
			break
		}
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return incomplete("'%s' not a valid key=value pair (missing equal-sign) in Authorization header: '%s'.",
				part, authorization)
		}
		switch name {
		case "Credential":
			f.credential = value
		case "Signature":
			f.signature = value
		case "SignedHeaders":
			f.headers = value
		}
	}
	if f.date = first(r.Header["X-Amz-Date"]); f.date == "" {
		f.date = isoOf(first(r.Header["Date"]))
	}
	f.token = first(r.Header["X-Amz-Security-Token"])
	if f.credential != "" && f.signature != "" && f.headers != "" && f.date != "" {
		return nil
	}
	var text strings.Builder
	for _, part := range [...]struct{ name, value string }{{"Credential", f.credential}, {"Signature", f.signature},
		{"SignedHeaders", f.headers}} {
		if part.value == "" {
			text.WriteString("Authorization header requires '" + part.name + "' parameter. ")
		}
	}
	if f.date == "" {
		text.WriteString("Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ")
	}
	return incomplete("%sAuthorization=%s", text.String(), authorization)
}

// cutPart returns the first part of a header's value and what stands behind it.
func cutPart(text string) (part, rest string) {
	for text != "" && (text[0] == ',' || text[0] == ' ') {
		text = text[1:]
	}
	end := strings.IndexByte(text, ',')
	if end < 0 {
		end = len(text)
	}
	if space := strings.IndexByte(text[:end], ' '); space >= 0 {
		end = space
	}
	return text[:end], text[end:]
}

// isoOf writes the time of a Date header as X-Amz-Date does. AWS's own form may stand there as well.
func isoOf(date string) string {
	at, err := http.ParseTime(date)
	if err != nil {
		return date
	}
	return at.UTC().Format(timeLayout)
}

// readQuery reads the parts of a presigned request.
func (f *form) readQuery(query url.Values) *Fault {
	f.presigned = true
	var text strings.Builder
	for _, part := range [...]struct {
		name string
		into *string
	}{
		{algorithmParameter, &f.algorithm}, {"X-Amz-Credential", &f.credential}, {"X-Amz-Signature", &f.signature},
		{"X-Amz-SignedHeaders", &f.headers}, {"X-Amz-Date", &f.date},
	} {
		if *part.into = query.Get(part.name); *part.into == "" {
			text.WriteString("AWS query-string parameters must include '" + part.name + "'. ")
		}
	}
	f.expires, f.token = query.Get("X-Amz-Expires"), query.Get("X-Amz-Security-Token")
	if text.Len() == 0 {
		return nil
	}
	return incomplete("%sRe-examine the query-string parameters.", text.String())
}
