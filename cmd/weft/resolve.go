// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/pelletier/go-toml/v2"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/cmd/weft/sqlshell"
)

// envPrefix begins the name of every environment variable that weft reads.
const envPrefix = "WEFT_"

// inputs are the places a setting can come from, the strongest first: flags, environment, file, default.
type inputs struct {
	flags    map[string]string // flags given on the command line, by name; --config among them
	environ  []string          // NAME=value
	readFile func(name string) ([]byte, error)
}

// resolvedSetting is a setting with the place its value came from.
type resolvedSetting struct {
	setting
	source string
}

// resolve reads all places. Its error joins every fault found, each naming the place and the key.
func resolve(in inputs) (*config, []resolvedSetting, error) {
	c := new(config)
	var all []resolvedSetting
	var errs []error
	environ, err := readEnviron(in.environ)
	errs = append(errs, err)
	file, fileName, err := readConfigFile(in, environ)
	errs = append(errs, err)
	for _, s := range settings(c) {
		source, raw := "default", s.preset
		if v, ok := file[s.name]; ok {
			source, raw = fileName, v
		}
		if v, ok := environ[envName(s.name)]; ok {
			source, raw = envName(s.name), v
		}
		if v, ok := in.flags[s.name]; ok {
			source, raw = "--"+s.name, v
		}
		if err := s.value.Set(raw); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", place(source, s.name), err))
		}
		all = append(all, resolvedSetting{s, source})
	}
	c.masterKey = environ[masterKeyVariable]
	if err := errors.Join(errs...); err != nil {
		return nil, nil, commandline.Usage(flatten(err))
	}
	if err := c.check(); err != nil {
		return nil, nil, commandline.Usage(flatten(err))
	}
	return c, all, nil
}

// place names a key in a file; flags and variables name themselves.
func place(source, name string) string {
	if strings.HasPrefix(source, "--") || strings.HasPrefix(source, envPrefix) {
		return source
	}
	return source + ": " + name
}

// flatten joins the errors inside joined errors on one level.
func flatten(err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return err
	}
	var flat []error
	for _, e := range joined.Unwrap() {
		if inner, ok := flatten(e).(interface{ Unwrap() []error }); ok {
			flat = append(flat, inner.Unwrap()...)
		} else {
			flat = append(flat, e)
		}
	}
	return errors.Join(flat...)
}

func envName(name string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

func settingNames() []string {
	var names []string
	for _, s := range settings(new(config)) {
		names = append(names, s.name)
	}
	return names
}

// foreign are variables that begin with our prefix and are not ours: those Kubernetes sets for a service named weft,
// and our tests' own.
var foreign = regexp.MustCompile(`_SERVICE_HOST$|_SERVICE_PORT(_|$)|_PORT$|_PORT_\d+_(TCP|UDP)|^WEFT_TEST_`)

// readEnviron picks our variables. One that is not known is an error, for a mistyped name must not be passed over.
func readEnviron(environ []string) (map[string]string, error) {
	known := map[string]bool{envName("config"): true, masterKeyVariable: true, adminCAVariable: true,
		adminCertVariable: true, adminKeyVariable: true, adminTokenVariable: true,
		sqlshell.PasswordVariable: true}
	names := []string{envName("config")}
	for _, name := range settingNames() {
		known[envName(name)] = true
		names = append(names, envName(name))
	}
	ours := map[string]string{}
	var errs []error
	for _, entry := range environ {
		name, v, _ := strings.Cut(entry, "=")
		switch {
		case known[name]:
			ours[name] = v
		case strings.HasPrefix(name, envPrefix) && !foreign.MatchString(name):
			errs = append(errs, fmt.Errorf("%s is not a variable of weft%s", name, commandline.DidYouMean(name, names)))
		}
	}
	return ours, errors.Join(errs...)
}

// readConfigFile reads the TOML file named by --config or WEFT_CONFIG, if any, into texts by key.
func readConfigFile(in inputs, environ map[string]string) (keys map[string]string, name string, err error) {
	name, ok := in.flags["config"]
	if !ok {
		name = environ[envName("config")]
	}
	if name == "" {
		return nil, "", nil
	}
	raw, err := in.readFile(name)
	if err != nil {
		return nil, name, fmt.Errorf("failed to read the configuration file: %w", err)
	}
	var tree map[string]any
	if err := toml.Unmarshal(raw, &tree); err != nil {
		return nil, name, fmt.Errorf("%s: %w", name, syntaxError(err))
	}
	keys = map[string]string{}
	return keys, name, collectKeys(keys, name, "", tree)
}

// syntaxError adds line and column.
func syntaxError(err error) error {
	if decode := (*toml.DecodeError)(nil); errors.As(err, &decode) {
		row, column := decode.Position()
		return fmt.Errorf("line %d, column %d: %s", row, column, strings.TrimPrefix(decode.Error(), "toml: "))
	}
	return err
}

// collectKeys turns the values of tree into texts as a flag would give them.
func collectKeys(keys map[string]string, file, prefix string, tree map[string]any) error {
	names := settingNames()
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		name := prefix + key
		if inner, ok := tree[key].(map[string]any); ok {
			errs = append(errs, collectKeys(keys, file, name+".", inner))
			continue
		}
		if !slices.Contains(names, name) {
			errs = append(errs, fmt.Errorf("%s: there is no key %s%s", file, name, commandline.DidYouMean(name, names)))
			continue
		}
		raw, ok := tomlText(tree[key])
		if !ok {
			errs = append(errs, fmt.Errorf("%s: %s: expected a string, an integer, true or false, or a list of strings",
				file, name))
			continue
		}
		keys[name] = raw
	}
	return errors.Join(errs...)
}

// tomlText writes a TOML value as a flag would.
func tomlText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case int64:
		return strconv.FormatInt(v, 10), true
	case bool:
		return strconv.FormatBool(v), true
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			s, ok := item.(string)
			if !ok {
				return "", false
			}
			items[i] = s
		}
		return strings.Join(items, ","), true
	}
	return "", false
}

// printConfig writes each setting, its value and where that came from.
func printConfig(w io.Writer, all []resolvedSetting) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range all {
		fmt.Fprintf(table, "%s\t%s\t%s\n", r.name, strconv.Quote(r.value.String()), r.source)
	}
	return table.Flush()
}
