// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/cmd/weft/heatpage"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	encoded "github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/index/indexkey"
)

// keyCommand is `weft key`.
func (p *program) keyCommand() *cobra.Command {
	var admin, data string
	command := &cobra.Command{
		Use:   "key KEY...",
		Short: "Decode raw keys of the store",
		Long: `Decode raw keys of the store, or encode them. A KEY is 0x and hexadecimal digits, as engines and logs show it, or the text form
that this command prints, such as /row/table=1/index=0/key=0x01.

For keys of rows and index entries, --admin-addr (a running server) or --data (a folder that no server has open) adds the names of
the table and the index, and the values in the key.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			keys := make([][]byte, len(args))
			for i, text := range args {
				var err error
				if keys[i], err = keyspace.ParseText(text); err != nil {
					return commandline.Usage(err)
				}
			}
			return p.explainKeys(c.Context(), keys, admin, data)
		},
	}
	command.Flags().StringVar(&admin, "admin-addr", "", "the admin port of a server, as `HOST:PORT`")
	command.Flags().StringVar(&data, "data", "", "a data `FOLDER` that no server has open")
	command.AddCommand(p.rotateCommand())
	return command
}

func (p *program) explainKeys(ctx context.Context, keys [][]byte, admin, data string) error {
	if data != "" {
		return p.withFolder(ctx, data, func(db *database.DB) error {
			for _, key := range keys {
				explainKey(p.stdout, key)
				explainRow(p.stdout, db, key)
			}
			return nil
		})
	}
	for _, key := range keys {
		explainKey(p.stdout, key)
		if admin == "" {
			continue
		}
		if err := p.printPage(ctx, admin, "/key", url.Values{"key": {fmt.Sprintf("0x%x", key)}}); err != nil {
			return err
		}
	}
	return nil
}

// explainKey says what every store knows of a key.
func explainKey(w io.Writer, key []byte) {
	fmt.Fprintf(w, "0x%x\n  %s\n", key, keyspace.Print(key))
	section, parts, err := keyspace.Parse(key)
	if err != nil {
		fmt.Fprintf(w, "  %v\n", err)
		return
	}
	fmt.Fprintf(w, "  %s: %s (written by package %s)\n", section.Name, section.Doc, section.Owner)
	for _, part := range parts {
		if part.Field.Kind == keyspace.Number {
			fmt.Fprintf(w, "  %s = %d\n", part.Field.Name, part.Number)
		} else {
			fmt.Fprintf(w, "  %s = %q\n", part.Field.Name, part.Bytes)
		}
	}
}

// explainRow says what this store knows of the key of a row or an index entry: the names, and the values as far as the
// key goes.
func explainRow(w io.Writer, db *database.DB, key []byte) {
	table, index, size, ok := keyspace.CutRow(key)
	if !ok {
		return
	}
	p, err := db.PinID(table)
	if err != nil {
		fmt.Fprintf(w, "  there is no table %d\n", table)
		return
	}
	defer p.Release()
	d := p.Descriptor()
	x, ok := d.IndexByID(index)
	switch {
	case !ok:
		fmt.Fprintf(w, "  table %s, which has no index %d\n", d.Name, index)
	case x.IsPrimary():
		fmt.Fprintf(w, "  row of table %s\n", d.Name)
		printParts(w, x, key[size:])
	default:
		fmt.Fprintf(w, "  entry of index %s of table %s\n", x.Name, d.Name)
		if rest := printParts(w, x, key[size:]); len(rest) > 0 {
			fmt.Fprintln(w, "  of the row")
			printParts(w, &d.Primary, rest)
		}
	}
}

// printParts prints the values of a key, and returns what follows them.
func printParts(w io.Writer, x *schema.Index, key []byte) (rest []byte) {
	return indexkey.Leading(x, key, nil, func(part *schema.KeyPart, v encoded.Value) {
		decimal, isNumber := v.Decimal()
		switch {
		case v.IsMissing():
			fmt.Fprintf(w, "    %s = null\n", part.Name)
		case v.Kind() == encoded.String:
			fmt.Fprintf(w, "    %s = %q\n", part.Name, v.Bytes())
		case isNumber:
			fmt.Fprintf(w, "    %s = %s\n", part.Name, decimal.AppendText(nil))
		default:
			fmt.Fprintf(w, "    %s = %s\n", part.Name, v.String())
		}
	})
}

// keyPage is GET /key?key=0x.. on the admin port.
func keyPage(r *http.Request, db *database.DB, _ bool) ([]byte, error) {
	key, err := keyspace.ParseText(r.FormValue("key"))
	if err != nil {
		return nil, heatpage.Refuse(err)
	}
	var text strings.Builder
	explainRow(&text, db, key)
	return []byte(text.String()), nil
}
