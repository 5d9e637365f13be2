// SPDX-License-Identifier: Apache-2.0

package packet

// Capabilities, as bits of 32.
const (
	ClientLongPassword     = 1 << 0
	ClientFoundRows        = 1 << 1
	ClientLongFlag         = 1 << 2
	ClientConnectWithDB    = 1 << 3
	ClientODBC             = 1 << 6
	ClientProtocol41       = 1 << 9
	ClientInteractive      = 1 << 10
	ClientSSL              = 1 << 11
	ClientIgnoreSIGPIPE    = 1 << 12
	ClientTransactions     = 1 << 13
	ClientReserved         = 1 << 14
	ClientSecureConnection = 1 << 15
	ClientMultiStatements  = 1 << 16
	ClientMultiResults     = 1 << 17
	ClientPSMultiResults   = 1 << 18
	ClientPluginAuth       = 1 << 19
	ClientConnectAttrs     = 1 << 20
	ClientPluginAuthLenenc = 1 << 21
	ClientSessionTrack     = 1 << 23
	ClientDeprecateEOF     = 1 << 24
)

// Offered are the server's capabilities except TLS. Files of clients and compression are not offered.
const Offered = ClientLongPassword | ClientFoundRows | ClientLongFlag | ClientConnectWithDB | ClientODBC |
	ClientProtocol41 |
	ClientInteractive | ClientIgnoreSIGPIPE | ClientTransactions | ClientReserved | ClientSecureConnection |
	ClientMultiStatements |
	ClientMultiResults | ClientPSMultiResults | ClientPluginAuth | ClientConnectAttrs | ClientPluginAuthLenenc |
	ClientSessionTrack |
	ClientDeprecateEOF

// Status flags.
const (
	StatusInTransaction = 0x0001
	StatusAutocommit    = 0x0002
	StatusMoreResults   = 0x0008
	StatusCursorExists  = 0x0040
	StatusLastRowSent   = 0x0080
	StatusReadOnly      = 0x2000
	// StatusNoBackslashEscapes tells clients how to write texts.
	StatusNoBackslashEscapes = 0x0200
	StatusSessionChanged     = 0x4000
)

// Commands.
const (
	ComSleep           = 0x00
	ComQuit            = 0x01
	ComInitDB          = 0x02
	ComQuery           = 0x03
	ComFieldList       = 0x04
	ComStatistics      = 0x09
	ComProcessInfo     = 0x0a
	ComConnect         = 0x0b
	ComProcessKill     = 0x0c
	ComDebug           = 0x0d
	ComPing            = 0x0e
	ComChangeUser      = 0x11
	ComStmtPrepare     = 0x16
	ComStmtExecute     = 0x17
	ComStmtSendLong    = 0x18
	ComStmtClose       = 0x19
	ComStmtReset       = 0x1a
	ComSetOption       = 0x1b
	ComStmtFetch       = 0x1c
	ComResetConnection = 0x1f
)

// CommandName is how SHOW PROCESSLIST names a command.
func CommandName(command byte) string {
	switch command {
	case ComSleep:
		return "Sleep"
	case ComInitDB:
		return "Init DB"
	case ComQuery:
		return "Query"
	case ComFieldList:
		return "Field List"
	case ComStatistics:
		return "Statistics"
	case ComProcessInfo:
		return "Processlist"
	case ComConnect:
		return "Connect"
	case ComProcessKill:
		return "Kill"
	case ComPing:
		return "Ping"
	case ComChangeUser:
		return "Change user"
	case ComStmtPrepare:
		return "Prepare"
	case ComStmtExecute:
		return "Execute"
	case ComStmtSendLong:
		return "Long Data"
	case ComStmtClose:
		return "Close stmt"
	case ComStmtReset:
		return "Reset stmt"
	case ComSetOption:
		return "Set option"
	case ComStmtFetch:
		return "Fetch"
	case ComResetConnection:
		return "Reset Connection"
	}
	return "Unknown"
}

// Types of columns and parameters.
const (
	typeDecimal    = 0x00
	typeTiny       = 0x01
	typeShort      = 0x02
	typeLong       = 0x03
	typeFloat      = 0x04
	typeDouble     = 0x05
	typeNull       = 0x06
	typeTimestamp  = 0x07
	typeLongLong   = 0x08
	typeInt24      = 0x09
	typeDate       = 0x0a
	typeTime       = 0x0b
	typeDatetime   = 0x0c
	typeYear       = 0x0d
	typeVarchar    = 0x0f
	typeBit        = 0x10
	typeJSON       = 0xf5
	typeNewDecimal = 0xf6
	typeEnum       = 0xf7
	typeSet        = 0xf8
	typeTinyBlob   = 0xf9
	typeMediumBlob = 0xfa
	typeLongBlob   = 0xfb
	typeBlob       = 0xfc
	typeVarString  = 0xfd
	typeString     = 0xfe
	typeGeometry   = 0xff
)

// Flags of columns.
const (
	flagNotNull    = 0x0001
	flagPrimaryKey = 0x0002
	flagBlob       = 0x0010
	flagUnsigned   = 0x0020
	flagBinary     = 0x0080
	flagEnum       = 0x0100
	flagSet        = 0x0800
	flagPartKey    = 0x4000
)

// Character sets, as numbers of their default collations.
const (
	charsetText   = 45 // utf8mb4_general_ci: the one that all clients know
	charsetBinary = 63
)
