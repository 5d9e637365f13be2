// SPDX-License-Identifier: Apache-2.0

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.apache.hadoop.hbase.*;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.filter.*;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.thrift2.generated.*;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Details uses what fewer programs use of HBase's Java API over Thrift2: types of cells, deletions with times long ago, limits within families, filters and
 * comparators that the filter language lacks, great times, lives of cells, and calls about tables. What it prints is what HBase itself answers.
 */
public class Details {
  static final byte[] F = b("f"), G = b("g");

  static byte[] b(String text) { return Bytes.toBytes(text); }

  public static void main(String[] arguments) throws Exception {
    TableName name = TableName.valueOf("details");
    try (Connection connection = ConnectionFactory.createConnection(Api.configuration(arguments[0])); Admin admin = connection.getAdmin()) {
      admin.createTable(TableDescriptorBuilder.newBuilder(name).setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(F).setMaxVersions(5).build())
          .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(G).setMaxVersions(5).build()).build());
      try (Table table = connection.getTable(name)) {
        types(table);
        for (long base : new long[] {1, System.currentTimeMillis() - 21L * 86_400_000, System.currentTimeMillis() - 365L * 86_400_000}) {
          deletions(table, base);
        }
        limits(table);
        filters(table);
        times(table);
        lives(table);
      }
      oddities(Oracle.connect(arguments[0]));
      tables(Oracle.connect(arguments[0]), admin, name);
      admin.deleteTable(name);
    }
  }

  static void types(Table table) throws Exception {
    table.put(new Put(b("types")).addColumn(F, b("a"), b("v")));
    for (Cell c : table.get(new Get(b("types"))).rawCells()) {
      Api.say("type of a cell", c.getType());
    }
    try (ResultScanner scanner = table.getScanner(new Scan())) {
      for (Result r : scanner) {
        Api.say("type of a scanned cell", r.rawCells()[0].getType());
      }
    }
    Api.say("type of a counter", table.increment(new Increment(b("types")).addColumn(F, b("n"), 1)).rawCells()[0].getType());
    table.delete(new Delete(b("types")));
  }

  interface Deletion { Delete of(byte[] row, long base) throws Exception; }

  static void deletions(Table table, long base) throws Exception {
    TreeMap<String, Deletion> kinds = new TreeMap<>();
    kinds.put("row", (row, at) -> new Delete(row, at + 15));
    kinds.put("family", (row, at) -> new Delete(row).addFamily(F, at + 15));
    kinds.put("family up to a cell", (row, at) -> new Delete(row).addFamily(F, at + 20));
    kinds.put("family's version", (row, at) -> new Delete(row).addFamilyVersion(F, at + 10));
    kinds.put("column", (row, at) -> new Delete(row).addColumns(F, b("a"), at + 15));
    kinds.put("column's version", (row, at) -> new Delete(row).addColumn(F, b("a"), at + 20));
    kinds.put("newest", (row, at) -> new Delete(row).addColumn(F, b("a")));
    for (String kind : kinds.keySet()) {
      byte[] row = b("deletion " + kind + base);
      table.put(new Put(row).addColumn(F, b("a"), base + 10, b("v10")).addColumn(F, b("b"), base + 10, b("v10")).addColumn(G, b("a"), base + 10, b("v10")));
      table.put(new Put(row).addColumn(F, b("a"), base + 20, b("v20")).addColumn(G, b("a"), base + 20, b("v20")));
      table.delete(kinds.get(kind).of(row, base));
      show("deletion of " + kind, table.get(new Get(row).readAllVersions()), base);
      table.put(new Put(row).addColumn(F, b("a"), base + 10, b("again")).addColumn(F, b("c"), base + 12, b("v12")).addColumn(F, b("a"), base + 20, b("again")));
      show("and puts after it", table.get(new Get(row).readAllVersions()), base);
    }
  }

  static void show(String what, Result result, long base) {
    StringBuilder line = new StringBuilder(what);
    for (Cell c : result.rawCells()) {
      line.append(String.format(" %s:%s@%d=%s", Bytes.toString(CellUtil.cloneFamily(c)), Bytes.toString(CellUtil.cloneQualifier(c)), c.getTimestamp() - base, Bytes.toStringBinary(CellUtil.cloneValue(c))));
    }
    Api.say(line);
  }

  static void limits(Table table) throws Exception {
    for (int at = 1; at <= 3; at++) {
      Put put = new Put(b("limits"));
      for (String q : new String[] {"a", "b", "c"}) {
        put.addColumn(F, b(q), at, b(q + at)).addColumn(G, b(q), at, b(q + at));
      }
      table.put(put);
    }
    Filter[] filters = {
      null, new SingleColumnValueFilter(F, b("b"), CompareOperator.EQUAL, b("b3")), new ValueFilter(CompareOperator.NOT_EQUAL, new BinaryComparator(b("a2"))),
      new SingleColumnValueExcludeFilter(F, b("a"), CompareOperator.EQUAL, b("a3")), new ColumnPaginationFilter(2, 1), new SkipFilter(new ValueFilter(CompareOperator.NOT_EQUAL, new BinaryComparator(b("c3")))),
    };
    for (Filter filter : filters) {
      for (int[] w : new int[][] {{2, 0}, {4, 1}, {0, 0}, {1, 2}, {0, 1}, {-1, 2}, {100, 3}}) {
        for (int versions : new int[] {1, 2, 5}) {
          Get get = new Get(b("limits")).readVersions(versions).setMaxResultsPerColumnFamily(w[0]).setRowOffsetPerColumnFamily(w[1]).setFilter(filter);
          show("limit " + w[0] + " offset " + w[1] + " versions " + versions + (filter == null ? "" : " " + filter.getClass().getSimpleName()), table.get(get), 0);
        }
      }
    }
    table.delete(new Delete(b("limits")));
  }

  static void filters(Table table) throws Exception {
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      Put put = new Put(b(String.format("s%02d", i))).addColumn(F, b("n"), 1, Bytes.toBytes((long) i - 5)).addColumn(F, b("o"), 1, b("o" + i % 3));
      put.addColumn(F, b("x"), 1, new byte[] {(byte) i, (byte) (i & 3)}).addColumn(F, b("d"), 1, Bytes.toBytes(new java.math.BigDecimal(i - 6).movePointLeft(i % 4)));
      puts.add(i % 4 == 0 ? put.addColumn(G, b("g"), 1, b("g")) : put);
    }
    table.put(puts);
    List<MultiRowRangeFilter.RowRange> ranges = mutable(new MultiRowRangeFilter.RowRange("s01", true, "s03", false), new MultiRowRangeFilter.RowRange("s02", false, "s04", true),
        new MultiRowRangeFilter.RowRange("s08", false, "s10", true));
    TreeMap<String, Filter> all = new TreeMap<>();
    all.put("rowRanges", new MultiRowRangeFilter(ranges));
    all.put("rowRanges open", new MultiRowRangeFilter(mutable(new MultiRowRangeFilter.RowRange(b(""), true, b("s02"), true), new MultiRowRangeFilter.RowRange(b("s09"), false, b(""), false))));
    all.put("rowRanges of prefixes", new MultiRowRangeFilter(new byte[][] {b("s03"), b("s1")}));
    all.put("rowRanges and page", new FilterList(new MultiRowRangeFilter(ranges), new PageFilter(3)));
    all.put("rowRanges or prefix", new FilterList(FilterList.Operator.MUST_PASS_ONE, new MultiRowRangeFilter(ranges), new PrefixFilter(b("s11"))));
    all.put("rowRanges and value", new FilterList(new MultiRowRangeFilter(ranges), new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(b("o2")))));
    for (CompareOperator operator : new CompareOperator[] {CompareOperator.EQUAL, CompareOperator.NOT_EQUAL, CompareOperator.LESS, CompareOperator.GREATER_OR_EQUAL}) {
      all.put("columnValue " + operator, new ColumnValueFilter(F, b("o"), operator, b("o1")));
      all.put("long " + operator, new SingleColumnValueFilter(F, b("n"), operator, new LongComparator(-2)));
      all.put("decimal " + operator, new ColumnValueFilter(F, b("d"), operator, new BigDecimalComparator(new java.math.BigDecimal("-0.30"))));
    }
    for (BitComparator.BitwiseOp op : BitComparator.BitwiseOp.values()) {
      all.put("bits " + op, new ColumnValueFilter(F, b("x"), CompareOperator.EQUAL, new BitComparator(new byte[] {4, 0}, op)));
      all.put("bits not " + op, new ColumnValueFilter(F, b("x"), CompareOperator.NOT_EQUAL, new BitComparator(new byte[] {4, 0}, op)));
      all.put("bits of other length " + op, new ColumnValueFilter(F, b("x"), CompareOperator.NOT_EQUAL, new BitComparator(new byte[] {4}, op)));
    }
    all.put("null", valueFilter(new SingleColumnValueFilter(G, b("g"), CompareOperator.EQUAL, new NullComparator()), false));
    all.put("not null", valueFilter(new SingleColumnValueFilter(G, b("g"), CompareOperator.NOT_EQUAL, new NullComparator()), true));
    all.put("null or", new FilterList(FilterList.Operator.MUST_PASS_ONE, new ColumnValueFilter(F, b("o"), CompareOperator.NOT_EQUAL, new NullComparator()), new QualifierFilter(CompareOperator.EQUAL, new BinaryComparator(b("g")))));
    all.put("component", new RowFilter(CompareOperator.EQUAL, new BinaryComponentComparator(b("1"), 1)));
    all.put("component greater", new RowFilter(CompareOperator.GREATER, new BinaryComponentComparator(b("5"), 2)));
    all.put("random all", new RandomRowFilter(2f));
    all.put("random none", new RandomRowFilter(-1f));
    java.util.TreeSet<byte[]> qualifiers = new java.util.TreeSet<>(Bytes.BYTES_COMPARATOR);
    qualifiers.add(b("n"));
    all.put("first match", new FirstKeyValueMatchingQualifiersFilter(qualifiers));
    all.put("pages from a column", new ColumnPaginationFilter(2, b("m")));
    all.put("empty list", new FilterList());
    for (String what : all.keySet()) {
      for (boolean reversed : new boolean[] {false, true}) {
        if (!reversed || !what.startsWith("null") && !what.startsWith("not") && !what.startsWith("long") && !what.startsWith("bits") && !what.startsWith("columnValue") && !what.startsWith("decimal") && !what.contains("page") && !what.contains("open")) { // HBase can't, or gives nothing
          scan(table, what + (reversed ? " reversed" : ""), new Scan().setFilter(all.get(what)).setReversed(reversed));
        }
      }
    }
  }

  static List<MultiRowRangeFilter.RowRange> mutable(MultiRowRangeFilter.RowRange... ranges) { return new ArrayList<>(Arrays.asList(ranges)); }

  static Filter valueFilter(SingleColumnValueFilter filter, boolean ifMissing) {
    filter.setFilterIfMissing(ifMissing);
    return filter;
  }

  static void scan(Table table, String what, Scan scan) throws Exception {
    StringBuilder line = new StringBuilder("filter " + what + ":");
    scan = scan.isReversed() ? scan.withStartRow(b("t")).withStopRow(b("s")) : scan.withStartRow(b("s")).withStopRow(b("t"));
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result r : scanner) {
        line.append(' ').append(Bytes.toString(r.getRow())).append('{');
        for (Cell c : r.rawCells()) {
          line.append(Bytes.toString(CellUtil.cloneQualifier(c)));
        }
        line.append('}');
      }
      Api.say(line);
    } catch (Exception e) {
      Api.say(line, "error");
    }
  }

  static void times(Table table) throws Exception {
    byte[] row = b("times");
    for (long at : new long[] {1, 1L << 50, 1L << 56, 1_800_000_000_000_000_000L, Long.MAX_VALUE - 1}) {
      table.put(new Put(row).addColumn(F, b("a"), at, Bytes.toBytes(at)));
      show("time", table.get(new Get(row)), 0);
    }
    show("all times", table.get(new Get(row).readAllVersions()), 0);
    show("one time", table.get(new Get(row).setTimestamp(1_800_000_000_000_000_000L)), 0);
    show("range of times", table.get(new Get(row).setTimeRange(1L << 56, Long.MAX_VALUE - 1).readAllVersions()), 0);
    show("no time", table.get(new Get(row).setTimeRange(0, 0).readAllVersions()), 0);
    table.delete(new Delete(row, 1_800_000_000_000_000_000L));
    show("after a deletion", table.get(new Get(row).readAllVersions()), 0);
    table.delete(new Delete(row).addColumn(F, b("a"), Long.MAX_VALUE - 1));
    show("after all", table.get(new Get(row).readAllVersions()), 0);
  }

  static void lives(Table table) throws Exception {
    byte[] row = b("lives");
    table.put(new Put(row).addColumn(F, b("n"), Bytes.toBytes(5L)).addColumn(F, b("t"), b("x")).setTTL(3_600_000));
    table.put(new Put(row).addColumn(F, b("gone"), b("x")).setTTL(-5));
    table.put(new Put(row).addColumn(F, b("none"), b("x")).setTTL(0));
    for (Cell c : table.get(new Get(row)).rawCells()) {
      Api.say("alive", Bytes.toString(CellUtil.cloneQualifier(c)));
    }
  }

  /** oddities are numbers that mean nothing, or the end of a range. */
  static void oddities(THBaseService.Iface server) throws Exception {
    ByteBuffer table = buffer("details");
    for (int i = 0; i < 3; i++) {
      server.put(table, new TPut(buffer("odd" + i), List.of(new TColumnValue(buffer("f"), buffer("q"), buffer("v")).setTimestamp(i))));
    }
    say("time 0", () -> server.get(table, new TGet(buffer("odd0"))).getColumnValues().size() + " at " + server.get(table, new TGet(buffer("odd0"))).getColumnValues().get(0).getTimestamp());
    say("read of time 0", () -> server.get(table, new TGet(buffer("odd0")).setTimestamp(0)).getColumnValues().size());
    say("range up to 1", () -> server.get(table, new TGet(buffer("odd0")).setTimeRange(new TTimeRange(0, 1))).getColumnValues().size());
    say("range that ends before it begins", () -> server.get(table, new TGet(buffer("odd0")).setTimeRange(new TTimeRange(5, 0))).getColumnValues().size());
    say("deletion up to 0", () -> {
      server.deleteSingle(table, new TDelete(buffer("odd0")).setTimestamp(0));
      return server.get(table, new TGet(buffer("odd0"))).getColumnValues().size();
    });
    say("put after it", () -> {
      server.put(table, new TPut(buffer("odd0"), List.of(new TColumnValue(buffer("f"), buffer("q"), buffer("v")).setTimestamp(0))));
      return server.get(table, new TGet(buffer("odd0"))).getColumnValues().size();
    });
    say("deletion of the version 0", () -> {
      server.deleteSingle(table, new TDelete(buffer("odd1")).setColumns(List.of(new TColumn(buffer("f")).setQualifier(buffer("q")).setTimestamp(0))).setDeleteType(TDeleteType.DELETE_COLUMN));
      return server.get(table, new TGet(buffer("odd1"))).getColumnValues().size();
    });
    say("no versions", () -> server.get(table, new TGet(buffer("odd2")).setMaxVersions(0)).getColumnValues().size());
    say("negative versions", () -> server.get(table, new TGet(buffer("odd2")).setMaxVersions(-1)).getColumnValues().size());
    for (int n : new int[] {0, -1}) {
      TScan scan = new TScan().setStartRow(buffer("odd")).setStopRow(buffer("odd9"));
      say("scan of " + n + " versions", () -> server.getScannerResults(table, scan.deepCopy().setMaxVersions(n), 10).size());
      say("scan of " + n + " rows", () -> server.getScannerResults(table, scan.deepCopy().setLimit(n), 10).size());
      say("scan in batches of " + n, () -> server.getScannerResults(table, scan.deepCopy().setBatchSize(n), 10).size());
    }
  }

  interface Answer { Object get() throws Exception; }

  static void say(String what, Answer answer) {
    try {
      Api.say(what, answer.get());
    } catch (Exception e) {
      Api.say(what, "error");
    }
  }

  static ByteBuffer buffer(String text) { return ByteBuffer.wrap(b(text)); }

  static void tables(THBaseService.Iface server, Admin admin, TableName name) throws Exception {
    TTableName own = new TTableName(buffer("details")), none = new TTableName(buffer("nosuch"));
    Api.say("available", server.isTableAvailable(own), server.isTableAvailable(none), server.isTableAvailableWithSplit(own, List.of()), server.isTableAvailableWithSplit(own, List.of(buffer("x"))));
    Api.say("available", server.isTableAvailableWithSplit(none, List.of()));
    for (String call : new String[] {"enabled", "disabled", "region", "describe"}) {
      Api.say(call, "of no table", Api.fails(() -> {
        switch (call) {
          case "enabled": server.isTableEnabled(none); break;
          case "disabled": server.isTableDisabled(none); break;
          case "region": server.getRegionLocation(buffer("nosuch"), buffer("r"), false); break;
          default: server.getTableDescriptor(none);
        }
      }));
    }
    Api.say("regions of no table", server.getAllRegionLocations(buffer("nosuch")).size());
    Api.say("closing no scanner", Api.fails(() -> server.closeScanner(12345)));
    TColumnFamilyDescriptor f = server.getTableDescriptor(own).getColumns().get(0);
    TreeMap<String, String> attributes = new TreeMap<>();
    f.getAttributes().forEach((k, v) -> attributes.put(new String(Bytes.toBytes(k)), new String(Bytes.toBytes(v))));
    Api.say("attributes", attributes);
    Api.say("configuration", f.getConfiguration(), "compress tags", f.isSetCompressTags(), f.isCompressTags());
    admin.modifyColumnFamily(name, ColumnFamilyDescriptorBuilder.newBuilder(F).setMaxVersions(7).setTimeToLive(600).setMinVersions(2).setConfiguration("hbase.x", "y").setValue("own", "value").build());
    f = server.getTableDescriptor(own).getColumns().get(0);
    TreeMap<String, String> changed = new TreeMap<>();
    f.getAttributes().forEach((k, v) -> changed.put(new String(Bytes.toBytes(k)), new String(Bytes.toBytes(v))));
    Api.say("attributes", changed);
    Api.say("configuration", f.getConfiguration());
    TColumnFamilyDescriptor texts = new TColumnFamilyDescriptor(buffer("h"));
    texts.putToAttributes(buffer("VERSIONS"), buffer("4"));
    texts.putToAttributes(buffer("TTL"), buffer("99"));
    server.addColumnFamily(own, texts.deepCopy());
    TColumnFamilyDescriptor h = server.getTableDescriptor(own).getColumns().get(2);
    Api.say("by attributes", h.getMaxVersions(), h.getTimeToLive());
    admin.disableTable(name);
    Api.say("available", server.isTableAvailable(own), server.isTableAvailableWithSplit(own, List.of()));
  }
}
