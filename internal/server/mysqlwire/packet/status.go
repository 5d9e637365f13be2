// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"encoding/binary"

	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
)

// errorMessageMax is the largest number of bytes sent of an error's message.
const errorMessageMax = 4 << 10

// Status is the session's state on the wire.
func Status(s result.State) uint16 {
	var flags uint16
	if s.InTransaction {
		flags |= StatusInTransaction
		if s.ReadOnly {
			flags |= StatusReadOnly
		}
	}
	if s.Autocommit {
		flags |= StatusAutocommit
	}
	if s.NoBackslashEscapes {
		flags |= StatusNoBackslashEscapes
	}
	return flags
}

// AppendError appends an error packet. Before a client has said what it can do, its state is left out.
func AppendError(dst []byte, e *fault.Error, capabilities uint32) []byte {
	dst = append(dst, 0xff)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(e.Code))
	if capabilities&ClientProtocol41 != 0 {
		state := e.State
		if len(state) != 5 {
			state = "HY000"
		}
		dst = append(append(dst, '#'), state...)
	}
	return append(dst, e.Message[:min(len(e.Message), errorMessageMax)]...)
}

// AppendOK appends an OK packet; header is 0xfe where it ends rows. schema is the database that became the current one,
// if track is set.
func AppendOK(dst []byte, header byte, d result.Done, flags uint16, warnings int, track bool, schema string) []byte {
	dst = AppendLength(append(dst, header), d.Affected)
	dst = AppendLength(dst, d.LastInsertID)
	if track {
		flags |= StatusSessionChanged
	}
	dst = binary.LittleEndian.AppendUint16(dst, flags)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(min(max(warnings, 0), 0xffff)))
	if !track {
		if d.Info != "" {
			dst = AppendText(dst, d.Info)
		}
		return dst
	}
	const trackSchema = 1
	dst = AppendText(dst, d.Info)
	change := AppendText(nil, schema)
	dst = AppendLength(dst, uint64(1+len(AppendLength(nil, uint64(len(change))))+len(change)))
	return AppendText(append(dst, trackSchema), change)
}
