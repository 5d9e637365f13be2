// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/server/thriftwire"
)

// The arguments of Thrift1's calls. immutable
var (
	oneTable   = taking("tableName", "binary", func(a *takenOne, r *thriftwire.Reader) { a.table = r.Bytes() })
	oneRow     = taking("row", "binary", func(a *takenOne, r *thriftwire.Reader) { a.row = r.Bytes() })
	oneColumn  = taking("column", "binary", func(a *takenOne, r *thriftwire.Reader) { a.column = r.Bytes() })
	oneValue   = taking("value", "binary", func(a *takenOne, r *thriftwire.Reader) { a.value = r.Bytes() })
	oneColumns = taking("columns", "list<binary>",
		func(a *takenOne, r *thriftwire.Reader) { a.columns = readBytesList(r) })
	oneRows = taking("rows", "list<binary>",
		func(a *takenOne, r *thriftwire.Reader) { a.rows = readBytesList(r) })
	oneTime = taking("timestamp", "i64",
		func(a *takenOne, r *thriftwire.Reader) { a.at = new(r.I64()) }).or(func(a *takenOne) { a.at = new(int64(0)) })
	oneVersions   = taking("numVersions", "i32", func(a *takenOne, r *thriftwire.Reader) { a.versions = r.I32() })
	oneAttributes = taking("attributes", "map<binary, binary>",
		func(a *takenOne, r *thriftwire.Reader) { a.life.read(r) })

	oneMutations = taking("mutations", "list<Mutation>", func(a *takenOne, r *thriftwire.Reader) {
		a.batches[0].mutations = readMutationsOne(r)
	}).or(func(a *takenOne) { a.batches = make([]batch, 1) })
	oneBatches = taking("rowBatches", "list<BatchMutation>",
		func(a *takenOne, r *thriftwire.Reader) { a.batches = readList(r, thriftwire.Struct, readBatch) })
	onePut = taking("mput", "Mutation",
		func(a *takenOne, r *thriftwire.Reader) { a.put = new(readMutationOne(r)) })
	oneAmount    = taking("value", "i64", func(a *takenOne, r *thriftwire.Reader) { a.amount = r.I64() })
	oneIncrement = taking("increment", "TIncrement",
		func(a *takenOne, r *thriftwire.Reader) { a.increments = []increment{readIncrementOne(r)} })
	oneIncrements = taking("increments", "list<TIncrement>", func(a *takenOne, r *thriftwire.Reader) {
		a.increments = readList(r, thriftwire.Struct, readIncrementOne)
	})
	oneAppend = taking("append", "TAppend", (*takenOne).readAppend)

	oneStart   = taking("startRow", "binary", func(a *takenOne, r *thriftwire.Reader) { a.row = r.Bytes() })
	oneStop    = taking("stopRow", "binary", func(a *takenOne, r *thriftwire.Reader) { a.stop = r.Bytes() })
	onePrefix  = taking("startAndPrefix", "binary", func(a *takenOne, r *thriftwire.Reader) { a.row = r.Bytes() })
	oneScan    = taking("scan", "TScan", (*takenOne).readScan)
	oneScanner = taking("id", "i32", func(a *takenOne, r *thriftwire.Reader) { a.scanner = r.I32() })
	oneWanted  = taking("nbRows", "i32", func(a *takenOne, r *thriftwire.Reader) { a.rowsWanted = r.I32() })

	oneRegion = taking("tableNameOrRegionName", "binary",
		func(a *takenOne, r *thriftwire.Reader) { a.table = r.Bytes() })
	oneFamilies = taking("columnFamilies", "list<ColumnDescriptor>", func(a *takenOne, r *thriftwire.Reader) {
		a.families = readList(r, thriftwire.Struct, readFamilyOne)
	})
)

// The answers of Thrift1's calls. immutable
var (
	givesCells   = answer[cellList]{"list<TCell>", writeCells}
	givesRows    = answer[rowsOne]{"list<TRowResult>", writeRowsOne}
	givesSum     = answer[int64]{"i64", func(w *thriftwire.Writer, v int64) { w.I64(0, v) }}
	givesRegion  = structOf("TRegionInfo", writeRegion)
	givesRegions = listOf("TRegionInfo", writeRegion)
	givesTables  = answer[[]*hbase.Table]{"list<binary>", func(w *thriftwire.Writer, tables []*hbase.Table) {
		w.List(0, thriftwire.Bytes, len(tables))
		for _, table := range tables {
			w.PutText(table.TableName.String())
		}
	}}
	givesEnabled = answer[[]*hbase.Table]{"map<binary, bool>", func(w *thriftwire.Writer, tables []*hbase.Table) {
		w.Map(0, thriftwire.Bytes, thriftwire.Bool, len(tables))
		for _, table := range tables {
			w.PutText(table.TableName.String())
			w.PutBool(!table.Disabled)
		}
	}}
	givesFamilies = answer[[]familyOne]{"map<binary, ColumnDescriptor>",
		func(w *thriftwire.Writer, families []familyOne) {
			w.Map(0, thriftwire.Bytes, thriftwire.Struct, len(families))
			for i := range families {
				w.PutBytes(families[i].name)
				writeFamilyOne(w, &families[i])
			}
		}}
)

// methodsOne are Thrift1's calls.
func methodsOne() []method[*one, takenOne] {
	return append(rowMethodsOne(), tableMethodsOne()...)
}

func rowMethodsOne() []method[*one, takenOne] {
	none := argument[takenOne]{} // a number that is not used
	return []method[*one, takenOne]{
		giving("append", givesCells, throwsIO, (*one).appendCells, oneAppend),
		giving("atomicIncrement", givesSum, throwsIllegal, (*one).atomicIncrement, oneTable, oneRow, oneColumn,
			oneAmount),
		giving("checkAndPut", givesTruth, throwsIllegal, (*one).checkAndPut, oneTable, oneRow, oneColumn, none,
			oneValue, onePut, oneAttributes),
		doing("deleteAll", throwsIO, (*one).deleteAll, oneTable, oneRow, oneColumn, oneAttributes),
		doing("deleteAllRow", throwsIO, (*one).deleteRow, oneTable, oneRow, oneAttributes),
		doing("deleteAllRowTs", throwsIO, (*one).deleteRow, oneTable, oneRow, oneTime, oneAttributes),
		doing("deleteAllTs", throwsIO, (*one).deleteAll, oneTable, oneRow, oneColumn, oneTime, oneAttributes),
		giving("get", givesCells, throwsIO, (*one).newest, oneTable, oneRow, oneColumn, oneAttributes),
		giving("getRow", givesRows, throwsIO, (*one).getRow, oneTable, oneRow, oneAttributes),
		giving("getRowTs", givesRows, throwsIO, (*one).getRow, oneTable, oneRow, oneTime, oneAttributes),
		giving("getRowWithColumns", givesRows, throwsIO, (*one).getRow, oneTable, oneRow, oneColumns, oneAttributes),
		giving("getRowWithColumnsTs", givesRows, throwsIO, (*one).getRow, oneTable, oneRow, oneColumns, oneTime,
			oneAttributes),
		giving("getRows", givesRows, throwsIO, (*one).getRows, oneTable, oneRows, oneAttributes),
		giving("getRowsTs", givesRows, throwsIO, (*one).getRows, oneTable, oneRows, oneTime, oneAttributes),
		giving("getRowsWithColumns", givesRows, throwsIO, (*one).getRows, oneTable, oneRows, oneColumns,
			oneAttributes),
		giving("getRowsWithColumnsTs", givesRows, throwsIO, (*one).getRows, oneTable, oneRows, oneColumns, oneTime,
			oneAttributes),
		giving("getThriftServerType", givesServer, throwsNothing, (*one).serverType),
		giving("getVer", givesCells, throwsIO, (*one).newestVersions, oneTable, oneRow, oneColumn, oneVersions,
			oneAttributes),
		giving("getVerTs", givesCells, throwsIO, (*one).newestVersions, oneTable, oneRow, oneColumn, oneTime,
			oneVersions, oneAttributes),
		doing("increment", throwsIO, (*one).increment, oneIncrement),
		doing("incrementRows", throwsIO, (*one).incrementRows, oneIncrements),
		doing("mutateRow", throwsIllegal, (*one).mutateRow, oneTable, oneRow, oneMutations, oneAttributes),
		doing("mutateRowTs", throwsIllegal, (*one).mutateRow, oneTable, oneRow, oneMutations, oneTime, oneAttributes),
		doing("mutateRows", throwsIllegal, (*one).mutateRows, oneTable, oneBatches, oneAttributes),
		doing("mutateRowsTs", throwsIllegal, (*one).mutateRows, oneTable, oneBatches, oneTime, oneAttributes),
		doing("scannerClose", throwsIllegal, (*one).scannerClose, oneScanner),
		giving("scannerGet", givesRows, throwsIllegal, (*one).scannerGet, oneScanner),
		giving("scannerGetList", givesRows, throwsIllegal, (*one).scannerGetList, oneScanner, oneWanted),
		giving("scannerOpen", givesNumber, throwsIO, (*one).scannerOpen, oneTable, oneStart, oneColumns,
			oneAttributes),
		giving("scannerOpenTs", givesNumber, throwsIO, (*one).scannerOpen, oneTable, oneStart, oneColumns, oneTime,
			oneAttributes),
		giving("scannerOpenWithPrefix", givesNumber, throwsIO, (*one).scannerOpenWithPrefix, oneTable, onePrefix,
			oneColumns, oneAttributes),
		giving("scannerOpenWithScan", givesNumber, throwsIO, (*one).scannerOpenWithScan, oneTable, oneScan,
			oneAttributes),
		giving("scannerOpenWithStop", givesNumber, throwsIO, (*one).scannerOpen, oneTable, oneStart, oneStop,
			oneColumns, oneAttributes),
		giving("scannerOpenWithStopTs", givesNumber, throwsIO, (*one).scannerOpen, oneTable, oneStart, oneStop,
			oneColumns, oneTime, oneAttributes),
	}
}

func tableMethodsOne() []method[*one, takenOne] {
	return []method[*one, takenOne]{
		doing("compact", throwsIO, (*one).compact, oneRegion),
		doing("createTable", throwsExists, (*one).createTable, oneTable, oneFamilies),
		doing("deleteTable", throwsIO, (*one).deleteTable, oneTable),
		doing("disableTable", throwsIO, (*one).disableTable, oneTable),
		doing("enableTable", throwsIO, (*one).enableTable, oneTable),
		giving("getColumnDescriptors", givesFamilies, throwsIO, (*one).columnDescriptors, oneTable),
		giving("getRegionInfo", givesRegion, throwsIO, (*one).regionInfo, oneRow),
		giving("getTableNames", givesTables, throwsIO, (*one).tables),
		giving("getTableNamesWithIsTableEnabled", givesEnabled, throwsIO, (*one).tables),
		giving("getTableRegions", givesRegions, throwsIO, (*one).tableRegions, oneTable),
		giving("isTableEnabled", givesTruth, throwsIO, (*one).isTableEnabled, oneTable),
		doing("majorCompact", throwsIO, (*one).compact, oneRegion),
	}
}
