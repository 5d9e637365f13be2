// SPDX-License-Identifier: Apache-2.0

package tablefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// parse reads the documents of a text, which is JSON if it begins like it. Their nodes know their lines.
func parse(text []byte) (documents []*yaml.Node, err error) {
	if begin := bytes.TrimSpace(text); len(begin) > 0 && (begin[0] == '{' || begin[0] == '[') {
		return parseJSON(text)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return nil, yamlFault(err)
		}
		for _, n := range document.Content {
			left := nodesMax
			if !isFinite(n, depthMax, &left) {
				return nil, faultAt(n, "it nests too deep, or its aliases make too much of it")
			}
			documents = append(documents, n)
		}
	}
}

// nodesMax bounds what aliases make of a document.
const nodesMax = 1 << 20

// isFinite reports whether a document has no more than left nodes, and depth levels, if its aliases are followed.
func isFinite(n *yaml.Node, depth int, left *int) bool {
	if *left--; depth == 0 || *left < 0 {
		return false
	}
	return !slices.ContainsFunc(target(n).Content,
		func(inner *yaml.Node) bool { return !isFinite(inner, depth-1, left) })
}

// yamlLine finds the line in an error of the library, which has no field for it. // immutable
var yamlLine = regexp.MustCompile(`^yaml: line (\d+): `)

func yamlFault(err error) error {
	text := err.Error()
	if match := yamlLine.FindStringSubmatch(text); match != nil {
		line, _ := strconv.Atoi(match[1]) // digits that are too many are no line
		return &Error{line, strings.TrimPrefix(text, match[0])}
	}
	return &Error{Text: strings.TrimPrefix(text, "yaml: ")}
}

// jsonReader makes nodes of JSON. The library for YAML would take most JSON, but no tabs.
type jsonReader struct {
	text    []byte
	decoder *json.Decoder
	line    int // of at
	at      int64
}

func parseJSON(text []byte) (documents []*yaml.Node, err error) {
	r := &jsonReader{text: text, decoder: json.NewDecoder(bytes.NewReader(text)), line: 1}
	r.decoder.UseNumber()
	for {
		document, err := r.next()
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, &Error{r.lineAt(syntax.Offset), "it is no JSON: " + syntax.Error()}
		}
		if err != nil {
			return nil, &Error{r.lineAt(int64(len(text))), "it is no JSON: " + err.Error()}
		}
		documents = append(documents, document)
	}
}

// lineAt is the line of an offset, which must not be before one that was asked for.
func (r *jsonReader) lineAt(offset int64) int {
	offset = min(max(offset, r.at), int64(len(r.text)))
	r.line += bytes.Count(r.text[r.at:offset], []byte{'\n'})
	r.at = offset
	return r.line
}

// next reads a value. io.EOF says that there is none.
func (r *jsonReader) next() (*yaml.Node, error) {
	token, err := r.decoder.Token()
	if err != nil {
		return nil, err
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Line: r.lineAt(r.decoder.InputOffset())}
	switch t := token.(type) {
	case json.Delim:
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
		if t == '[' {
			n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
		}
		for r.decoder.More() {
			element, err := r.next()
			if err != nil {
				return nil, noEnd(err)
			}
			n.Content = append(n.Content, element)
		}
		_, err = r.decoder.Token()
		return n, noEnd(err)
	case nil:
		n.Tag = "!!null"
	case bool:
		n.Tag, n.Value = "!!bool", strconv.FormatBool(t)
	case json.Number:
		n.Tag, n.Value = "!!float", t.String()
	case string:
		n.Value = t
	}
	return n, nil
}

// noEnd makes an error of the text's end within a value.
func noEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// member is the value of a member of a mapping; nil if there is none, or if n is no mapping, or nil.
func member(n *yaml.Node, name string) *yaml.Node {
	n = target(n)
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return target(n.Content[i+1])
		}
	}
	return nil
}

// target follows an alias.
func target(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// textOf is the text of a member that is a scalar, else "".
func textOf(n *yaml.Node, name string) string {
	if m := member(n, name); m != nil && m.Kind == yaml.ScalarNode && m.Tag != "!!null" {
		return m.Value
	}
	return ""
}

// kindOf says what stands at a node.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "an object"
	case yaml.SequenceNode:
		return "a list"
	}
	return fmt.Sprintf("%q", n.Value)
}
