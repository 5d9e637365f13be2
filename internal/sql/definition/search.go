// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/index/search"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

const (
	optionAnalyzer = "ANALYZER" // of a search index
	optionParser   = "PARSER"   // MySQL's word for it
	// optionAsyncEntries is the number of entries a change of a row may write in an asynchronous index within its
	// commit.
	optionAsyncEntries = "ASYNC_ENTRIES"
	optionPartition    = "PARTITION BY" // without effect

	analyzerDefault = "standard"
	analyzerTrigram = "trigram"
)

// isSearch reports whether an index finds words and values in any combination.
func isSearch(d *tree.IndexDefinition) bool {
	return d.Kind == tree.IndexSearch || d.Kind == tree.IndexFullText
}

// search completes what a search index is to be.
func (l Limits) search(spec *database.IndexSpec, d *tree.IndexDefinition, t *Table) (err error) {
	spec.Search, spec.Unique = true, false
	if d.Unique {
		return refusal("a search index can't be UNIQUE: make a separate unique index")
	}
	// INCLUDE has no effect: a row that is found is read from the table by its key, and a copy in the index would take
	// as long to read.
	if err := t.checkInclude(&database.IndexSpec{Include: d.Include}); err != nil {
		return err
	}
	analyzer, options, err := analyzerOf(d)
	if err == nil {
		options, err = asyncOf(spec, d, options)
	}
	if err != nil {
		return err
	}
	for i := range d.Key {
		if err := checkField(t, &d.Key[i], d.Kind == tree.IndexSearch); err != nil {
			return err
		}
	}
	if d.Kind == tree.IndexFullText {
		names := make([]string, len(d.Key))
		for i := range d.Key {
			names[i] = d.Key[i].Column
		}
		err = addWords(spec, t, analyzer, names...)
	} else {
		err = l.fields(spec, t, everyField(t, d.Key), analyzer)
	}
	if err != nil {
		return err
	}
	stored, err := indexOptions(t, options)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(stored)
	spec.Dialect = map[string]json.RawMessage{Dialect: raw}
	return err
}

// analyzerOf finds the analyzer among the options of an index, and returns the other ones.
func analyzerOf(d *tree.IndexDefinition) (analyzer string, others []tree.Option, err error) {
	analyzer = analyzerDefault
	for _, o := range d.Options {
		switch strings.ToUpper(o.Name) {
		case optionAnalyzer:
			analyzer = strings.ToLower(o.Value)
		case optionParser:
			if o.Value != "ngram" {
				return "", nil, refusal(
					"WITH PARSER %s is refused: ngram is the only parser; other analyzers are set by WITH (ANALYZER='english')", o.Value)
			}
			analyzer = "bigram"
		case optionPartition:
		default:
			others = append(others, o)
		}
	}
	return analyzer, others, nil
}

// asyncOf reads from a definition whether changes of rows are left to a job, and which.
func asyncOf(spec *database.IndexSpec, d *tree.IndexDefinition, options []tree.Option) (others []tree.Option,
	err error) {
	if d.Async {
		spec.Async = new(schema.Async)
	}
	for _, o := range options {
		if strings.ToUpper(o.Name) != optionAsyncEntries {
			others = append(others, o)
			continue
		}
		n, err := strconv.Atoi(o.Value)
		switch {
		case !d.Async:
			return nil, refusal("%s needs the word ASYNC after the columns of the index", optionAsyncEntries)
		case err != nil || n < 0:
			return nil, refusal("%s='%s' is refused: it is a whole number of entries, 0 or more", optionAsyncEntries,
				o.Value)
		}
		spec.Async.EntriesMax = n
	}
	return others, nil
}

// asyncText writes that a search index is asynchronous as DDL does, and its options.
func (x *Index) asyncText() (word string, options map[string]string) {
	if x.Schema.Async == nil {
		return "", x.Options
	}
	options = maps.Clone(x.Options)
	if most := x.Schema.Async.EntriesMax; most > 0 {
		options[optionAsyncEntries] = strconv.Itoa(most)
	}
	return " ASYNC", options
}

// checkField refuses what is no column of a search index. patterns says that it may be a wildcard column, or `*` for
// all columns.
func checkField(t *Table, e *tree.KeyElement, patterns bool) error {
	switch {
	case isPattern(e.Column) && t.Families != nil:
		return refusal("'%s' is refused in a search index of a table that was made over HBase: map the columns to index, and name them", e.Column)
	case patterns && e.Column == everyColumn:
		return nil
	case isPattern(e.Column) && (!patterns || !t.hasWildcard(e.Column)):
		return refusal("'%s' is refused: a search index takes single columns, wildcard columns as the table declares them, and `*` for all; FULLTEXT takes single columns only", e.Column)
	case e.Column == "" || e.Prefix > 0 || e.Descending:
		return refusal("%s is refused in a search index, which holds whole columns", expression(e))
	}
	if _, ok := t.Column(e.Column); !ok {
		return fault.New(fault.KeyColumnUnknown, e.Column).Meant(e.Column, t.Names())
	}
	return nil
}

// everyColumn stands for all columns of a table in a search index.
const everyColumn = "*"

// everyField replaces `*` by the table's columns behind the key, and its wildcard columns. Columns that are added later
// are not among them.
func everyField(t *Table, elements []tree.KeyElement) (all []tree.KeyElement) {
	for _, e := range elements {
		if e.Column != everyColumn {
			all = append(all, e)
			continue
		}
		for i := range t.Columns {
			if c := &t.Columns[i]; c.KeyPart < 0 && !c.Invisible {
				all = append(all, tree.KeyElement{Column: c.Name, At: e.At, Options: e.Options})
			}
		}
		for _, w := range t.Wildcards {
			all = append(all, tree.KeyElement{Column: w.Pattern, At: e.At, Options: e.Options})
		}
	}
	return all
}

func (t *Table) hasWildcard(pattern string) bool {
	return slices.ContainsFunc(t.Wildcards, func(w Wildcard) bool { return w.Pattern == pattern })
}

// fields are the columns of USING SEARCH, each with its options: type=text for words, analyzer=.., infix=true for LIKE
// '%x%'; else values.
func (l Limits) fields(spec *database.IndexSpec, t *Table, elements []tree.KeyElement, analyzer string) error {
	for i := range elements {
		e := &elements[i]
		own, words, infix := analyzer, false, false
		for _, o := range e.Options {
			switch value := strings.ToLower(o.Value); {
			case o.Name == "type":
				words = value == "text"
			case o.Name == "analyzer":
				own, words = value, true
			case o.Name == "infix" && (value == wordTrue || value == wordFalse):
				infix = value == wordTrue
			case o.Name == "indexed" || o.Name == "rowstored" || o.Name == "columnstored":
			default:
				return refusal("option %s=%s of column '%s' is unknown: a column of a search index takes type=text, analyzer=%s, infix=true", o.Name, o.Value, e.Column, analyzerDefault)
			}
		}
		var err error
		if words {
			err = addWords(spec, t, own, e.Column)
		} else {
			err = addValues(spec, t, e)
		}
		if err == nil && infix {
			err = addWords(spec, t, analyzerTrigram, e.Column)
		}
		if err != nil {
			return err
		}
	}
	if len(spec.Key) > schema.FieldsMax {
		return fault.New(fault.TooManyKeyParts, schema.FieldsMax)
	}
	return nil
}

// Fields is the key of a search index after ALTER INDEX .. ADD or DROP COLUMNS.
func (l Limits) Fields(t *Table, st *tree.BuildIndex) ([]schema.KeyPart, error) {
	at := slices.IndexFunc(t.Indexes, func(x Index) bool { return x.Name == st.Index })
	if at < 0 || !t.Indexes[at].Schema.Search {
		return nil, refusal("ALTER INDEX .. %s COLUMNS is for search indexes: drop index '%s', and make it anew",
			st.Alter, st.Index)
	}
	spec := database.IndexSpec{Key: slices.Clone(t.Indexes[at].Schema.Key)}
	for i := range st.Fields {
		if err := checkField(t, &st.Fields[i], true); err != nil {
			return nil, err
		}
	}
	if st.Alter == "ADD" {
		err := l.fields(&spec, t, everyField(t, st.Fields), analyzerDefault)
		return spec.Key, err
	}
	for i := range st.Fields {
		name := st.Fields[i].Column
		kept := slices.DeleteFunc(slices.Clone(spec.Key),
			func(p schema.KeyPart) bool { return len(p.Args) == 1 && p.Args[0].Column == name })
		if len(kept) == len(spec.Key) {
			return nil, fault.New(fault.DropColumnUnknown, name)
		}
		spec.Key = kept
	}
	if len(spec.Key) == 0 {
		return nil, refusal("index '%s' would be left without a column: drop it", st.Index)
	}
	return spec.Key, nil
}

func addWords(spec *database.IndexSpec, t *Table, analyzer string, columns ...string) error {
	for _, name := range columns {
		if isPattern(name) {
			return refusal("the words of wildcard columns such as '%s' can't be searched: declare the column to search",
				name)
		}
		if c, _ := t.Column(name); !c.Type.IsText() && c.Type.Base != datum.Untyped {
			return refusal("column '%s' holds no text: only the words of text columns can be searched", name)
		}
	}
	part, err := database.Words(analyzer, columns...)
	if err != nil {
		return refusal("the words of column '%s' can't be searched: %s", columns[0],
			strings.TrimPrefix(err.Error(), "weft: "))
	}
	for i, name := range columns {
		c, _ := t.Column(name)
		part.Args[i].Codec = c.Type.Codec()
	}
	return addField(spec, part)
}

func addValues(spec *database.IndexSpec, t *Table, e *tree.KeyElement) error {
	for _, w := range t.Wildcards {
		if w.Pattern != e.Column {
			continue
		}
		typed, ok := KeyType(w.Type)
		if !ok {
			return refusal("wildcard column '%s' of type %s can't be in a search index", w.Pattern, TypeName(w.Type))
		}
		return addField(spec, schema.KeyPart{Name: w.Pattern, Type: typed, Pattern: true,
			Args: []schema.Argument{{Column: w.Pattern, Type: typed}}})
	}
	part, err := columnPart(t, &tree.KeyElement{Column: e.Column, At: e.At})
	if err != nil {
		return err
	}
	return addField(spec, part)
}

func addField(spec *database.IndexSpec, part schema.KeyPart) error {
	if slices.ContainsFunc(spec.Key, func(p schema.KeyPart) bool { return p.Name == part.Name }) {
		return fault.New(fault.ColumnTwice, part.Name)
	}
	spec.Key = append(spec.Key, part)
	return nil
}

// searchText writes a search index as DDL does.
func (t *Table) searchText(x *Index) string {
	key := x.Schema.Key
	async, options := x.asyncText()
	if len(key) == 1 && key[0].Function == schema.Words && plainAnalyzer(&key[0]) != analyzerTrigram {
		if analyzer := plainAnalyzer(&key[0]); analyzer != analyzerDefault {
			options = maps.Clone(options)
			options[optionAnalyzer] = analyzer
		}
		return "FULLTEXT KEY " + tree.Quote(x.Name) + " (" + columnNames(&key[0]) + ")" + async +
			withText(options, " COMMENT ")
	}
	return "KEY " + tree.Quote(x.Name) + " USING SEARCH (" + strings.Join(FieldTexts(x.Schema), ",") + ")" + async +
		withText(options, " COMMENT ")
}

// plainAnalyzer is the name of a field's analyzer, without the version if that is the present one.
func plainAnalyzer(p *schema.KeyPart) string {
	name, _, _ := strings.Cut(p.Analyzer, "/")
	if a, err := search.Open(name); err == nil && a.Name() == p.Analyzer {
		return name
	}
	return p.Analyzer
}

func columnNames(p *schema.KeyPart) string {
	names := make([]string, len(p.Args))
	for i := range p.Args {
		names[i] = tree.Quote(p.Args[i].Column)
	}
	return strings.Join(names, ",")
}

// FieldTexts writes the columns of a search index as DDL does, with their options.
func FieldTexts(x *schema.Index) (texts []string) {
	at := map[string]int{}
	for i := range x.Key {
		p := &x.Key[i]
		text := columnNames(p)
		switch {
		case strings.HasPrefix(p.Analyzer, analyzerTrigram+"/"):
			if before, ok := at[text]; ok {
				texts[before] = withOption(texts[before], "infix=true")
				continue
			}
			text += "(infix=true)"
		case p.Function == schema.Words:
			text += "(type=text, analyzer=" + plainAnalyzer(p) + ")"
		}
		at[columnNames(p)] = len(texts)
		texts = append(texts, text)
	}
	return texts
}

func withOption(text, option string) string {
	if inner, ok := strings.CutSuffix(text, ")"); ok {
		return inner + ", " + option + ")"
	}
	return text + "(" + option + ")"
}

// Words is a field of words in a search index of a table.
type Words struct {
	Index    string
	Field    int // its place in the index's key
	Analyzer string
}

// WordsOf finds the field of words of some columns. Errors: 1191.
func (t *Table) WordsOf(columns []string) (Words, error) {
	best, found := Words{}, false
	var others []string
	for i := range t.Indexes {
		x := t.Indexes[i].Schema
		for j := range x.Key {
			p := &x.Key[j]
			switch {
			case x.Search && p.HasWordsOf(columns) && (!found || x.State.Readable()):
				best, found = Words{x.Name, j, p.Analyzer}, true
			case x.Search && p.Function == schema.Words && !strings.HasPrefix(p.Analyzer, analyzerTrigram+"/"):
				others = append(others, "MATCH ("+strings.ReplaceAll(columnNames(p), "`", "")+")")
			}
		}
	}
	if found {
		return best, nil
	}
	advice := "create one: CREATE FULLTEXT INDEX ft_" + strings.Join(columns, "_") + " ON " + t.Name + " (" +
		strings.Join(columns, ", ") + ")"
	if len(others) > 0 {
		advice = "the table's indexes serve " + strings.Join(others, ", ") + "; for these columns, " + advice
	}
	return best, fault.Message(fault.NoFullText, "Can't find FULLTEXT index matching the column list: %s", advice)
}
