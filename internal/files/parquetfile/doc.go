// SPDX-License-Identifier: Apache-2.0

// Package parquetfile writes rows to files of the format Parquet, and reads those of any program, if their columns are
// not nested. A file that is damaged, or made to do harm, is an error: before the library that decodes pages sees one,
// all lengths in it were compared with what it has, and with bounds.
//
// Knows: columns of files, how values stand there.
// Never: tables, where files are.
package parquetfile

// The types of columns, by the words of weft import's types. Natural is the type that the file declares.
const (
	Natural    = ""
	Text       = "string"
	Number     = "number" // a decimal of up to 38 digits
	Binary     = "binary"
	Bool       = "bool"
	Int        = "int" // of 64 bits, as SQL stores it
	Float      = "float"
	Timestamp  = "timestamp"  // milliseconds, as SQL stores it
	Timestamp6 = "timestamp6" // microseconds, as SQL stores it
	Date       = "date"       // days, as SQL stores them
	Attribute  = "attribute"  // DynamoDB's JSON of a value
	Stored     = "stored"     // the bytes of a value
)

// metadataKey is the key of the metadata entry in which files of this package describe their columns.
const metadataKey = "weft"

// columnEntry is that entry's description of a column.
type columnEntry struct {
	// Name is the name of the attribute, or Bytes if it is not UTF-8. The file's own name for the column differs from
	// it if it could not be that.
	Name  string `json:"name,omitempty"`
	Bytes []byte `json:"bytes,omitempty"`
	Type  string `json:"type"`
}

func (d *columnEntry) name() []byte {
	if d.Bytes != nil {
		return d.Bytes
	}
	return []byte(d.Name)
}
