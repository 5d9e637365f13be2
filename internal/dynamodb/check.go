// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"slices"
	"strings"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/expression"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/dynamodb/layer"
	"github.com/weftdb/weft/internal/expr"
)

// Lengths of names in requests, in characters. A table may be named by its ARN.
const (
	tableNameMax = 1024
	indexNameMax = 255
	tokenMax     = 36
)

// checkMembers judges the members one by one.
func (r *request) checkMembers() error {
	c := r.constraints("")
	r.constrain(&c)
	if err := c.Err(); err != nil {
		return r.typeFaultOr(err)
	}
	return nil
}

// constraints is for faults of members at a path.
func (r *request) constraints(at string) exception.Constraints {
	return exception.Constraints{At: at, Terse: r.rules.Terse, Alone: r.rules.Alone}
}

// constrain adds the faults of single members.
func (r *request) constrain(c *exception.Constraints) {
	for _, m := range r.rules.Order {
		switch {
		case r.has&m != 0:
			r.constrainMember(c, m)
		case r.rules.Needs&m != 0:
			c.Null(m.Name())
		}
	}
}

func (r *request) constrainMember(c *exception.Constraints, m layer.Members) {
	switch m {
	case layer.TableName:
		r.constrainTable(c)
	case layer.IndexName:
		c.Length(true, r.indexName, "IndexName", indexNameMax) // shorter ones than Amazon's come through other doors
	case layer.Limit:
		c.Between(true, r.limit, "Limit", 1, -1)
	case layer.Segment:
		c.Between(true, r.segment, "Segment", 0, int64(r.options.SegmentsMax)-1)
	case layer.TotalSegments:
		c.Between(true, r.totalSegments, "TotalSegments", 1, int64(r.options.SegmentsMax))
	case layer.Select, layer.ReturnValues, layer.ReturnOnFailure, layer.ReturnConsumedCapacity, layer.ReturnMetrics:
		text := *r.text(m)
		if values, ok := layer.Enum(m, text); !ok {
			c.Enum(text, m.Name(), values)
		}
	case layer.ClientRequestToken:
		c.Length(true, r.token, "ClientRequestToken", tokenMax)
	default:
		if m&layer.Older != 0 {
			r.constrainOlder(c, m)
		}
	}
}

// constrainTable judges the table's name. A name of one or two letters is as good as any if there is such a table: other doors make them.
func (r *request) constrainTable(c *exception.Constraints) {
	if r.tableName == "" || len(r.tableName) > tableNameMax {
		c.Length(true, r.tableName, "TableName", tableNameMax)
		return
	}
	if !strings.HasPrefix(r.tableName, "arn:") {
		c.TableName(r.tableName, "TableName", r.api.has(r.tableName))
	}
}

// has says whether there is a table with a short name; of a long one it says yes without a look.
func (a *API) has(name string) bool {
	if len(name) >= exception.TableNameMin {
		return true
	}
	pin, err := a.DB.Pin(name)
	if err == nil {
		pin.Release()
	}
	return weft.KindOf(err) != weft.KindNotFound
}

// judge judges the request as a whole.
func (r *request) judge() error {
	given := layer.Given{Has: r.has, ReturnValues: r.returnValues, Select: r.selected, Segment: r.segment, TotalSegments: r.totalSegments}
	for _, step := range r.rules.Steps {
		err := r.judgeStep(step, &given)
		if err == nil {
			continue
		}
		if r.rules.Encloses(step) {
			err = exception.Enclosed(err)
		}
		if r.rules.AfterValues(step) {
			return r.valueFaultOr(err)
		}
		return r.typeFaultOr(err)
	}
	return nil
}

func (r *request) judgeStep(step layer.Step, given *layer.Given) error {
	switch step {
	case layer.CheckOperator:
		return r.checkOperator()
	case layer.ParseExpressions:
		return r.parseExpressions()
	case layer.ParseOlder:
		return r.parseOlder()
	}
	if fault := r.rules.Fault(step, given); fault != "" {
		return exception.Validation(fault)
	}
	return nil
}

// parseExpressions parses in the order in which DynamoDB does. What it finds late is told last.
func (r *request) parseExpressions() error {
	if r.has&(layer.Names|layer.Values) != 0 {
		if err := r.checkPlaceholders(); err != nil {
			return err
		}
	}
	var late error
	for _, one := range [...]struct {
		member layer.Members
		parse  func(*request) error
	}{
		{layer.Update, (*request).parseUpdate}, {layer.Condition, (*request).parseCondition}, {layer.KeyCondition, (*request).parseKeyCondition},
		{layer.Filter, (*request).parseFilter}, {layer.Projection, (*request).parseProjection},
	} {
		if r.has&one.member == 0 {
			continue
		}
		err := one.parse(r)
		if fault, ok := err.(*expression.Error); ok && fault.Late {
			late = err
		} else if err != nil {
			return err
		}
	}
	if err := r.placeholders.CheckUsed(); err != nil {
		return err
	}
	return late
}

// checkPlaceholders judges those of names and then those of values, whose contents come last.
func (r *request) checkPlaceholders() error {
	if r.noNames {
		return exception.Validation("ExpressionAttributeNames must not be empty")
	}
	if err := r.placeholders.CheckNames(); err != nil {
		return err
	}
	if r.noValues {
		return exception.Validation("ExpressionAttributeValues must not be empty")
	}
	if err := r.placeholders.CheckValues(); err != nil {
		return err
	}
	return r.faultyValues
}

func (r *request) parseUpdate() (err error) {
	r.updateTree, err = expression.ParseUpdate(r.update, &r.placeholders)
	return err
}

func (r *request) parseCondition() (err error) {
	r.conditionTree, err = expression.ParseCondition(r.condition, &r.placeholders)
	return err
}

func (r *request) parseKeyCondition() (err error) {
	r.keyConditions, err = expression.ParseKeyCondition(r.keyCondition, &r.placeholders)
	return err
}

func (r *request) parseFilter() (err error) {
	r.filterTree, err = expression.ParseFilter(r.filter, &r.placeholders)
	return err
}

func (r *request) parseProjection() (err error) {
	r.paths, err = expression.ParseProjection(r.projection, &r.placeholders)
	return err
}

// checkScalars refuses paths into key attributes of the table and of its indexes. What an update does to the table's key, and a query's filter to
// the key that it walks by, is told in other words, later.
func (r *request) checkScalars(pin weft.Pinned) error {
	if !strings.ContainsAny(r.condition, ".[") && !strings.ContainsAny(r.filter, ".[") && !strings.ContainsAny(r.projection, ".[") && !strings.ContainsAny(r.update, ".[") {
		return nil
	}
	table := pin.Descriptor()
	paths := slices.Clone(r.paths)
	for path := range expr.Paths(r.conditionTree) {
		paths = append(paths, *path)
	}
	walked, ok := table.Index(r.indexName)
	for path := range expr.Paths(r.filterTree) {
		if r.rules.Takes&layer.KeyCondition == 0 || !ok || !itemkey.Has(walked.Stated(), path.Name) {
			paths = append(paths, *path)
		}
	}
	if r.updateTree != nil {
		for _, path := range r.updateTree.Touched() {
			if !itemkey.Has(table.Primary.Visible(), path.Name) {
				paths = append(paths, path)
			}
		}
	}
	for i := range paths {
		if len(paths[i].Steps) == 0 {
			continue
		}
		if sort := itemkey.SortOf(table, paths[i].Name); sort != "" {
			return exception.Validationf("Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: %s: %s", sort, paths[i].Name)
		}
	}
	return nil
}
