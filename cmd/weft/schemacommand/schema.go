// SPDX-License-Identifier: Apache-2.0

// Package schemacommand is weft schema: it copies definitions of tables, and samples of their items, from an account of
// AWS or another server to files that weft serve reads.
//
// Knows: the flags, requests that describe tables, the files' form.
// Never: databases.
package schemacommand

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/cmd/weft/dynamoport"
	"github.com/weftdb/weft/cmd/weft/output"
	"github.com/weftdb/weft/internal/dynamodb/remote"
	"github.com/weftdb/weft/internal/dynamodb/tablefile"
)

// Host is the part of the program that the commands need.
type Host struct {
	Stdout, Stderr io.Writer
	// Getenv reads a variable of the environment.
	Getenv func(name string) string
}

// flags are the flags of weft schema from-aws.
type flags struct {
	port    dynamoport.Port
	out     string
	samples int
	replace []string
}

// Command is `weft schema`.
func (h *Host) Command() *cobra.Command {
	command := &cobra.Command{Use: "schema", Short: "Copy definitions of tables to files for weft serve --schema",
		Args: commandline.UnknownCommand, RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	command.AddCommand(h.fromAWS())
	return command
}

func (h *Host) fromAWS() *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use:   "from-aws [TABLE...]",
		Short: "Copy definitions of tables from an account of AWS, and samples of their items",
		Long: `Copy the definitions of tables to FOLDER/schema.json, from an account of AWS or from the server at --endpoint; all tables, if none is named.
--samples also copies the first items of each table to FOLDER/items. Nothing is written there, in the account.

Values of samples are replaced, so that nothing that is real leaves the account unless a rule says so. --replace ATTRIBUTE=RULE gives the rule of
an attribute, and *=RULE that of all others, which is hash:
  hash    a value made of the old one by a key of this run: equal values stay equal, keys stay distinct
  name    a first name, equal for equal values
  keep    the value itself, as the attribute for expiry has it without a rule
  drop    none

The access key is that of AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, the region that of --region or AWS_REGION. For those
of a profile: eval "$(aws configure export-credentials --format env)". It needs the rights dynamodb:ListTables, DescribeTable, DescribeTimeToLive
and, for samples, Scan.`,
		Example: `  weft schema from-aws --region eu-west-1
  weft schema from-aws orders events --out local --samples 100 --replace customer=name --replace status=keep
  weft serve --engine mem --schema local/schema.json --seed local/items`,
		RunE: func(c *cobra.Command, tables []string) error { return h.copy(c.Context(), &f, tables) },
	}
	c.Flags().SortFlags = false
	c.Flags().StringVar(&f.out, "out", "schema", "the `FOLDER` to write to, which is made")
	c.Flags().IntVar(&f.samples, "samples", 0, "copy this `NUMBER` of items of each table, too")
	c.Flags().StringArrayVar(&f.replace, "replace", nil, "how the samples' values of an attribute are replaced: "+
		"`ATTRIBUTE=RULE`; may be repeated")
	f.port.AddFlags(c.Flags())
	endpoint := c.Flags().Lookup("endpoint")
	endpoint.Usage, endpoint.DefValue = "`URL` of another server (default: AWS in the region)", ""
	f.port.Endpoint = ""
	return c
}

func (h *Host) copy(ctx context.Context, f *flags, tables []string) error {
	rules, err := parseRules(f.replace)
	if err != nil {
		return commandline.Usage(err)
	}
	if f.samples < 0 || f.samples == 0 && len(f.replace) > 0 {
		return commandline.Usage(errors.New("--replace is about samples: set --samples to a number above 0"))
	}
	if f.port.Endpoint == "" {
		if h.Getenv("AWS_ACCESS_KEY_ID") == "" {
			return commandline.Usage(errors.New(`there is no access key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or run eval "$(aws configure export-credentials --format env)"`))
		}
		f.port.Endpoint = "https://dynamodb." + f.port.RegionOr(h.Getenv) + ".amazonaws.com"
	}
	service, err := f.port.Service(h.Getenv)
	if err != nil {
		return commandline.Usage(err)
	}
	if len(tables) == 0 {
		if tables, err = dynamoport.Tables(ctx, service); err != nil {
			return dynamoport.Explained(err, f.port.Endpoint)
		}
	}
	return (&copier{Host: h, flags: f, service: service, rules: rules}).copy(ctx, tables)
}

// copier copies tables.
type copier struct {
	*Host
	*flags
	service *remote.Service
	rules   *rules
}

func (c *copier) copy(ctx context.Context, tables []string) error {
	if err := os.MkdirAll(c.out, 0o700); err != nil {
		return err
	}
	var definitions []map[string]any
	items := 0
	for _, name := range tables {
		definition, err := c.describe(ctx, name)
		if err != nil {
			return err
		}
		definitions = append(definitions, definition)
		if c.samples > 0 {
			n, err := c.sample(ctx, name, definition)
			if err != nil {
				return err
			}
			items += n
		}
	}
	path := filepath.Join(c.out, "schema.json")
	if err := writeNew(path, func(w io.Writer) error { return output.WriteJSON(w, definitions) }); err != nil {
		return err
	}
	fmt.Fprintf(c.Stdout, "%s has the definitions of %d tables", path, len(definitions))
	use := "weft serve --engine mem --schema " + path
	if c.samples > 0 {
		folder := filepath.Join(c.out, "items")
		fmt.Fprintf(c.Stdout, ", %s %d items", folder, items)
		use += " --seed " + folder
	}
	_, err := fmt.Fprintf(c.Stdout, "\n%s\n", use)
	return err
}

// writeNew writes a file that must not be there yet.
func writeNew(path string, write func(io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s is there already: remove it, or choose another folder with --out", path)
	} else if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

// describe returns a table as --schema takes it: a CreateTable request, with its expiry.
func (c *copier) describe(ctx context.Context, name string) (map[string]any, error) {
	request := map[string]any{"TableName": name}
	var described json.RawMessage
	err := c.service.Call(ctx, "DescribeTable", request, &described)
	if remote.Is(err, "ResourceNotFoundException") {
		if missing := dynamoport.NoTable(ctx, c.service, name); missing != nil {
			return nil, missing
		}
	}
	if err != nil {
		return nil, dynamoport.Explained(err, c.port.Endpoint)
	}
	tables, err := tablefile.Read(described, tablefile.Options{})
	if err != nil {
		return nil, fmt.Errorf("the description of %s can't be read: %w", name, err)
	}
	for _, left := range tables[0].Passed {
		fmt.Fprintf(c.Stderr, "weft: %s: %s is left out\n", name, left)
	}
	definition := map[string]any{}
	if err := json.Unmarshal(tables[0].Requests[0].Body, &definition); err != nil {
		return nil, err
	}
	var expiry struct {
		TimeToLiveDescription struct{ TimeToLiveStatus, AttributeName string }
	}
	if err := c.service.Call(ctx, "DescribeTimeToLive", request, &expiry); err != nil {
		return nil, dynamoport.Explained(err, c.port.Endpoint)
	}
	if d := expiry.TimeToLiveDescription; d.TimeToLiveStatus == "ENABLED" {
		definition["TimeToLiveSpecification"] = map[string]any{"AttributeName": d.AttributeName, "Enabled": true}
	}
	return definition, nil
}
