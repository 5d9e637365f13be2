// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"fmt"
	"strconv"
	"strings"
)

// part is a part of a batch or transaction about an item that no other part is about, with few exceptions.
func (g *generator) part(r *Request, operation string) *Request {
	for {
		t := pickOne(g, g.tables)
		p := &Request{Operation: operation, Table: t.Name, Key: g.anyKey(t)}
		if g.one(300) {
			p.Table = "missing"
		}
		taken := false
		for _, other := range r.Parts {
			taken = taken || other.Table == p.Table && t.target(other).String() == p.Key.String()
		}
		if !taken || g.one(100) {
			return p
		}
	}
}

func (g *generator) table(name string) *Table {
	for _, t := range g.tables {
		if t.Name == name {
			return t
		}
	}
	return g.tables[0]
}

func (g *generator) batchGet(r *Request) {
	r.Operation = "BatchGetItem"
	options := map[string]*Request{}
	for range 1 + g.rng.IntN(12) {
		p := g.part(r, "Get")
		first := options[p.Table]
		if first == nil {
			first = p
			options[p.Table] = p
			p.Consistent = g.one(2)
			if g.one(3) {
				p.Projection = g.paths(3)
			}
		}
		p.Consistent, p.Projection = first.Consistent, first.Projection
		r.Parts = append(r.Parts, p)
	}
}

func (g *generator) batchWrite(r *Request) {
	r.Operation = "BatchWriteItem"
	r.Metrics = pickOne(g, []string{"", "", "SIZE", "NONE"})
	for range 1 + g.rng.IntN(8) {
		p := g.part(r, "Delete")
		if !g.one(3) {
			p.Operation, p.Item, p.Key = "Put", g.item(g.table(p.Table), p.Key), nil
		}
		r.Parts = append(r.Parts, p)
	}
}

func (g *generator) transactGet(r *Request) {
	r.Operation = "TransactGetItems"
	for range 1 + g.rng.IntN(6) {
		p := g.part(r, "Get")
		if g.one(3) {
			p.Projection = g.paths(2)
		}
		r.Parts = append(r.Parts, p)
	}
}

func (g *generator) transactWrite(r *Request) {
	reused := ""
	if len(g.tokens) > 0 && g.one(8) {
		if *r = *pickOne(g, g.tokens); !g.one(4) {
			return
		}
		reused = r.Token
		*r = Request{Capacity: r.Capacity}
	}
	r.Operation = "TransactWriteItems"
	r.Metrics = pickOne(g, []string{"", "", "SIZE", "NONE"})
	for range 1 + g.rng.IntN(6) {
		p := g.part(r, pickOne(g, []string{"Put", "Update", "Update", "Delete", "ConditionCheck"}))
		g.sample = g.stored(g.table(p.Table), p.Key)
		switch p.Operation {
		case "Put":
			p.Item, p.Key = g.item(g.table(p.Table), p.Key), nil
		case "Update":
			p.Actions = g.actions()
		}
		if p.Operation == "ConditionCheck" || g.one(5) {
			p.Condition = g.condition(2)
		}
		if g.one(2) {
			p.OnFailure = "ALL_OLD"
		}
		r.Parts = append(r.Parts, p)
	}
	if g.one(10) {
		g.spoilParts(r)
	}
	switch {
	case reused != "":
		r.Token = reused
	case g.one(4):
		r.Token = "token-" + strconv.Itoa(g.rng.IntN(1<<30))
		r.Render(&writer{rng: g.rng})
		if len(g.tokens) < 20 {
			g.tokens = append(g.tokens, r)
		}
	}
}

// spoilParts makes several parts of a transaction faulty, each in its own way: the first of them counts.
func (g *generator) spoilParts(r *Request) {
	for _, p := range r.Parts {
		switch {
		case g.one(2):
		case p.Item != nil:
			p.Item[pickOne(g, attributes).Name] = g.faulty()
		default:
			p.Condition = &Condition{Op: "=", Operands: []Operand{&Path{Name: "a"}, g.faulty()}}
		}
	}
}

// force breaks a request in a way that does not depend on what is stored.
func (g *generator) force(r *Request) {
	if strings.Contains(r.Operation, "Execute") || r.Token != "" || r.Segments > 0 ||
		len(r.staticFaults(r.Operation))+len(r.partFaults()) > 0 {
		return
	}
	members := map[string]string{}
	f := g.fault(r, members)
	if f == nil {
		return
	}
	r.Members, r.Forced, r.Body, r.Values = members, f, "", nil
	g.render(r)
}

func constraint(member, rule string) *Failure {
	return invalid(textEnclosure + "Value at '" + member + "' failed to satisfy constraint: " + rule)
}

// fault chooses the members that break a request, and says what is told; nil if the choice does not fit the operation.
func (g *generator) fault(r *Request, members map[string]string) *Failure {
	single := r.Parts == nil
	write := single && (r.Key != nil || r.Item != nil) && r.Operation != "GetItem"
	walk := r.Operation == "Query" || r.Operation == "Scan"
	switch n := g.rng.IntN(13); {
	case n == 0:
		members["ReturnConsumedCapacity"] = `"SOME"`
		return enumFault(r.Operation, "SOME")
	case n == 1 && (r.Operation == "PutItem" || r.Operation == "DeleteItem"):
		members["ReturnValues"] = pickOne(g, []string{`"ALL_NEW"`, `"UPDATED_OLD"`, `"UPDATED_NEW"`})
		return invalid(textEnclosure + "ReturnValues can only be ALL_OLD or NONE")
	case n == 2 && r.Key != nil:
		members["Key"] = ""
		return invalid(textEnclosure + "Value null at 'key' failed to satisfy constraint: Member must not be null")
	case n == 3 && walk:
		members["Limit"] = "0"
		return constraint("Limit", "Member must have value greater than or equal to 1")
	case n == 4 && r.Operation == "Scan":
		return g.segmentFault(members)
	case n == 5 && walk:
		return g.selectFault(r, members)
	case n == 9 && r.Operation == "Query":
		return g.keyConditionFault(r, members)
	case n == 6 && single:
		members["Key"], members["ExclusiveStartKey"] = "5", "5"
		if r.Key != nil || walk {
			return &Failure{Type: "SerializationException"}
		}
	case n == 7 && strings.HasPrefix(r.Operation, "Batch"):
		members["RequestItems"] = "{}"
		return constraint("RequestItems", "Member must have length greater than or equal to 1")
	case n == 8 && r.Operation == "BatchWriteItem":
		return g.tooMany(members)
	case write:
		return g.expressionFault(r, members)
	}
	return nil
}

func (g *generator) segmentFault(members map[string]string) *Failure {
	switch g.rng.IntN(3) {
	case 0:
		members["Segment"] = "1"
		return invalid("The TotalSegments parameter is required but was not present in the request when Segment parameter is present")
	case 1:
		members["TotalSegments"] = "2"
		return invalid("The Segment parameter is required but was not present in the request when parameter TotalSegments is present")
	}
	members["Segment"], members["TotalSegments"] = "2", "2"
	return invalid("The Segment parameter is zero-based and must be less than parameter TotalSegments")
}

func (g *generator) selectFault(r *Request, members map[string]string) *Failure {
	switch {
	case r.Projection == nil:
		members["Select"] = `"SPECIFIC_ATTRIBUTES"`
		return &Failure{Type: "ValidationException"}
	case g.one(2):
		members["Select"] = `"COUNT"`
		return invalid(textEnclosure + "Cannot specify the ProjectionExpression when choosing to get only the Count")
	}
	members["Select"] = `"ALL_ATTRIBUTES"`
	return invalid(textEnclosure + "Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES")
}

// keyConditionFault gives a query conditions that are none on keys.
func (g *generator) keyConditionFault(r *Request, members map[string]string) *Failure {
	if r.Filter != nil {
		return nil // its placeholders would be in the way
	}
	members["ExpressionAttributeNames"], members["ProjectionExpression"] = "", ""
	members["ExpressionAttributeValues"] = `{":a":{"N":"1"},":b":{"N":"2"}}`
	members["Select"] = ""
	fault := func(expression, text string) *Failure {
		members["KeyConditionExpression"] = quote(expression)
		return invalid(text)
	}
	switch g.rng.IntN(6) {
	case 0:
		return fault("pk = :a OR sk = :b", "Invalid operator used in KeyConditionExpression: OR")
	case 1:
		return fault("pk = :a AND NOT sk = :b", "Invalid operator used in KeyConditionExpression: NOT")
	case 2:
		return fault("pk <> :a AND sk = :b", "Invalid operator used in KeyConditionExpression: <>")
	case 3:
		return fault("pk = :a AND pk = :b",
			"Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key")
	case 4:
		return fault("pk IN (:a, :b)", "Invalid operator used in KeyConditionExpression: IN")
	}
	return fault("pk = :a AND sk BETWEEN :b AND :a",
		"Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater than or "+
			"equal to lower bound; lower bound operand: AttributeValue: {N:2}, upper bound operand: AttributeValue: {N:1}")
}

func (g *generator) tooMany(members map[string]string) *Failure {
	var requests []string
	t := pickOne(g, g.tables)
	for range 26 {
		requests = append(requests, `{"DeleteRequest":{"Key":`+g.key(t).String()+`}}`)
	}
	members["RequestItems"] = `{"` + t.Name + `":[` + strings.Join(requests, ",") + `]}`
	return &Failure{Type: "ValidationException"}
}

// expressionFault gives a write a condition that is not one.
func (g *generator) expressionFault(r *Request, members map[string]string) *Failure {
	const prefix = "Invalid ConditionExpression: "
	members["ExpressionAttributeNames"], members["ExpressionAttributeValues"] = "", ""
	members["UpdateExpression"] = ""
	fault := func(expression, text string) *Failure {
		members["ConditionExpression"] = quote(expression)
		return invalid(textEnclosure + text)
	}
	switch g.rng.IntN(11) {
	case 9:
		members["ExpressionAttributeValues"] = `{":a":{"N":"1"}}`
		return fault("a IN (:a"+strings.Repeat(",:a", 100)+")",
			prefix+"The IN operator is provided with too many operands; number of operands: 101")
	case 0:
		return fault("", prefix+"The expression can not be empty;")
	case 1:
		return fault("a = :gone", prefix+
			"An expression attribute value used in expression is not defined; attribute value: :gone")
	case 2:
		return fault("#gone = a", prefix+
			"An expression attribute name used in the document path is not defined; attribute name: #gone")
	case 3:
		return fault("((a = b))", prefix+"The expression has redundant parentheses;")
	case 4:
		return fault("name = a", prefix+"Attribute name is a reserved keyword; reserved keyword: name")
	case 5:
		return fault("INVALID SYNTAX", prefix+`Syntax error; token: "SYNTAX", near: "INVALID SYNTAX"`)
	case 6:
		long := "attribute_exists(" + strings.Repeat("z", 4096) + ")"
		return fault(long, prefix+fmt.Sprint("Expression size has exceeded the maximum allowed size; expression size: ",
			len(long)))
	case 7:
		members["ExpressionAttributeValues"] = `{":unused":{"S":"a"}}`
		return fault("attribute_exists(a)",
			"Value provided in ExpressionAttributeValues unused in expressions: keys: {:unused}")
	case 8:
		members["ExpressionAttributeNames"] = `{"#unused":"a"}`
		return fault("attribute_exists(a)",
			"Value provided in ExpressionAttributeNames unused in expressions: keys: {#unused}")
	}
	members["Expected"] = "{}"
	return fault("attribute_exists(a)", "Can not use both expression and non-expression parameters in the same request: "+
		"Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}")
}
