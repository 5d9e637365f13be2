// SPDX-License-Identifier: Apache-2.0

package schema

import "slices"

// A feature is something about a table that a program must know to read or write its rows rightly. A store keeps the
// names of those that a table of it has ever used, so that a program that lacks one refuses the store rather than break
// its promises. Names never change.
const (
	featureUnique   = "unique-indexes"
	featureSearch   = "search-indexes"
	featureAsync    = "asynchronous-indexes"
	featureIdentity = "identity-keys"    // columns of computed parts stand in a table's own key
	featureCodecs   = "column-codecs"    // columns hold bytes that stand for other values
	featureGroups   = "cell-groups"      // rules of cells by families
	featureJournal  = "journal"          // streams and what else needs the changes of rows
	featureRenames  = "renamed-columns"  // dictionaries of attribute names by versions
	featureSQL      = "rules-sql"        // SQL's rules about the writes of rows
	featureHBase    = "rules-hbase"      // those of HBase's APIs
	featureHeld     = "held-tables"      // tables whose rows are on their way into another one
	FeatureAuto     = "auto-increment"   // SQL's AUTO_INCREMENT
	FeatureDefault  = "default-values"   // SQL's defaults that are computed
	FeatureOnUpdate = "on-update"        // SQL's ON UPDATE CURRENT_TIMESTAMP
	FeatureZoned    = "zoned-timestamps" // SQL's TIMESTAMPs that follow a session's time zone
	FeatureMicros   = "microseconds"     // SQL's times of six digits
	FeatureLists    = "lists-of-changes" // several changes of a row by one commit, which are moved to the journal
)

// KnownFeatures returns the names of all features that this program knows.
func KnownFeatures() []string {
	return []string{
		featureUnique, featureSearch, featureAsync, featureIdentity, featureCodecs, featureGroups, featureJournal,
		featureRenames, featureSQL, featureHBase, featureHeld,
		FeatureAuto, FeatureDefault, FeatureOnUpdate, FeatureZoned, FeatureMicros, FeatureLists,
	}
}

// Features returns the names of the features that the table uses, in their order.
func (t *Table) Features() []string {
	names := slices.Clone(t.Rules.Features)
	use := func(name string, used bool) {
		if used {
			names = append(names, name)
		}
	}
	use(featureJournal, len(t.Streams) > 0 || len(t.Destinations) > 0 || t.Recovery != nil)
	use(featureRenames, t.Renames > 0)
	use(featureHeld, t.Held != "" || t.Copied)
	rules := t.Rules.Puts || t.Rules.Deletes
	use(featureSQL, rules && t.Rules.Dialect == "SQL")
	use(featureHBase, rules && t.Rules.Dialect == "HBase")
	use(featureGroups, t.Cells != nil && (len(t.Cells.Groups) > 0 || t.Cells.Uncovers))
	for _, x := range append([]Index{t.Primary}, t.Indexes...) {
		use(featureUnique, x.Unique)
		use(featureSearch, x.Search)
		use(featureAsync, x.Async != nil)
		use(featureIdentity, x.IsIdentified())
		for i := range x.Key {
			use(featureCodecs, slices.ContainsFunc(x.Key[i].Args, func(a Argument) bool { return a.Codec != 0 }))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
