// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// workplace finds traces of where and how a text was written. The words are cut so that this file passes its own law.
var workplace = regexp.MustCompile(`(?i)\biss` + `ue #|(^|[^\w.])/wo` + `rk/|/tm` + `p/(w/|bash_jobs)|\bhelper` +
	` agents?\b|\bsub-?` + `agents?\b|\b(coding|agent|assistant) ` + `session`)

// checkWorkplace looks at any text file.
func checkWorkplace(name, text string) []finding {
	var found []finding
	for i, line := range strings.Split(text, "\n") {
		if match := workplace.FindString(line); match != "" {
			found = append(found, finding{name, i + 1,
				fmt.Sprintf("%q speaks of the workplace: the project speaks of itself alone",
					strings.TrimSpace(match))})
		}
	}
	return found
}

// checkPromises looks for unfinished work in texts that are not Go, where checkUnfinished looks at comments.
func checkPromises(name, text string) []finding {
	if !slices.Contains([]string{".md", ".ts", ".tsx", ".sh", ".yaml", ".yml", ".toml", ""}, path.Ext(name)) {
		return nil
	}
	var found []finding
	for i, line := range strings.Split(text, "\n") {
		if match := unfinished.FindString(line); match != "" {
			found = append(found, finding{name, i + 1, match + ": do it now, or describe the limit as it is"})
		}
	}
	return found
}

// proseWidth is how long a line of a page may be.
const proseWidth = 100

// checkWidth looks for lines of pages that are longer, other than those that can't be wrapped: tables, headings, code,
// HTML, and lines of links.
func checkWidth(name, text string) []finding {
	if path.Ext(name) != ".md" {
		return nil
	}
	var found []finding
	code := false
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		if !code && utf8.RuneCountInString(line) > proseWidth && !strings.ContainsAny(line[:1], "|#<[!") {
			found = append(found, finding{name, i + 1,
				fmt.Sprintf("a line of more than %d characters: wrap it", proseWidth)})
		}
	}
	return found
}

// TestTexts reads every tracked text file.
func TestTexts(t *testing.T) {
	names, err := trackedFiles()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 || strings.HasPrefix(name, "LICENSE") {
			continue
		}
		for _, f := range slices.Concat(checkWorkplace(name, string(text)), checkPromises(name, string(text)),
			checkWidth(name, string(text))) {
			t.Error(f)
		}
	}
}

// directModules lists the modules of go.mod that some file of the repository imports.
func directModules(modules, imports []string) []string {
	var direct []string
	for _, imported := range imports {
		best := ""
		for _, module := range modules {
			if below(imported, module) && len(module) > len(best) {
				best = module
			}
		}
		if best != "" && !slices.Contains(direct, best) {
			direct = append(direct, best)
		}
	}
	slices.Sort(direct)
	return direct
}

// undocumentedModules lists the direct modules that no line of CONTRIBUTING.md names.
func undocumentedModules(direct []string, contributing string) []string {
	return slices.DeleteFunc(slices.Clone(direct), func(module string) bool {
		return regexp.MustCompile(`(?m)` + regexp.QuoteMeta(module) +
			`([^\w/.-]|\.?\s|$).*\w`).MatchString(contributing)
	})
}

// modules are the folders of the modules in go.work.
var modules = []string{".", "bench", "test", "zorder/zdynamo"} // immutable

// TestDependencies wants a reason for each dependency.
func TestDependencies(t *testing.T) {
	var imports []string
	for _, s := range loadSources(t) {
		for _, spec := range s.file.Imports {
			imports = append(imports, strings.Trim(spec.Path.Value, `"`))
		}
	}
	var required []string
	for _, dir := range modules {
		required = append(required, requiredModules(readFile(t, filepath.Join(dir, "go.mod"),
			"every module has one"))...)
	}
	direct := slices.DeleteFunc(directModules(required, imports),
		func(module string) bool { return below(module, modulePath) })
	contributing := readFile(t, "CONTRIBUTING.md",
		fmt.Sprintf("write it, with one line for each direct dependency that says why it is there: %s",
			strings.Join(direct, ", ")))
	for _, module := range undocumentedModules(direct, contributing) {
		t.Errorf("CONTRIBUTING.md has no line for %s: say there in one line why it is needed, or do without it", module)
	}
}

var (
	fenced    = regexp.MustCompile("(?ms)^```[^\n]*\n(.*?)^```")
	ourLine   = regexp.MustCompile(`^\s*(?:\$ )?(?:[A-Z_]+=\S+ )*(?:\./)?(?:bin/)?weft(?:\s+([a-z][a-z-]*))?(\s.*)?$`)
	makeLine  = regexp.MustCompile(`^\s*(?:\$ )?make\s+([a-z][a-z-]*)`)
	flagWord  = regexp.MustCompile(`\s--([a-z][a-z0-9-]*)`)
	endOfLine = regexp.MustCompile(`\s(#|\||&&|;|>|<|&).*$`)
)

// checkReadme compares the commands in README.md's code blocks with those that exist. words are the string literals of
// cmd/weft.
func checkReadme(readme string, commands, words, targets []string) []string {
	var found []string
	for _, block := range fenced.FindAllStringSubmatch(readme, -1) {
		for _, line := range strings.Split(block[1], "\n") {
			line = endOfLine.ReplaceAllString(line, "")
			if match := makeLine.FindStringSubmatch(line); match != nil && !slices.Contains(targets, match[1]) {
				found = append(found, fmt.Sprintf("the Makefile has no target %s", match[1]))
			}
			match := ourLine.FindStringSubmatch(line)
			if match == nil {
				continue
			}
			if match[1] != "" && !slices.Contains(commands, match[1]) {
				found = append(found, fmt.Sprintf("weft has no command %s", match[1]))
			}
			for _, flag := range flagWord.FindAllStringSubmatch(match[2], -1) {
				if !slices.Contains(words, flag[1]) && flag[1] != "help" {
					found = append(found, fmt.Sprintf("weft has no flag --%s", flag[1]))
				}
			}
		}
	}
	return found
}

// commandWords collects the names of cmd/weft's commands (the first word of each Use field) and all string literals of
// it and the packages below it.
func commandWords(all []*source) (commands, words []string) {
	commands = []string{"help", "completion"} // cobra's own
	for _, s := range all {
		if !below(s.dir, "cmd/weft") || s.isTest {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch e := n.(type) {
			case *ast.BasicLit:
				if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
					words = append(words, text)
				}
			case *ast.KeyValueExpr:
				key, isIdent := e.Key.(*ast.Ident)
				value, isLiteral := e.Value.(*ast.BasicLit)
				if isIdent && isLiteral && key.Name == "Use" {
					text, _ := strconv.Unquote(value.Value)
					commands = append(commands, strings.SplitN(text, " ", 2)[0])
				}
			}
			return true
		})
	}
	return commands, words
}

// TestReadme keeps README.md from promising commands that do not exist.
func TestReadme(t *testing.T) {
	readme := readFile(t, "README.md", "write it: what Weft is, one command to run it, the first query")
	makefile := readFile(t, "Makefile", "the commands of CONTRIBUTING.md live there")
	var targets []string
	for _, match := range regexp.MustCompile(`(?m)^([a-z][a-z-]*):`).FindAllStringSubmatch(makefile, -1) {
		targets = append(targets, match[1])
	}
	commands, words := commandWords(loadSources(t))
	for _, text := range checkReadme(readme, commands, words, targets) {
		t.Errorf("README.md: %s: correct the README or add it", text)
	}
}
