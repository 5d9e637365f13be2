// SPDX-License-Identifier: Apache-2.0

package ddbcommand

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/commandline"
)

// itemBytesMax bounds a line of standard input: an item has 400 KiB at most, and JSON may take more.
const itemBytesMax = 4 << 20

func (h *Host) getCommand() *cobra.Command {
	var consistent bool
	c, r := h.command("get TABLE KEY", "Print an item", "Print the item with a key. Without one, the exit code is 1.",
		`  weft ddb get orders '{"customer": "ann", "orderno": 7}'`, cobra.ExactArgs(2),
		func(ctx context.Context, r *request, args []string) error {
			r.onTable(args[0])
			if err := r.set("Key", "KEY", args[1], typedItem); err != nil {
				return err
			}
			r.members["ConsistentRead"] = consistent
			var answer struct{ Item json.RawMessage }
			if err := r.call(ctx, "GetItem", &answer); err != nil {
				return err
			}
			if len(answer.Item) == 0 {
				return fmt.Errorf("%s has no item with the key %s", args[0], args[1])
			}
			return r.print(answer.Item)
		})
	c.Flags().BoolVar(&consistent, "consistent", false, "read what was acknowledged last; AWS charges twice for it")
	return r.addFlags(c)
}

// expressions are flags of requests that have expressions.
type expressions struct{ condition, values, names string }

// addFlags adds --values and --names, and the flag of a condition if it has a name.
func (e *expressions) addFlags(c *cobra.Command, condition, help string) {
	if condition != "" {
		c.Flags().StringVar(&e.condition, condition, "", help)
	}
	c.Flags().StringVar(&e.values, "values", "", "values in expressions, as `JSON`: '{\":a\": 5}'")
	c.Flags().StringVar(&e.names, "names", "", "names in expressions that stand for others, as `JSON`: '{\"#s\": "+
		"\"status\"}'")
}

// put puts the expressions into a request.
func (e *expressions) put(r *request, member string) error {
	if e.condition != "" {
		r.members[member] = e.condition
	}
	if e.names != "" {
		names := map[string]string{}
		if err := json.Unmarshal([]byte(e.names), &names); err != nil {
			return commandline.Usage(fmt.Errorf(`--names is no object of texts such as {"#s": "status"}: %w`, err))
		}
		r.members["ExpressionAttributeNames"] = names
	}
	return r.set("ExpressionAttributeValues", "--values", e.values, typedItem)
}

func (h *Host) putCommand() *cobra.Command {
	var e expressions
	c, r := h.command("put TABLE ITEM...", "Put items",
		"Put items, each in place of one with the same key. The item - stands for those of standard input, one a line.",
		`  weft ddb put orders '{"customer": "ann", "orderno": 7, "amount": 12.5}'
  weft ddb put orders - < orders.jsonl
  weft ddb put orders '{"customer": "ann", "orderno": 7}' --condition 'attribute_not_exists(customer)'`,
		cobra.MinimumNArgs(2), func(ctx context.Context, r *request, args []string) error {
			r.onTable(args[0])
			if err := e.put(r, "ConditionExpression"); err != nil {
				return err
			}
			for _, item := range args[1:] {
				if err := r.put(ctx, item); err != nil {
					return err
				}
			}
			return nil
		})
	e.addFlags(c, "condition", "put an item only if this `EXPRESSION` holds for the one with its key")
	return r.addFlags(c)
}

// put puts an item, or those of standard input.
func (r *request) put(ctx context.Context, item string) error {
	if item != "-" {
		return r.putOne(ctx, item)
	}
	lines := bufio.NewScanner(r.Stdin)
	lines.Buffer(nil, itemBytesMax)
	for line := 1; lines.Scan(); line++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		if err := r.putOne(ctx, lines.Text()); err != nil {
			return fmt.Errorf("line %d of standard input: %w", line, err)
		}
	}
	return lines.Err()
}

func (r *request) putOne(ctx context.Context, item string) error {
	if err := r.set("Item", "ITEM", item, typedItem); err != nil {
		return err
	}
	return r.call(ctx, "PutItem", nil)
}

func (h *Host) updateCommand() *cobra.Command {
	var e expressions
	c, r := h.command("update TABLE KEY EXPRESSION", "Change an item by an update expression, and print it",
		"Change the item with a key by an update expression, or make it. The item is printed as it is then.",
		`  weft ddb update orders '{"customer": "ann", "orderno": 7}' 'SET amount = :t ADD changes :one' --values '{":t": 15, ":one": 1}'`,
		cobra.ExactArgs(3), func(ctx context.Context, r *request, args []string) error {
			r.onTable(args[0])
			err := errors.Join(r.set("Key", "KEY", args[1], typedItem), e.put(r, "ConditionExpression"))
			if err != nil {
				return err
			}
			r.members["UpdateExpression"], r.members["ReturnValues"] = args[2], "ALL_NEW"
			return r.printAttributes(ctx, "UpdateItem")
		})
	e.addFlags(c, "condition", "change the item only if this `EXPRESSION` holds for it")
	return r.addFlags(c)
}

func (h *Host) deleteCommand() *cobra.Command {
	var e expressions
	c, r := h.command("delete TABLE KEY", "Delete an item, and print what it was",
		"Delete the item with a key, and print what it was. Without one nothing is printed.",
		`  weft ddb delete orders '{"customer": "ann", "orderno": 7}'`, cobra.ExactArgs(2),
		func(ctx context.Context, r *request, args []string) error {
			r.onTable(args[0])
			err := errors.Join(r.set("Key", "KEY", args[1], typedItem), e.put(r, "ConditionExpression"))
			if err != nil {
				return err
			}
			r.members["ReturnValues"] = "ALL_OLD"
			return r.printAttributes(ctx, "DeleteItem")
		})
	e.addFlags(c, "condition", "delete the item only if this `EXPRESSION` holds for it")
	return r.addFlags(c)
}

// printAttributes sends a write and prints the item that it returns.
func (r *request) printAttributes(ctx context.Context, operation string) error {
	var answer struct{ Attributes json.RawMessage }
	if err := r.call(ctx, operation, &answer); err != nil {
		return err
	}
	return r.print(answer.Attributes)
}
