// SPDX-License-Identifier: Apache-2.0

package mysqlwire

// Capabilities, as bits of 32.
const (
	clientLongPassword     = 1 << 0
	clientFoundRows        = 1 << 1
	clientLongFlag         = 1 << 2
	clientConnectWithDB    = 1 << 3
	clientODBC             = 1 << 6
	clientProtocol41       = 1 << 9
	clientInteractive      = 1 << 10
	clientSSL              = 1 << 11
	clientIgnoreSIGPIPE    = 1 << 12
	clientTransactions     = 1 << 13
	clientReserved         = 1 << 14
	clientSecureConnection = 1 << 15
	clientMultiStatements  = 1 << 16
	clientMultiResults     = 1 << 17
	clientPSMultiResults   = 1 << 18
	clientPluginAuth       = 1 << 19
	clientConnectAttrs     = 1 << 20
	clientPluginAuthLenenc = 1 << 21
	clientSessionTrack     = 1 << 23
	clientDeprecateEOF     = 1 << 24
)

// offered is what the server can do, TLS aside. Files of clients and compression are not offered.
const offered = clientLongPassword | clientFoundRows | clientLongFlag | clientConnectWithDB | clientODBC | clientProtocol41 |
	clientInteractive | clientIgnoreSIGPIPE | clientTransactions | clientReserved | clientSecureConnection | clientMultiStatements |
	clientMultiResults | clientPSMultiResults | clientPluginAuth | clientConnectAttrs | clientPluginAuthLenenc | clientSessionTrack |
	clientDeprecateEOF

// Status flags.
const (
	statusInTransaction  = 0x0001
	statusAutocommit     = 0x0002
	statusMoreResults    = 0x0008
	statusCursorExists   = 0x0040
	statusLastRowSent    = 0x0080
	statusReadOnly       = 0x2000
	statusSessionChanged = 0x4000
)

// Commands.
const (
	comSleep           = 0x00
	comQuit            = 0x01
	comInitDB          = 0x02
	comQuery           = 0x03
	comFieldList       = 0x04
	comStatistics      = 0x09
	comProcessInfo     = 0x0a
	comConnect         = 0x0b
	comProcessKill     = 0x0c
	comDebug           = 0x0d
	comPing            = 0x0e
	comChangeUser      = 0x11
	comStmtPrepare     = 0x16
	comStmtExecute     = 0x17
	comStmtSendLong    = 0x18
	comStmtClose       = 0x19
	comStmtReset       = 0x1a
	comSetOption       = 0x1b
	comStmtFetch       = 0x1c
	comResetConnection = 0x1f
)

// commandName is how SHOW PROCESSLIST names a command.
func commandName(command byte) string {
	switch command {
	case comSleep:
		return "Sleep"
	case comInitDB:
		return "Init DB"
	case comQuery:
		return "Query"
	case comFieldList:
		return "Field List"
	case comStatistics:
		return "Statistics"
	case comProcessInfo:
		return "Processlist"
	case comConnect:
		return "Connect"
	case comProcessKill:
		return "Kill"
	case comPing:
		return "Ping"
	case comChangeUser:
		return "Change user"
	case comStmtPrepare:
		return "Prepare"
	case comStmtExecute:
		return "Execute"
	case comStmtSendLong:
		return "Long Data"
	case comStmtClose:
		return "Close stmt"
	case comStmtReset:
		return "Reset stmt"
	case comSetOption:
		return "Set option"
	case comStmtFetch:
		return "Fetch"
	case comResetConnection:
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
	flagPartKey    = 0x4000
)

// Character sets, as numbers of their default collations.
const (
	charsetText   = 45 // utf8mb4_general_ci: the one that all clients know
	charsetBinary = 63
)
