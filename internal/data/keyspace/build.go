// SPDX-License-Identifier: Apache-2.0

package keyspace

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/weftdb/weft/order"
)

// AppendMeta appends the key of a word of the store itself, such as "format".
func AppendMeta(dst []byte, word string) []byte {
	return order.AppendBytes(append(dst, tagMeta), []byte(word))
}

// AppendTable appends the key of a table's descriptor.
func AppendTable(dst []byte, table uint32) []byte {
	return order.AppendUvarint(append(dst, tagTable), uint64(table))
}

// AppendTables appends the prefix of all descriptors.
func AppendTables(dst []byte) []byte { return append(dst, tagTable) }

// AppendName appends the key that holds the id of a named table.
func AppendName(dst []byte, database, name string) []byte {
	dst = order.AppendBytes(append(dst, tagName), []byte(database))
	return order.AppendBytes(dst, []byte(name))
}

// AppendNames appends the prefix of all names of a database, which lie in the order of the names.
func AppendNames(dst []byte, database string) []byte {
	return order.AppendBytes(append(dst, tagName), []byte(database))
}

// AppendAttribute appends the key of the name of one attribute id.
func AppendAttribute(dst []byte, table, id uint32) []byte {
	return order.AppendUvarint(AppendAttributes(dst, table), uint64(id))
}

// AppendAttributes appends the prefix of a table's attribute names.
func AppendAttributes(dst []byte, table uint32) []byte {
	return order.AppendUvarint(append(dst, tagAttribute), uint64(table))
}

// AppendAllAttributes appends the prefix of the attribute names of all tables.
func AppendAllAttributes(dst []byte) []byte { return append(dst, tagAttribute) }

// AppendBoundary appends the key of one version of an index's segment boundaries.
func AppendBoundary(dst []byte, table, index uint32, version uint64) []byte {
	return order.AppendUvarint(AppendBoundaries(dst, table, index), version)
}

// AppendBoundaries appends the prefix of all versions of an index's segment boundaries.
func AppendBoundaries(dst []byte, table, index uint32) []byte {
	return order.AppendUvarint(AppendTableBoundaries(dst, table), uint64(index))
}

// AppendJob appends the key of a job.
func AppendJob(dst []byte, job uint64) []byte {
	return order.AppendUvarint(append(dst, tagJob), job)
}

// AppendJobs appends the prefix of all jobs.
func AppendJobs(dst []byte) []byte { return append(dst, tagJob) }

// AppendToken appends the key of the record of a token in one bucket of time.
func AppendToken(dst []byte, bucket uint64, id string) []byte {
	return order.AppendBytes(AppendTokens(dst, bucket), []byte(id))
}

// AppendTokens appends the prefix of all tokens of a bucket. As a key it lies before them and behind those of earlier
// buckets.
func AppendTokens(dst []byte, bucket uint64) []byte {
	return order.AppendUvarint(AppendAllTokens(dst), bucket)
}

// AppendAllTokens appends the prefix of all tokens.
func AppendAllTokens(dst []byte) []byte { return append(dst, tagToken) }

// AppendGateway appends the key of a gateway's record.
func AppendGateway(dst []byte, id string) []byte {
	return order.AppendBytes(AppendGateways(dst), []byte(id))
}

// AppendGateways appends the prefix of all gateways' records.
func AppendGateways(dst []byte) []byte { return append(dst, tagGateway) }

// AppendOwner appends the key of the owner of some work.
func AppendOwner(dst []byte, work string) []byte {
	return order.AppendBytes(append(dst, tagOwner), []byte(work))
}

// AppendAccount appends the key of a user's account.
func AppendAccount(dst []byte, name string) []byte {
	return order.AppendBytes(append(dst, tagAccount), []byte(name))
}

// AppendAccounts appends the prefix of all accounts, which lie in the order of their names.
func AppendAccounts(dst []byte) []byte { return append(dst, tagAccount) }

// AppendAccessKey appends the key of an access key's record.
func AppendAccessKey(dst []byte, id string) []byte {
	return order.AppendBytes(AppendAccessKeys(dst), []byte(id))
}

// AppendAdminToken appends the key of the record of a token of the admin port.
func AppendAdminToken(dst []byte, id string) []byte {
	return order.AppendBytes(AppendAdminTokens(dst), []byte(id))
}

// AppendAdminTokens appends the prefix of all tokens of the admin port.
func AppendAdminTokens(dst []byte) []byte { return append(dst, tagAdmin) }

// AppendAccessKeys appends the prefix of all access keys.
func AppendAccessKeys(dst []byte) []byte { return append(dst, tagAccessKey) }

// AppendView appends the key of a view.
func AppendView(dst []byte, database, name string) []byte {
	return order.AppendBytes(AppendDatabaseViews(dst, database), []byte(name))
}

// AppendDatabaseViews appends the prefix of all views of a database, which lie in the order of the names.
func AppendDatabaseViews(dst []byte, database string) []byte {
	return order.AppendBytes(AppendViews(dst), []byte(database))
}

// AppendViews appends the prefix of all views.
func AppendViews(dst []byte) []byte { return append(dst, tagView) }

// AppendCounter appends the key of one of a table's counters.
func AppendCounter(dst []byte, table, counter uint32) []byte {
	return order.AppendUvarint(AppendCounters(dst, table), uint64(counter))
}

// AppendCounters appends the prefix of all counters of a table.
func AppendCounters(dst []byte, table uint32) []byte {
	return order.AppendUvarint(append(dst, tagCounter), uint64(table))
}

// AppendRows appends the prefix of an index's entries; index 0 holds the rows.
func AppendRows(dst []byte, table, index uint32) []byte {
	return order.AppendUvarint(AppendTableRows(dst, table), uint64(index))
}

// AppendTableRows appends the prefix of the rows and all index entries of a table.
func AppendTableRows(dst []byte, table uint32) []byte {
	return order.AppendUvarint(append(dst, tagRow), uint64(table))
}

// AppendTableBoundaries appends the prefix of the segment boundaries of all indexes of a table.
func AppendTableBoundaries(dst []byte, table uint32) []byte {
	return order.AppendUvarint(append(dst, tagBoundary), uint64(table))
}

// SoughtName names what IsSought says. It changes with that.
const SoughtName = "Rows"

// IsSought reports whether readers ask for a key by itself. Entries of indexes are only walked over, but for a few that
// verification looks at.
func IsSought(key []byte) bool {
	_, index, _, ok := CutRow(key)
	return !ok || index == 0
}

// CutRow takes the key of a row or of an index entry apart; size is the number of bytes that stand before its own key.
// ok is false for keys of other sections and for prefixes that end before. It allocates nothing.
func CutRow(key []byte) (table, index uint32, size int, ok bool) {
	if len(key) == 0 || key[0] != tagRow {
		return 0, 0, 0, false
	}
	t, rest, err := order.CutUvarint(key[1:])
	if err != nil {
		return 0, 0, 0, false
	}
	x, rest, err := order.CutUvarint(rest)
	if err != nil || t > math.MaxUint32 || x > math.MaxUint32 {
		return 0, 0, 0, false
	}
	return uint32(t), uint32(x), len(key) - len(rest), true
}

// AppendRegion appends the key of the region of an index that begins at start, which is relative to the index.
func AppendRegion(dst []byte, table, index uint32, start []byte) []byte {
	return append(AppendRegions(dst, table, index), start...)
}

// AppendRegions appends the prefix of all regions of an index but the first, which has no entry.
func AppendRegions(dst []byte, table, index uint32) []byte {
	return order.AppendUvarint(AppendTableRegions(dst, table), uint64(index))
}

// AppendTableRegions appends the prefix of the regions of all indexes of a table.
func AppendTableRegions(dst []byte, table uint32) []byte {
	return order.AppendUvarint(append(dst, tagRegion), uint64(table))
}

const stampBytes = 8 // kv.StampBytes

// AppendJournal appends the prefix of the changes that a bucket of a table's journal has from a stamp on.
func AppendJournal(dst []byte, table uint32, bucket uint8, stamp uint64) []byte {
	return binary.BigEndian.AppendUint64(AppendJournalBucket(dst, table, bucket), stamp)
}

// AppendJournalBucket appends the prefix of a bucket of a table's journal.
func AppendJournalBucket(dst []byte, table uint32, bucket uint8) []byte {
	return order.AppendUvarint(AppendTableJournal(dst, table), uint64(bucket))
}

// AppendTableJournal appends the prefix of a table's journal.
func AppendTableJournal(dst []byte, table uint32) []byte {
	return order.AppendUvarint(AppendJournals(dst), uint64(table))
}

// AppendJournals appends the prefix of the journals of all tables.
func AppendJournals(dst []byte) []byte { return append(dst, tagJournal) }

// CutJournal takes the key of a change apart. row is the key of the row, without what stands before the keys of the
// table's rows; it aliases key. ok is false for other keys.
func CutJournal(key []byte) (table uint32, bucket uint8, stamp uint64, row []byte, ok bool) {
	if len(key) == 0 || key[0] != tagJournal && key[0] != tagOutbox {
		return 0, 0, 0, nil, false
	}
	t, rest, err := order.CutUvarint(key[1:])
	if err != nil {
		return 0, 0, 0, nil, false
	}
	b, rest, err := order.CutUvarint(rest)
	if err != nil || t > math.MaxUint32 || b > math.MaxUint8 || len(rest) < stampBytes {
		return 0, 0, 0, nil, false
	}
	return uint32(t), uint8(b), binary.BigEndian.Uint64(rest), rest[stampBytes:], true
}

// AppendOutbox is AppendJournalBucket for the outbox.
func AppendOutbox(dst []byte, table uint32, bucket uint8) []byte {
	return order.AppendUvarint(AppendTableOutbox(dst, table), uint64(bucket))
}

// AppendTableOutbox appends the prefix of a table's outbox.
func AppendTableOutbox(dst []byte, table uint32) []byte {
	return order.AppendUvarint(AppendOutboxes(dst), uint64(table))
}

// AppendOutboxes appends the prefix of the outboxes of all tables.
func AppendOutboxes(dst []byte) []byte { return append(dst, tagOutbox) }

// AppendSent appends the key of how far a bucket of a table's journal went to a destination: the ARN of a stream of
// Kinesis, and since when.
func AppendSent(dst []byte, table uint32, stream string, bucket uint8) []byte {
	return order.AppendUvarint(order.AppendBytes(AppendTableSent(dst, table), []byte(stream)), uint64(bucket))
}

// AppendTableSent appends the prefix of how far a table's changes went to streams of Kinesis.
func AppendTableSent(dst []byte, table uint32) []byte {
	return order.AppendUvarint(append(dst, tagSent), uint64(table))
}

// AppendBorder appends the key of a border between shards.
func AppendBorder(dst []byte, table uint32, stamp uint64) []byte {
	return binary.BigEndian.AppendUint64(AppendBorders(dst, table), stamp)
}

// AppendBorders appends the prefix of a table's borders.
func AppendBorders(dst []byte, table uint32) []byte {
	return order.AppendUvarint(AppendAllBorders(dst), uint64(table))
}

// AppendAllBorders appends the prefix of the borders of all tables.
func AppendAllBorders(dst []byte) []byte { return append(dst, tagBorder) }

// AppendFollowed appends the key of how far the asynchronous indexes of a table have followed a bucket of its journal.
func AppendFollowed(dst []byte, table uint32, bucket uint8) []byte {
	return order.AppendUvarint(AppendAllFollowed(dst, table), uint64(bucket))
}

// AppendAllFollowed appends the prefix of how far all buckets of a table's journal have been followed.
func AppendAllFollowed(dst []byte, table uint32) []byte {
	return order.AppendUvarint(AppendFollowedTables(dst), uint64(table))
}

// AppendFollowedTables appends the prefix of that of all tables.
func AppendFollowedTables(dst []byte) []byte { return append(dst, tagFollowed) }

// AppendTask appends the key of the record of a task.
func AppendTask(dst []byte, kind, id string) []byte {
	return order.AppendBytes(AppendTasks(dst, kind), []byte(id))
}

// AppendTasks appends the prefix of all tasks of a kind, which lie in the order of their ids.
func AppendTasks(dst []byte, kind string) []byte {
	return order.AppendBytes(append(dst, tagTask), []byte(kind))
}

// AppendPiece appends the key of a piece of a table's backup.
func AppendPiece(dst []byte, backup string, piece uint64) []byte {
	return order.AppendUvarint(AppendPieces(dst, backup), piece)
}

// AppendPieces appends the prefix of all pieces of a table's backup, which lie in their order.
func AppendPieces(dst []byte, backup string) []byte {
	return order.AppendBytes(append(dst, tagPiece), []byte(backup))
}

// DescribedTable returns the table of whose descriptor or attribute names a key is. ok is false for other keys.
func DescribedTable(key []byte) (table uint32, ok bool) {
	if len(key) == 0 || key[0] != tagTable && key[0] != tagAttribute {
		return 0, false
	}
	id, _, err := order.CutUvarint(key[1:])
	return uint32(id), err == nil && id <= math.MaxUint32
}

// Belongs says to what a key belongs: to a table, by its id; to a database, by its name; to a job, by its id; to a
// client's token, by its text. It is the zero value for keys that belong to none of these alone.
type Belongs struct {
	Table    uint32
	Job      uint64
	Database string
	Token    string
}

// BelongsTo takes the beginning of a key apart.
func BelongsTo(key []byte) (to Belongs) {
	if len(key) == 0 {
		return to
	}
	switch tag, rest := key[0], key[1:]; tag {
	case tagTable, tagAttribute, tagBoundary, tagRegion, tagCounter, tagJournal, tagOutbox, tagBorder, tagFollowed,
		tagSent, tagRow:
		if id, _, err := order.CutUvarint(rest); err == nil && id <= math.MaxUint32 {
			to.Table = uint32(id)
		}
	case tagJob:
		to.Job, _, _ = order.CutUvarint(rest) // 0 if it can't be read
	case tagName, tagView:
		to.Database = cutText(rest)
	case tagToken:
		if _, id, err := order.CutUvarint(rest); err == nil {
			to.Token = cutText(id)
		}
	}
	return to
}

// cutText reads the text at the beginning of a key's rest; "" if there is none.
func cutText(rest []byte) string {
	text, _, err := order.CutBytes(rest, nil)
	if err != nil {
		return ""
	}
	return string(text)
}

// Stays reports whether a key keeps its value where a database goes back to an earlier state: ids, which are never
// given twice, the format, and who may sign in.
func Stays(key []byte) bool {
	if len(key) == 0 {
		return false
	}
	switch key[0] {
	case tagAccount, tagAccessKey, tagAdmin:
		return true
	case tagMeta:
		word, _, err := order.CutBytes(key[1:], nil)
		return err == nil && (bytes.HasPrefix(word, []byte("next-")) || string(word) == "format")
	}
	return false
}
