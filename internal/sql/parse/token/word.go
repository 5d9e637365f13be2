// SPDX-License-Identifier: Apache-2.0

package token

import (
	"strings"

	"github.com/weftdb/weft/internal/sql/tree"
)

// grammarWords are the words of the grammar that are not reserved. Each of them may be a name.
const grammarWords = ` abort action after against algorithm allow always analyse any ascii async at auto_increment begin bool boolean both btree build
 cached cast chain charset checksum code collation columnar columns comment commit committed compact compression concurrent connection consistent count
 create current_role data date datetime day deallocate definer disable disabled discard do dumpfile dynamic enable enabled end engine engines enum error errors escape
 estimated events execute exists expansion extended extract fields filtering first fixed flush format full function general geometry geometrycollection global grants
 handler hash help hour identified import include indexes insert_method instance invisible isolation json key_block_size kv language last level
 linestring local locked logs map master max_rows member memory merge microsecond min_rows minute mode modify month multilinestring multipoint multipolygon
 national nchar next no none nowait number nvarchar offline offset only open pack_keys parser partial partitions password persist persist_only
 phase plan plugins point polygon position preceding prepare privileges processlist profile profiles quarter query quick rebuild regions
 remove reorganize repair repeatable reset role roles rollback row row_format savepoint search second security sequence serializable session share signed
 slave snapshot some sonname sounds start status stats_auto_recalc stats_persistent storage string substr substring suspend sync system table_statistics
 tables tablespace temporary text than time timestamp transaction triggers trim truncate type types uncommitted undefined unicode unknown unmap upgrade
 upsert user validation value variables view views visible warnings week without work xa xml year zorder current
 duplicate skip implementation reverse server slaves hosts replicas replica binary binlog relaylog engine_attribute routine invoker mutex keyspaces families family
 names resource no_write_to_binlog of column_format directory event active inactive coalesce job jobs index_state stats hot cold offline online version idc default
 option admin routine routines usage account attribute failed_login_attempts random retain tablespace replication client enforced persistent simple following unbounded nulls respect groups rollup oj cascaded temptable exclude `

// words maps a word in lower case to itself, which is the one that the parser compares with. It is immutable.
var words = makeWords()

func makeWords() map[string]string {
	table := map[string]string{}
	for _, word := range append(tree.ReservedWords(), strings.Fields(grammarWords)...) {
		table[word] = word
	}
	return table
}

// wordLengthMax is the length of the longest word of the grammar, with room.
const wordLengthMax = 32

// LookUp returns the word of the grammar that a name without quotes is, "" if it is none.
func LookUp(name []byte) string {
	var buffer [wordLengthMax]byte
	if len(name) > wordLengthMax {
		return ""
	}
	for i, c := range name {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		buffer[i] = c
	}
	return words[string(buffer[:len(name)])]
}
