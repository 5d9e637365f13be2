// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

// manualPage is the page in docs/ about a command, and examples for those that have none of their own.
type manualPage struct{ file, example string }

// manual has a page for each command, by its words after weft. A command below another one has the page of that one
// unless it has its own.
func manual() map[string]manualPage {
	return map[string]manualPage{
		"": {"operations.md", "weft demo\nweft serve --data /var/lib/weft"},
		"serve": {"operations.md", `weft serve --data /var/lib/weft
weft serve --engine mem --dynamodb-addr 127.0.0.1:0 --mysql-addr off --admin-addr off --ready-json
weft serve --engine mem --schema template.yaml --seed ./items
weft serve --data /var/lib/weft --auth required --master-key-file /etc/weft/master.key \
  --tls-cert /etc/weft/server.pem --tls-key /etc/weft/server-key.pem --dynamodb-addr 0.0.0.0:8000`},
		"demo":              {"demo.md", "weft demo\nweft demo --dynamodb-addr 127.0.0.1:0 --load off"},
		"version":           {"operations.md", "weft version --json"},
		"status":            {"operations.md", ""},
		"mark":              {"testing.md", ""},
		"reset":             {"testing.md", ""},
		"fault":             {"testing.md", ""},
		"sql":               {"sql.md", ""},
		"ddb":               {"dynamodb.md", ""},
		"explain":           {"dynamodb.md", ""},
		"advise":            {"advisor.md", "weft advise\nweft advise cities --statements\nweft advise --patterns patterns.json"},
		"indexes":           {"zorder.md", "weft indexes cities"},
		"regions":           {"regions.md", "weft regions cities --json"},
		"hot":               {"heat.md", "weft hot\nweft hot cities --statements"},
		"mcp":               {"mcp.md", ""},
		"man":               {"operations.md", ""},
		"schema":            {"testing.md", "weft schema from-aws --region eu-west-1"},
		"simulate":          {"heat.md", "weft simulate"},
		"key":               {"operations.md", "weft key 0x1401 --admin-addr 127.0.0.1:8080"},
		"cert":              {"security.md", "weft cert dev"},
		"cert dev":          {"security.md", "weft cert dev --out certs --hosts db.example,10.0.0.7"},
		"verify":            {"operations.md", "weft verify --data /var/lib/weft-restored"},
		"copy":              {"import.md", "weft copy --from /var/lib/weft --to tikv://10.0.0.1:2379,10.0.0.2:2379"},
		"export":            {"import.md", ""},
		"import":            {"import.md", ""},
		"backup":            {"backup.md", ""},
		"backup list":       {"backup.md", "weft backup list s3://backups/weft"},
		"backup key":        {"backup.md", "weft backup key weft.key"},
		"restore":           {"backup.md", ""},
		"tail":              {"streams.md", ""},
		"trigger":           {"streams.md", ""},
		"user":              {"security.md", "weft user add ann --admin\nweft user list"},
		"user add":          {"security.md", "weft user add ann\nweft user add root --admin --data ./weft-data --password-stdin < password"},
		"user list":         {"security.md", "weft user list --json"},
		"user passwd":       {"security.md", "weft user passwd ann"},
		"user drop":         {"security.md", "weft user drop ann"},
		"user key":          {"security.md", "weft user key create ann"},
		"user key create":   {"security.md", "weft user key create ann"},
		"user key list":     {"security.md", "weft user key list ann"},
		"user key disable":  {"security.md", "weft user key disable AKIA.."},
		"user key enable":   {"security.md", "weft user key enable AKIA.."},
		"user key drop":     {"security.md", "weft user key drop AKIA.."},
		"key rotate":        {"security.md", "WEFT_MASTER_KEY_FILE=master.key weft key rotate --data ./weft-data --new-master-key-file next.key"},
		"user token":        {"security.md", "weft user token create ann"},
		"user token create": {"security.md", "weft user token create ann"},
		"user token list":   {"security.md", "weft user token list"},
		"user token drop":   {"security.md", "weft user token drop 5b1c"},
		"user policy":       {"security.md", "weft user policy put ann AmazonDynamoDBReadOnlyAccess"},
		"user policy put":   {"security.md", "weft user policy put ann orders-only orders-only.json"},
		"user policy list":  {"security.md", "weft user policy list ann"},
		"user policy show":  {"security.md", "weft user policy show ann orders-only"},
		"user policy drop":  {"security.md", "weft user policy drop ann orders-only"},
	}
}

// pageOf is the manual page of a command, or of the one above it.
func pageOf(c *cobra.Command) manualPage {
	words := strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), c.Root().Name()), " ")
	pages := manual()
	own := pages[words]
	for own.file == "" && words != "" {
		words = words[:max(strings.LastIndexByte(words, ' '), 0)]
		own.file = pages[words].file
	}
	own.example = cmp.Or(c.Example, indent(own.example))
	return own
}

// indent puts two blanks before each line.
func indent(text string) string {
	if text == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(text, "\n", "\n  ")
}

// writeUsage writes how a command is called, with an example, its flags in groups, and the page that says more.
func writeUsage(c *cobra.Command) error {
	w, page := c.OutOrStderr(), pageOf(c)
	use := c.UseLine()
	if c.HasAvailableSubCommands() {
		use = c.CommandPath() + " COMMAND"
		if len(strings.Fields(c.Use)) > 1 {
			use = c.UseLine() + "\n  " + use
		}
	}
	fmt.Fprintf(w, "Usage:\n  %s\n", use)
	if page.example != "" { // cobra's own commands have none
		fmt.Fprintf(w, "\nExamples:\n%s\n", strings.TrimRight(page.example, "\n"))
	}
	writeCommands(w, c)
	writeFlags(w, c)
	_, err := fmt.Fprintf(w, "\ndocs/%s says more.\n", page.file)
	return err
}

func writeCommands(w io.Writer, c *cobra.Command) {
	if !c.HasAvailableSubCommands() {
		return
	}
	fmt.Fprintln(w, "\nCommands:")
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() || sub.Name() == "help" {
			fmt.Fprintf(w, "  %-*s  %s\n", sub.NamePadding(), sub.Name(), sub.Short)
		}
	}
}

// writeFlags writes the command's own flags, then settings by their groups.
func writeFlags(w io.Writer, c *cobra.Command) {
	groups := map[string]*pflag.FlagSet{}
	hidden := false
	c.Flags().VisitAll(func(f *pflag.Flag) {
		group := ""
		if named := f.Annotations[groupAnnotation]; len(named) > 0 {
			group = named[0]
		}
		if f.Hidden {
			hidden = hidden || group != ""
			return
		}
		if groups[group] == nil {
			groups[group] = pflag.NewFlagSet(group, pflag.ContinueOnError)
			groups[group].SortFlags = false
		}
		groups[group].AddFlag(f)
	})
	for _, group := range append([]string{""}, settingGroups()...) {
		if flags := groups[group]; flags != nil {
			fmt.Fprintf(w, "\n%s:\n%s", cmp.Or(group, "Flags"), flags.FlagUsages())
		}
	}
	if hidden {
		fmt.Fprintln(w, "\nThe other flags of weft serve are accepted, too.")
	}
}

// groupAnnotation is the annotation of a setting's flag that names its group.
const groupAnnotation = "weft-group"

// Groups of settings.
const (
	storeGroup  = "Store"
	portGroup   = "Ports"
	accessGroup = "Access and encryption"
	awsGroup    = "AWS"
	memoryGroup = "Memory and regions"
	shipGroup   = "Shipping"
	logGroup    = "Log"
)

// settingGroups lists the groups in the order of --help.
func settingGroups() []string {
	return []string{storeGroup, portGroup, accessGroup, awsGroup, memoryGroup, shipGroup, logGroup}
}

// groupOf is the group of a setting.
func groupOf(name string) string {
	has := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	}
	switch {
	case has("data", "engine", "tikv-", "gateway-", "schema", "seed"):
		return storeGroup
	case has("tls-", "auth", "insecure", "master-", "audit-"):
		return accessGroup
	case strings.HasSuffix(name, "-addr"), strings.HasSuffix(name, "-connections"), has("origins", "hosts", "drain"):
		return portGroup
	case strings.HasSuffix(name, "memory"), has("block-", "sql-", "region-"):
		return memoryGroup
	case has("ship"):
		return shipGroup
	case has("log-"):
		return logGroup
	}
	return awsGroup
}

// manCommand is `weft man`.
func (p *program) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man FOLDER",
		Short: "Write the manual pages of all commands",
		Long: `Write a page for man for each command into a folder, which is made. Their date is that of SOURCE_DATE_EPOCH, if it is set, so that
packages can be built again.`,
		Example: "  weft man /usr/local/share/man/man1",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			root := c.Root()
			documentAll(root)
			header := &doc.GenManHeader{Section: "1", Source: "Weft " + version, Manual: "Weft"}
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return err
			}
			pages, err := filepath.Glob(filepath.Join(args[0], "weft*.1"))
			fmt.Fprintf(p.stdout, "%d pages are in %s; man weft shows the first\n", len(pages), args[0])
			return err
		},
	}
}

// documentAll gives commands what --help takes from the manual.
func documentAll(c *cobra.Command) {
	page := pageOf(c)
	c.Example, c.DisableAutoGenTag = page.example, true
	c.Long = cmp.Or(c.Long, c.Short+".")
	c.Long += "\n\nThe page docs/" + page.file + " says more."
	for _, sub := range c.Commands() {
		documentAll(sub)
	}
}
