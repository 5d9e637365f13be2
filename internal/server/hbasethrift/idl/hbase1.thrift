// SPDX-License-Identifier: Apache-2.0

// HBase's Thrift1: the service that package hbasethrift answers with One. Names, numbers and types are HBase 2.6's. What HBase calls Text and Bytes is
// binary here. Its call for the cluster's id is left out.

namespace go hbase1

enum TThriftServerType {
  ONE = 1,
  TWO = 2
}

exception AlreadyExists {
  1: string message
}

struct Mutation {
  1: bool isDelete = false,
  2: binary column,
  3: binary value,
  4: bool writeToWAL = true
}

struct BatchMutation {
  1: binary row,
  2: list<Mutation> mutations
}

struct ColumnDescriptor {
  1: binary name,
  2: i32 maxVersions = 3,
  3: binary compression = "NONE",
  4: bool inMemory,
  5: binary bloomFilterType = "NONE",
  6: i32 bloomFilterVectorSize,
  7: i32 bloomFilterNbHashes,
  8: bool blockCacheEnabled,
  9: i32 timeToLive = 0x7fffffff
}

exception IOError {
  1: string message,
  2: bool canRetry
}

exception IllegalArgument {
  1: string message
}

struct TAppend {
  1: binary table,
  2: binary row,
  3: list<binary> columns,
  4: list<binary> values
}

struct TCell {
  1: binary value,
  2: i64 timestamp
}

struct TColumn {
  1: binary columnName,
  2: TCell cell
}

struct TIncrement {
  1: binary table,
  2: binary row,
  3: binary column,
  4: i64 ammount
}

struct TRegionInfo {
  1: binary startKey,
  2: binary endKey,
  3: i64 id,
  4: binary name,
  5: i8 version,
  6: binary serverName,
  7: i32 port
}

struct TRowResult {
  1: binary row,
  2: optional map<binary, TCell> columns,
  3: optional list<TColumn> sortedColumns
}

struct TScan {
  1: optional binary startRow,
  2: optional binary stopRow,
  3: optional i64 timestamp,
  4: optional list<binary> columns,
  5: optional i32 caching,
  6: optional binary filterString,
  7: optional i32 batchSize,
  8: optional bool sortColumns,
  9: optional bool reversed,
  10: optional bool cacheBlocks
}

service Hbase {
  list<TCell> append(1: TAppend append) throws (1: IOError io)
  i64 atomicIncrement(1: binary tableName, 2: binary row, 3: binary column, 4: i64 value) throws (1: IOError io, 2: IllegalArgument ia)
  bool checkAndPut(1: binary tableName, 2: binary row, 3: binary column, 5: binary value, 6: Mutation mput, 7: map<binary, binary> attributes) throws (1: IOError io, 2: IllegalArgument ia)
  void compact(1: binary tableNameOrRegionName) throws (1: IOError io)
  void createTable(1: binary tableName, 2: list<ColumnDescriptor> columnFamilies) throws (1: IOError io, 2: IllegalArgument ia, 3: AlreadyExists exist)
  void deleteAll(1: binary tableName, 2: binary row, 3: binary column, 4: map<binary, binary> attributes) throws (1: IOError io)
  void deleteAllRow(1: binary tableName, 2: binary row, 3: map<binary, binary> attributes) throws (1: IOError io)
  void deleteAllRowTs(1: binary tableName, 2: binary row, 3: i64 timestamp, 4: map<binary, binary> attributes) throws (1: IOError io)
  void deleteAllTs(1: binary tableName, 2: binary row, 3: binary column, 4: i64 timestamp, 5: map<binary, binary> attributes) throws (1: IOError io)
  void deleteTable(1: binary tableName) throws (1: IOError io)
  void disableTable(1: binary tableName) throws (1: IOError io)
  void enableTable(1: binary tableName) throws (1: IOError io)
  list<TCell> get(1: binary tableName, 2: binary row, 3: binary column, 4: map<binary, binary> attributes) throws (1: IOError io)
  map<binary, ColumnDescriptor> getColumnDescriptors(1: binary tableName) throws (1: IOError io)
  TRegionInfo getRegionInfo(1: binary row) throws (1: IOError io)
  list<TRowResult> getRow(1: binary tableName, 2: binary row, 3: map<binary, binary> attributes) throws (1: IOError io)
  list<TRowResult> getRowTs(1: binary tableName, 2: binary row, 3: i64 timestamp, 4: map<binary, binary> attributes) throws (1: IOError io)
  list<TRowResult> getRowWithColumns(1: binary tableName, 2: binary row, 3: list<binary> columns, 4: map<binary, binary> attributes) throws (1: IOError io)
  list<TRowResult> getRowWithColumnsTs(1: binary tableName, 2: binary row, 3: list<binary> columns, 4: i64 timestamp, 5: map<binary, binary> attributes) throws (1: IOError io)
  list<TRowResult> getRows(1: binary tableName, 2: list<binary> rows, 3: map<binary, binary> attributes) throws (1: IOError io)
  list<TRowResult> getRowsTs(1: binary tableName, 2: list<binary> rows, 3: i64 timestamp, 4: map<binary, binary> attributes) throws (1: IOError io)
  list<TRowResult> getRowsWithColumns(1: binary tableName, 2: list<binary> rows, 3: list<binary> columns, 4: map<binary, binary> attributes) throws (1: IOError io)
  list<TRowResult> getRowsWithColumnsTs(1: binary tableName, 2: list<binary> rows, 3: list<binary> columns, 4: i64 timestamp, 5: map<binary, binary> attributes) throws (1: IOError io)
  list<binary> getTableNames() throws (1: IOError io)
  map<binary, bool> getTableNamesWithIsTableEnabled() throws (1: IOError io)
  list<TRegionInfo> getTableRegions(1: binary tableName) throws (1: IOError io)
  TThriftServerType getThriftServerType()
  list<TCell> getVer(1: binary tableName, 2: binary row, 3: binary column, 4: i32 numVersions, 5: map<binary, binary> attributes) throws (1: IOError io)
  list<TCell> getVerTs(1: binary tableName, 2: binary row, 3: binary column, 4: i64 timestamp, 5: i32 numVersions, 6: map<binary, binary> attributes) throws (1: IOError io)
  void increment(1: TIncrement increment) throws (1: IOError io)
  void incrementRows(1: list<TIncrement> increments) throws (1: IOError io)
  bool isTableEnabled(1: binary tableName) throws (1: IOError io)
  void majorCompact(1: binary tableNameOrRegionName) throws (1: IOError io)
  void mutateRow(1: binary tableName, 2: binary row, 3: list<Mutation> mutations, 4: map<binary, binary> attributes) throws (1: IOError io, 2: IllegalArgument ia)
  void mutateRowTs(1: binary tableName, 2: binary row, 3: list<Mutation> mutations, 4: i64 timestamp, 5: map<binary, binary> attributes) throws (1: IOError io, 2: IllegalArgument ia)
  void mutateRows(1: binary tableName, 2: list<BatchMutation> rowBatches, 3: map<binary, binary> attributes) throws (1: IOError io, 2: IllegalArgument ia)
  void mutateRowsTs(1: binary tableName, 2: list<BatchMutation> rowBatches, 3: i64 timestamp, 4: map<binary, binary> attributes) throws (1: IOError io, 2: IllegalArgument ia)
  void scannerClose(1: i32 id) throws (1: IOError io, 2: IllegalArgument ia)
  list<TRowResult> scannerGet(1: i32 id) throws (1: IOError io, 2: IllegalArgument ia)
  list<TRowResult> scannerGetList(1: i32 id, 2: i32 nbRows) throws (1: IOError io, 2: IllegalArgument ia)
  i32 scannerOpen(1: binary tableName, 2: binary startRow, 3: list<binary> columns, 4: map<binary, binary> attributes) throws (1: IOError io)
  i32 scannerOpenTs(1: binary tableName, 2: binary startRow, 3: list<binary> columns, 4: i64 timestamp, 5: map<binary, binary> attributes) throws (1: IOError io)
  i32 scannerOpenWithPrefix(1: binary tableName, 2: binary startAndPrefix, 3: list<binary> columns, 4: map<binary, binary> attributes) throws (1: IOError io)
  i32 scannerOpenWithScan(1: binary tableName, 2: TScan scan, 3: map<binary, binary> attributes) throws (1: IOError io)
  i32 scannerOpenWithStop(1: binary tableName, 2: binary startRow, 3: binary stopRow, 4: list<binary> columns, 5: map<binary, binary> attributes) throws (1: IOError io)
  i32 scannerOpenWithStopTs(1: binary tableName, 2: binary startRow, 3: binary stopRow, 4: list<binary> columns, 5: i64 timestamp, 6: map<binary, binary> attributes) throws (1: IOError io)
}
