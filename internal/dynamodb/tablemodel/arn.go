// SPDX-License-Identifier: Apache-2.0

package tablemodel

import (
	"regexp"
	"strings"

	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// Account is the one account in the one region that a server is: it makes and reads ARNs.
type Account struct{ Region, ID string }

const arnPrefix = "arn:aws:dynamodb:"

// TableARN is the name by which Amazon's other services would know a table.
func (a Account) TableARN(table string) string {
	return arnPrefix + a.Region + ":" + a.ID + ":table/" + table
}

// StreamARN is the ARN of a stream of a table.
func (a Account) StreamARN(table, label string) string { return a.TableARN(table) + streamPart + label }

const streamPart = "/stream/"

// Stream is the table and the label that a member StreamArn names. Errors: those of Table.
func (a Account) Stream(text, operation string) (table, label string, err error) {
	x, err := a.resource(text, operation)
	if err != nil {
		return "", "", err
	}
	label, ok := strings.CutPrefix("/"+x.part, streamPart)
	if !ok {
		return "", "", invalidARN(text)
	}
	return x.table, label, nil
}

// arn is the ARN of a table, an index or a stream of DynamoDB's.
type arn struct {
	account Account
	table   string
	part    string // "index/" or "stream/" and a name; "" for the table itself
}

// parseARN reads an ARN; ok is false if it is none of DynamoDB's.
func parseARN(text string) (x arn, ok bool) {
	rest, ok := strings.CutPrefix(text, arnPrefix)
	if !ok {
		return x, false
	}
	parts := strings.SplitN(rest, ":", 3)
	if len(parts) != 3 {
		return x, false
	}
	x.account = Account{Region: parts[0], ID: parts[1]}
	resource, ok := strings.CutPrefix(parts[2], "table/")
	if !ok || x.account.Region == "" || !isAccountID(x.account.ID) {
		return x, false
	}
	x.table, x.part, _ = strings.Cut(resource, "/")
	// An id too short for Weft may have been made elsewhere.
	if x.table == "" || len(x.table) > nameLengthMax || strings.IndexFunc(x.table, foreign) >= 0 {
		return x, false
	}
	return x, x.hasPart(len(resource) > len(x.table))
}

// hasPart reports whether what follows the table's name is an index or a stream; a slash without either is a mistake.
func (x *arn) hasPart(slash bool) bool {
	kind, name, _ := strings.Cut(x.part, "/")
	return !slash || (kind == "index" || kind == "stream") && name != "" && !strings.Contains(name, "/")
}

func isAccountID(text string) bool {
	return len(text) == 12 && strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

// Table is the name of a table that a request for an operation gave as it is or by its ARN. It allocates nothing for a
// plain name. Errors: a ValidationException for what is no ARN of a table, an AccessDeniedException for a table of
// another account, a ResourceNotFoundException for one of another region, whose tables Amazon would look for at another
// address.
func (a Account) Table(name, operation string) (string, error) {
	if !strings.HasPrefix(name, "arn:") {
		return name, nil
	}
	x, err := a.resource(name, operation)
	if err == nil && x.part != "" {
		return "", invalidARN(name)
	}
	return x.table, err
}

// Resource is the table that a member ResourceArn names, and the part of the table: "" for the table itself, or
// "stream/" and a stream's label. Errors: those of Table. A name that is no ARN is refused here, and so is one that is
// too short to be made through this API.
func (a Account) Resource(text *string, operation string) (table, part string, err error) {
	if text == nil {
		return "", "", exception.Validation("Invalid TableArn")
	}
	x, err := a.resource(*text, operation)
	if err == nil && (strings.HasPrefix(x.part, "index/") || len(x.table) < nameLengthMin) {
		err = invalidARN(*text)
	}
	return x.table, x.part, err
}

// IsForeign reports whether a ResourceArn has the form of an ARN, such as "a:b:c:d:e:f/g", but begins as none does. AWS
// looks at it after the members of the request.
func IsForeign(text *string) bool {
	return text != nil && !strings.HasPrefix(*text, "arn:") && foreignPattern.MatchString(*text)
}

// foreignPattern is the form of an ARN. // immutable
var foreignPattern = regexp.MustCompile(`^[^:]+(:[^:]+){4}:.+/.+$`)

func (a Account) resource(text, operation string) (arn, error) {
	x, ok := parseARN(text)
	switch {
	case !ok:
		return arn{}, invalidARN(text)
	case x.account.ID != a.ID:
		return arn{}, a.AccessDenied(text, operation)
	case x.account.Region != a.Region:
		return arn{}, exception.New(exception.KindResourceNotFound, "Requested resource not found")
	}
	return x, nil
}

func invalidARN(text string) error {
	return exception.Validation("Invalid TableArn: Invalid ResourceArn provided as input " + text)
}

// AccessDenied is Amazon's answer about a resource whose existence it does not reveal.
func (a Account) AccessDenied(arn, operation string) error {
	return exception.New(exception.KindAccessDenied,
		"User: arn:aws:iam::"+a.ID+":root is not authorized to perform: dynamodb:"+operation+" on resource: "+arn)
}

// NotFound is the answer of requests about tables for a table that does not exist.
func NotFound(table string) error {
	return exception.New(exception.KindResourceNotFound, "Requested resource not found: Table: "+table+" not found")
}
