// SPDX-License-Identifier: Apache-2.0

package ddbcommand

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/commandline"
)

// readFlags are the flags of a Query or Scan.
type readFlags struct {
	expressions
	index, attributes, start   string
	limit                      uint64
	reverse, count, consistent bool
}

func (f *readFlags) addFlags(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.index, "index", "", "read the index of this `NAME` in place of the table")
	f.expressions.addFlags(c, "filter", "print only items for which this `EXPRESSION` holds; all others are read, too")
	flags.StringVar(&f.attributes, "attributes", "", "print these attributes alone, with commas between their `NAMES`")
	flags.Uint64Var(&f.limit, "limit", 0, "print this `NUMBER` of items at most (default: all)")
	flags.StringVar(&f.start, "start", "", "begin behind the item with this `KEY`")
	flags.BoolVar(&f.consistent, "consistent", false, "read what was acknowledged last; AWS charges twice for it")
	flags.BoolVar(&f.count, "count", false, "print the number of items alone")
	if c.Name() == "query" {
		flags.BoolVar(&f.reverse, "reverse", false, "read in descending order")
	}
}

// put puts the flags into a request.
func (f *readFlags) put(r *request) error {
	if f.count && f.limit > 0 {
		return commandline.Usage(errors.New("--count counts all items: leave out --limit"))
	}
	if f.index != "" {
		r.members["IndexName"] = f.index
	}
	if f.attributes != "" {
		r.members["ProjectionExpression"] = f.attributes
	}
	if f.count {
		r.members["Select"] = "COUNT"
	}
	if f.consistent {
		r.members["ConsistentRead"] = true
	}
	return errors.Join(f.expressions.put(r, "FilterExpression"),
		r.set("ExclusiveStartKey", "--start", f.start, typedItem))
}

func (h *Host) queryCommand() *cobra.Command {
	var f readFlags
	c, r := h.command("query TABLE CONDITION", "Print the items with a partition key, in the order of their sort keys",
		`Print the items for which a condition on the key holds: an object of values that the key's attributes equal, or a key condition expression
with its --values. All pages are read, up to --limit items.`,
		`  weft ddb query orders '{"customer": "ann"}'
  weft ddb query orders 'customer = :c AND orderno > :n' --values '{":c": "ann", ":n": 5}' --reverse --limit 3
  weft ddb query orders '{"status": "open"}' --index by-status --json`, cobra.ExactArgs(2),
		func(ctx context.Context, r *request, args []string) error {
			r.onTable(args[0])
			if err := errors.Join(f.put(r), r.where(args[1])); err != nil {
				return err
			}
			r.members["ScanIndexForward"] = !f.reverse
			return r.pages(ctx, "Query", &f)
		})
	f.addFlags(c)
	return r.addFlags(c)
}

// where puts the condition of a Query into the request. Names and values of an object get placeholders, which clash
// with none of --names and --values that a person writes.
func (r *request) where(condition string) error {
	if !strings.HasPrefix(strings.TrimSpace(condition), "{") {
		r.members["KeyConditionExpression"] = condition
		return nil
	}
	key, err := typedItem(condition, r.typed)
	attributes := map[string]json.RawMessage{}
	if err == nil {
		err = json.Unmarshal(key, &attributes)
	}
	if err != nil {
		return commandline.Usage(fmt.Errorf("CONDITION is an expression, or an object such as {\"id\": 3}: %w", err))
	}
	names, values := map[string]string{}, map[string]json.RawMessage{}
	if given, ok := r.members["ExpressionAttributeNames"].(map[string]string); ok {
		names = given
	}
	if given, ok := r.members["ExpressionAttributeValues"].(json.RawMessage); ok {
		if err := json.Unmarshal(given, &values); err != nil {
			return err
		}
	}
	var equals []string
	for name, v := range attributes {
		place := fmt.Sprint("weft_key", len(equals))
		names["#"+place], values[":"+place] = name, v
		equals = append(equals, fmt.Sprintf("#%s = :%s", place, place))
	}
	r.members["KeyConditionExpression"] = strings.Join(equals, " AND ")
	r.members["ExpressionAttributeNames"], r.members["ExpressionAttributeValues"] = names, values
	return nil
}

func (h *Host) scanCommand() *cobra.Command {
	var f readFlags
	c, r := h.command("scan TABLE", "Print all items of a table or an index",
		"Print all items of a table or an index. All pages are read, up to --limit items.",
		`  weft ddb scan orders --limit 10
  weft ddb scan orders --filter 'amount > :t' --values '{":t": 100}' --attributes customer,amount --json`, cobra.ExactArgs(1),
		func(ctx context.Context, r *request, args []string) error {
			r.onTable(args[0])
			if err := f.put(r); err != nil {
				return err
			}
			return r.pages(ctx, "Scan", &f)
		})
	f.addFlags(c)
	return r.addFlags(c)
}

func (h *Host) partiqlCommand() *cobra.Command {
	var f readFlags
	var parameters string
	c, r := h.command("partiql STATEMENT", "Run a statement of PartiQL, and print the items that it returns",
		"Run a statement of PartiQL, and print the items that it returns. All pages are read, up to --limit items.",
		`  weft ddb partiql 'SELECT * FROM orders WHERE customer = ?' --parameters '["ann"]'
  weft ddb partiql "UPDATE orders SET amount = 9 WHERE customer = 'ann' AND orderno = 7 RETURNING ALL NEW *"`, cobra.ExactArgs(1),
		func(ctx context.Context, r *request, args []string) error {
			r.members["Statement"] = args[0]
			if err := r.set("Parameters", "--parameters", parameters, typedList); err != nil {
				return err
			}
			return r.pages(ctx, "ExecuteStatement", &f)
		})
	c.Flags().StringVar(&parameters, "parameters", "", "values for the question marks, as `JSON`: '[\"ann\", 5]'")
	c.Flags().Uint64Var(&f.limit, "limit", 0, "print this `NUMBER` of items at most (default: all)")
	return r.addFlags(c)
}

// page is an answer to a read.
type page struct {
	Items            []json.RawMessage
	Count            uint64
	LastEvaluatedKey json.RawMessage
	NextToken        string
}

// pages reads page after page and prints the items, up to the limit.
func (r *request) pages(ctx context.Context, operation string, f *readFlags) error {
	var printed, counted uint64
	for {
		if f.limit > 0 && f.condition == "" && operation != "ExecuteStatement" { // Limit is of items before a filter
			r.members["Limit"] = f.limit - printed
		}
		var p page
		if err := r.call(ctx, operation, &p); err != nil {
			return err
		}
		counted += p.Count
		for i, item := range p.Items {
			if err := r.print(item); err != nil {
				return err
			}
			if printed++; printed == f.limit {
				return r.tellMore(&p, i+1 < len(p.Items))
			}
		}
		switch {
		case p.NextToken != "":
			r.members["NextToken"] = p.NextToken
		case len(p.LastEvaluatedKey) > 0:
			r.members["ExclusiveStartKey"] = p.LastEvaluatedKey
		case f.count:
			return r.printCount(counted)
		default:
			return nil
		}
	}
}

func (r *request) printCount(n uint64) error {
	if r.asJSON {
		_, err := fmt.Fprintf(r.Stdout, "{\"Count\": %d}\n", n)
		return err
	}
	_, err := fmt.Fprintln(r.Stdout, n)
	return err
}

// tellMore says how to go on where the limit ended a read.
func (r *request) tellMore(p *page, within bool) (err error) {
	start := json.RawMessage(nil) // nil: it is not known
	switch {
	case within, p.NextToken != "":
	case len(p.LastEvaluatedKey) == 0:
		return nil
	default:
		if start = p.LastEvaluatedKey; !r.typed {
			start, err = plainItem(start)
		}
	}
	switch {
	case r.asJSON:
		fmt.Fprintf(r.Stderr, "{\"more\": true, \"start\": %s}\n", cmp.Or(string(start), "null"))
	case start == nil:
		fmt.Fprintln(r.Stderr, "weft: there may be more items; raise --limit to see them")
	default:
		fmt.Fprintf(r.Stderr, "weft: there may be more items; to go on, add --start '%s'\n", start)
	}
	return err
}
