// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/server/thriftwire"
)

// The arguments of Thrift2's calls. immutable
var (
	tableArgument = taking("table", "binary",
		func(a *callArguments, r *thriftwire.Reader) { a.table = r.Bytes() }).required()
	rowArgument = taking("row", "binary",
		func(a *callArguments, r *thriftwire.Reader) { a.row = r.Bytes() }).required()
	familyArgument = taking("family", "binary",
		func(a *callArguments, r *thriftwire.Reader) { a.family = r.Bytes() }).required()
	qualifierArgument = taking("qualifier", "binary",
		func(a *callArguments, r *thriftwire.Reader) { a.qualifier = r.Bytes() }).required()
	valueArgument    = taking("value", "binary", func(a *callArguments, r *thriftwire.Reader) { a.value = r.Bytes() })
	operatorArgument = taking("compareOp", "TCompareOp",
		func(a *callArguments, r *thriftwire.Reader) { a.operator = r.I32() }).required()

	getArgument = taking("tget", "TGet",
		func(a *callArguments, r *thriftwire.Reader) { a.gets = []*hbase.Get{a.readGet(r)} }).required()
	getsArgument = taking("tgets", "list<TGet>", func(a *callArguments, r *thriftwire.Reader) {
		a.gets = readList(r, thriftwire.Struct, a.readGet)
	}).required()
	putArgument = taking("tput", "TPut",
		func(a *callArguments, r *thriftwire.Reader) { a.puts = []*hbase.Put{a.writes.put(r)} }).required()
	putsArgument = taking("tputs", "list<TPut>",
		func(a *callArguments, r *thriftwire.Reader) { a.puts = a.writes.list(r) }).required()
	deleteArgument = taking("tdelete", "TDelete",
		func(a *callArguments, r *thriftwire.Reader) { a.deletes = []*hbase.Delete{a.readDelete(r)} }).required()
	deletesArgument = taking("tdeletes", "list<TDelete>", func(a *callArguments, r *thriftwire.Reader) {
		a.deletes = readList(r, thriftwire.Struct, a.readDelete)
	}).required()
	incrementArgument = taking("tincrement", "TIncrement", (*callArguments).readIncrement).required()
	appendArgument    = taking("tappend", "TAppend",
		func(a *callArguments, r *thriftwire.Reader) { a.append = a.writes.append(r) }).required()
	mutationsArgument = taking("trowMutations", "TRowMutations", (*callArguments).readRowMutations).required()
	checkedArgument   = taking("rowMutations", "TRowMutations", (*callArguments).readRowMutations).required()

	scanArgument    = taking("tscan", "TScan", (*callArguments).readScan).required()
	scannerArgument = taking("scannerId", "i32",
		func(a *callArguments, r *thriftwire.Reader) { a.scanner = r.I32() }).required()
	rowsArgument = taking("numRows", "i32",
		func(a *callArguments, r *thriftwire.Reader) { a.rows = r.I32() }).or(func(a *callArguments) { a.rows = 1 })
	reloadArgument = taking("reload", "bool", passTruth[callArguments])
)

// The arguments of Thrift2's calls on tables. immutable
var (
	nameArgument      = taking("tableName", "TTableName", (*callArguments).readName).required()
	maybeNameArgument = taking("tableName", "TTableName", (*callArguments).readName)
	tableNameArgument = taking("table", "TTableName", (*callArguments).readName).required()
	namesArgument     = taking("tables", "list<TTableName>", func(a *callArguments, r *thriftwire.Reader) {
		a.names = readList(r, thriftwire.Struct, readTableName)
	}).required()
	descArgument = taking("desc", "TTableDescriptor", (*callArguments).readTable).required()
	keysArgument = taking("splitKeys", "list<binary>",
		func(a *callArguments, r *thriftwire.Reader) { a.keys = readBytesList(r) })
	keepSplitsArgument = taking("preserveSplits", "bool", passTruth[callArguments]).required()
	columnArgument     = taking("column", "TColumnFamilyDescriptor", (*callArguments).readColumnFamily).required()
	columnNameArgument = taking("column", "binary",
		func(a *callArguments, r *thriftwire.Reader) { a.columnName = r.Bytes() }).required()
	patternArgument  = taking("regex", "string", func(a *callArguments, r *thriftwire.Reader) { a.text = r.Text() })
	systemArgument   = taking("includeSysTables", "bool", passTruth[callArguments]).required()
	nameTextArgument = taking("name", "string",
		func(a *callArguments, r *thriftwire.Reader) { a.text = r.Text() }).required()
	namespaceArgument = taking("namespaceDesc", "TNamespaceDescriptor", (*callArguments).readNamespace).required()
)

// passTruth reads an argument that changes nothing.
func passTruth[A any](_ *A, r *thriftwire.Reader) { r.Bool() }

// methodsTwo are Thrift2's calls.
func methodsTwo() []method[*two, callArguments] {
	return append(rowMethodsTwo(), tableMethodsTwo()...)
}

func rowMethodsTwo() []method[*two, callArguments] {
	return []method[*two, callArguments]{
		giving("append", givesResult, throwsIO, (*two).appendCells, tableArgument, appendArgument),
		giving("checkAndDelete", givesTruth, throwsIO, (*two).checkAndDelete,
			tableArgument, rowArgument, familyArgument, qualifierArgument, valueArgument, deleteArgument),
		giving("checkAndMutate", givesTruth, throwsIO, (*two).checkAndMutate,
			tableArgument, rowArgument, familyArgument, qualifierArgument, operatorArgument, valueArgument,
			checkedArgument),
		giving("checkAndPut", givesTruth, throwsIO, (*two).checkAndPut,
			tableArgument, rowArgument, familyArgument, qualifierArgument, valueArgument, putArgument),
		doing("closeScanner", throwsIllegal, (*two).endScan, scannerArgument),
		giving("deleteMultiple", givesNone, throwsIO, (*two).deleteMultiple, tableArgument, deletesArgument),
		doing("deleteSingle", throwsIO, (*two).deleteCells, tableArgument, deleteArgument),
		giving("exists", givesTruth, throwsIO, (*two).exists, tableArgument, getArgument),
		giving("existsAll", givesFound, throwsIO, (*two).existsAll, tableArgument, getsArgument),
		giving("get", givesResult, throwsIO, (*two).getOne, tableArgument, getArgument),
		giving("getMultiple", givesResults, throwsIO, (*two).getAll, tableArgument, getsArgument),
		giving("getScannerResults", givesResults, throwsIO, (*two).scannerResults, tableArgument, scanArgument,
			rowsArgument),
		giving("getScannerRows", givesResults, throwsIllegal, (*two).scannerRows, scannerArgument, rowsArgument),
		giving("getThriftServerType", givesServer, throwsNothing, (*two).serverType),
		giving("increment", givesResult, throwsIO, (*two).incrementCells, tableArgument, incrementArgument),
		doing("mutateRow", throwsIO, (*two).mutateRow, tableArgument, mutationsArgument),
		giving("openScanner", givesNumber, throwsIO, (*two).openScan, tableArgument, scanArgument),
		doing("put", throwsIO, (*two).put, tableArgument, putArgument),
		doing("putMultiple", throwsIO, (*two).put, tableArgument, putsArgument),
	}
}

func tableMethodsTwo() []method[*two, callArguments] {
	return []method[*two, callArguments]{
		doing("addColumnFamily", throwsIO, (*two).addColumnFamily, nameArgument, columnArgument),
		doing("createNamespace", throwsIO, (*two).createNamespace, namespaceArgument),
		doing("createTable", throwsIO, (*two).createTable, descArgument, keysArgument),
		doing("deleteColumnFamily", throwsIO, (*two).deleteColumnFamily, nameArgument, columnNameArgument),
		doing("deleteNamespace", throwsIO, (*two).deleteNamespace, nameTextArgument),
		doing("deleteTable", throwsIO, (*two).deleteTable, nameArgument),
		doing("disableTable", throwsIO, (*two).disableTable, nameArgument),
		doing("enableTable", throwsIO, (*two).enableTable, nameArgument),
		giving("getAllRegionLocations", givesLocations, throwsIO, (*two).allRegionLocations, tableArgument),
		giving("getNamespaceDescriptor", givesNamespace, throwsIO, (*two).namespaceDescriptor, nameTextArgument),
		giving("getRegionLocation", givesLocation, throwsIO, (*two).regionLocation, tableArgument, rowArgument,
			reloadArgument),
		giving("getTableDescriptor", givesDescriptor, throwsIO, (*two).tableDescriptor, tableNameArgument),
		giving("getTableDescriptors", givesDescriptors, throwsIO, (*two).tableDescriptors, namesArgument),
		giving("getTableDescriptorsByNamespace", givesDescriptors, throwsIO, (*two).tablesOfNamespace,
			nameTextArgument),
		giving("getTableDescriptorsByPattern", givesDescriptors, throwsIO, (*two).tablesOfPattern, patternArgument,
			systemArgument),
		giving("getTableNamesByNamespace", givesNames, throwsIO, (*two).tablesOfNamespace, nameTextArgument),
		giving("getTableNamesByPattern", givesNames, throwsIO, (*two).tablesOfPattern, patternArgument,
			systemArgument),
		giving("isTableAvailable", givesTruth, throwsIO, (*two).isTableAvailable, nameArgument),
		giving("isTableAvailableWithSplit", givesTruth, throwsIO, (*two).isTableAvailable, nameArgument, keysArgument),
		giving("isTableDisabled", givesTruth, throwsIO, (*two).isTableDisabled, nameArgument),
		giving("isTableEnabled", givesTruth, throwsIO, (*two).isTableEnabled, nameArgument),
		giving("listNamespaceDescriptors", givesNamespaces, throwsIO, (*two).namespaces),
		giving("listNamespaces", givesTexts, throwsIO, (*two).namespaces),
		doing("modifyColumnFamily", throwsIO, (*two).modifyColumnFamily, nameArgument, columnArgument),
		doing("modifyNamespace", throwsIO, (*two).modifyNamespace, namespaceArgument),
		doing("modifyTable", throwsIO, (*two).modifyTable, descArgument),
		giving("tableExists", givesTruth, throwsIO, (*two).tableExists, maybeNameArgument),
		doing("truncateTable", throwsIO, (*two).truncateTable, nameArgument, keepSplitsArgument),
	}
}
