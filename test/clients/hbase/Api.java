// SPDX-License-Identifier: Apache-2.0

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.util.Bytes;

/** Api uses HBase's own Java API over Thrift2: Admin, Table, ResultScanner, BufferedMutator and checkAndMutate. What it prints is what HBase itself answers. */
public class Api {
  static final byte[] F = Bytes.toBytes("f"), G = Bytes.toBytes("g");

  static Configuration configuration(String address) {
    Configuration c = HBaseConfiguration.create();
    c.set("hbase.client.connection.impl", "org.apache.hadoop.hbase.thrift2.client.ThriftConnection");
    c.set("hbase.thrift.client.builder.class", "org.apache.hadoop.hbase.thrift2.client.ThriftConnection$HTTPThriftClientBuilder");
    c.set("hbase.thrift.server.name", "http://" + address.substring(0, address.lastIndexOf(':')));
    c.set("hbase.thrift.server.port", address.substring(address.lastIndexOf(':') + 1));
    return c;
  }

  public static void main(String[] arguments) throws Exception {
    try (Connection connection = ConnectionFactory.createConnection(configuration(arguments[0]))) {
      TableName name = TableName.valueOf("shop", "orders");
      try (Admin admin = connection.getAdmin()) {
        define(admin, name);
        try (Table table = connection.getTable(name)) {
          cells(table);
          counters(table);
          conditions(table);
          scans(table);
          buffered(connection, name, table);
        }
        remove(admin, name);
      }
    }
  }

  static void define(Admin admin, TableName name) throws Exception {
    admin.createNamespace(NamespaceDescriptor.create("shop").build());
    ColumnFamilyDescriptor f = ColumnFamilyDescriptorBuilder.newBuilder(F).setMaxVersions(3).build();
    admin.createTable(TableDescriptorBuilder.newBuilder(name).setColumnFamily(f).setColumnFamily(ColumnFamilyDescriptorBuilder.of(G)).build(),
        new byte[][] {Bytes.toBytes("k"), Bytes.toBytes("t")});
    say("exists", admin.tableExists(name), "enabled", admin.isTableEnabled(name), "available", admin.isTableAvailable(name));
    TableDescriptor d = admin.getDescriptor(name);
    for (ColumnFamilyDescriptor one : d.getColumnFamilies()) {
      say("family", one.getNameAsString(), "versions", one.getMaxVersions(), "life", one.getTimeToLive());
    }
    say("tables of the namespace", Arrays.toString(admin.listTableNamesByNamespace("shop")));
    admin.addColumnFamily(name, ColumnFamilyDescriptorBuilder.of("h"));
    say("families", admin.getDescriptor(name).getColumnFamilyCount());
    admin.deleteColumnFamily(name, Bytes.toBytes("h"));
    say("families", admin.getDescriptor(name).getColumnFamilyCount());
  }

  static void cells(Table table) throws Exception {
    for (long at = 3; at <= 5; at++) { // no more than are kept: HBase shows older ones until it happens to write its files
      table.put(new Put(Bytes.toBytes("row1")).addColumn(F, Bytes.toBytes("a"), at, Bytes.toBytes("v" + at)));
    }
    table.put(new Put(Bytes.toBytes("row1")).addColumn(G, Bytes.toBytes("b"), 7, Bytes.toBytes(42L)).addColumn(F, null, 7, Bytes.toBytes("no qualifier")));
    show("newest", table.get(new Get(Bytes.toBytes("row1"))));
    show("versions", table.get(new Get(Bytes.toBytes("row1")).addColumn(F, Bytes.toBytes("a")).readAllVersions()));
    show("times", table.get(new Get(Bytes.toBytes("row1")).addFamily(F).setTimeRange(3, 5).readVersions(2)));
    show("one time", table.get(new Get(Bytes.toBytes("row1")).setTimestamp(7)));
    show("missing", table.get(new Get(Bytes.toBytes("nobody"))));
    say("exists", table.exists(new Get(Bytes.toBytes("row1"))), table.exists(new Get(Bytes.toBytes("nobody"))));
    table.delete(new Delete(Bytes.toBytes("row1")).addColumn(F, Bytes.toBytes("a"), 5));
    show("one version deleted", table.get(new Get(Bytes.toBytes("row1")).readAllVersions()));
    table.delete(new Delete(Bytes.toBytes("row1")).addColumns(F, Bytes.toBytes("a"), 3));
    show("versions up to 3 deleted", table.get(new Get(Bytes.toBytes("row1")).readAllVersions()));
    table.delete(new Delete(Bytes.toBytes("row1")).addFamily(F));
    show("family deleted", table.get(new Get(Bytes.toBytes("row1"))));
    table.delete(new Delete(Bytes.toBytes("row1")));
    show("row deleted", table.get(new Get(Bytes.toBytes("row1"))));
    Result[] got = table.get(List.of(new Get(Bytes.toBytes("row1")), new Get(Bytes.toBytes("row2"))));
    say("get of two", got.length, got[0].isEmpty(), got[1].isEmpty());
    failure("a family that is not there", () -> table.put(new Put(Bytes.toBytes("r")).addColumn(Bytes.toBytes("x"), Bytes.toBytes("a"), Bytes.toBytes("v"))));
  }

  static void counters(Table table) throws Exception {
    say("counter", table.incrementColumnValue(Bytes.toBytes("count"), F, Bytes.toBytes("n"), 5));
    say("counter", table.incrementColumnValue(Bytes.toBytes("count"), F, Bytes.toBytes("n"), -7));
    Result both = table.increment(new Increment(Bytes.toBytes("count")).addColumn(F, Bytes.toBytes("n"), 3).addColumn(F, Bytes.toBytes("m"), 1));
    say("counters", Bytes.toLong(both.getValue(F, Bytes.toBytes("n"))), Bytes.toLong(both.getValue(F, Bytes.toBytes("m"))));
    table.put(new Put(Bytes.toBytes("count")).addColumn(F, Bytes.toBytes("text"), Bytes.toBytes("abc")));
    Result appended = table.append(new Append(Bytes.toBytes("count")).addColumn(F, Bytes.toBytes("text"), Bytes.toBytes("def")));
    say("appended", Bytes.toString(appended.getValue(F, Bytes.toBytes("text"))));
    failure("a counter of three bytes", () -> {
      table.put(new Put(Bytes.toBytes("count")).addColumn(F, Bytes.toBytes("short"), Bytes.toBytes("abc")));
      table.incrementColumnValue(Bytes.toBytes("count"), F, Bytes.toBytes("short"), 1);
    });
    table.delete(new Delete(Bytes.toBytes("count")));
  }

  static void conditions(Table table) throws Exception {
    byte[] row = Bytes.toBytes("cond"), q = Bytes.toBytes("q");
    Put one = new Put(row).addColumn(F, q, Bytes.toBytes("1")), two = new Put(row).addColumn(F, q, Bytes.toBytes("2"));
    table.put(one); // ifNotExists ends with an internal error in HBase's own Thrift server
    say("if equals", table.checkAndMutate(row, F).qualifier(q).ifEquals(Bytes.toBytes("2")).thenPut(two), table.checkAndMutate(row, F).qualifier(q).ifEquals(Bytes.toBytes("1")).thenPut(two));
    for (org.apache.hadoop.hbase.CompareOperator operator : org.apache.hadoop.hbase.CompareOperator.values()) {
      if (operator != org.apache.hadoop.hbase.CompareOperator.NO_OP) {
        say(operator, "1", table.checkAndMutate(row, F).qualifier(q).ifMatches(operator, Bytes.toBytes("1")).thenPut(two));
      }
    }
    RowMutations mutations = new RowMutations(row);
    mutations.add(new Put(row).addColumn(F, Bytes.toBytes("r"), Bytes.toBytes("new")));
    mutations.add(new Delete(row).addColumns(F, q));
    say("mutated", table.checkAndMutate(row, F).qualifier(q).ifEquals(Bytes.toBytes("2")).thenMutate(mutations));
    showValues("after it", table.get(new Get(row)));
    table.mutateRow(RowMutations.of(List.of(new Put(row).addColumn(G, q, Bytes.toBytes("g")), new Delete(row).addColumns(F, Bytes.toBytes("r")))));
    showValues("after mutateRow", table.get(new Get(row)));
    say("deleted", table.checkAndMutate(row, G).qualifier(q).ifEquals(Bytes.toBytes("g")).thenDelete(new Delete(row)), table.exists(new Get(row)));
  }

  static void scans(Table table) throws Exception {
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      Put put = new Put(Bytes.toBytes(String.format("%c%02d", 'a' + i % 26, i)));
      puts.add(put.addColumn(F, Bytes.toBytes("n"), i + 1, Bytes.toBytes((long) i)).addColumn(G, Bytes.toBytes("even"), i + 1, Bytes.toBytes(i % 2 == 0)));
    }
    table.put(puts);
    scan(table, "all", new Scan());
    scan(table, "range", new Scan().withStartRow(Bytes.toBytes("c")).withStopRow(Bytes.toBytes("d54")));
    scan(table, "inclusive", new Scan().withStartRow(Bytes.toBytes("c02"), false).withStopRow(Bytes.toBytes("d55"), true));
    scan(table, "reversed", new Scan().setReversed(true).withStartRow(Bytes.toBytes("d55")).withStopRow(Bytes.toBytes("b79")));
    scan(table, "caching", new Scan().setCaching(3));
    scan(table, "family", new Scan().addFamily(G));
    scan(table, "column", new Scan().addColumn(F, Bytes.toBytes("n")));
    scan(table, "times", new Scan().setTimeRange(10, 13));
    scan(table, "prefix", new Scan().setRowPrefixFilter(Bytes.toBytes("z")));
    scan(table, "small caching", new Scan().setCaching(1).withStartRow(Bytes.toBytes("x")));
  }

  static void scan(Table table, String what, Scan scan) throws Exception {
    int rows = 0, cells = 0;
    StringBuilder first = new StringBuilder();
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) {
        cells += result.size();
        if (rows++ < 4) {
          first.append(' ').append(Bytes.toString(result.getRow()));
        }
      }
    }
    say("scan", what, rows, "rows", cells, "cells" + first);
  }

  /** buffered shows what the client itself refuses over Thrift, whatever the server, and what programs do instead. */
  static void buffered(Connection connection, TableName name, Table table) throws Exception {
    try {
      connection.getBufferedMutator(name).close();
    } catch (org.apache.commons.lang3.NotImplementedException e) {
      say("no BufferedMutator over Thrift");
    }
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      puts.add(new Put(Bytes.toBytes("m" + i)).addColumn(F, Bytes.toBytes("x"), Bytes.toBytes(i)));
    }
    table.put(puts);
    table.delete(new ArrayList<>(List.of(new Delete(Bytes.toBytes("m1")), new Delete(Bytes.toBytes("m2")))));
    scan(table, "after puts and deletes at once", new Scan().addColumn(F, Bytes.toBytes("x")));
  }

  static void remove(Admin admin, TableName name) throws Exception {
    failure("drop of an enabled table", () -> admin.deleteTable(name));
    admin.disableTable(name);
    say("disabled", admin.isTableDisabled(name));
    admin.truncateTable(name, true);
    say("enabled after truncate", admin.isTableEnabled(name));
    admin.disableTable(name);
    admin.deleteTable(name);
    say("exists", admin.tableExists(name));
    say("descriptor of no table", fails(() -> admin.getDescriptor(name))); // HBase names no class
    admin.deleteNamespace("shop");
    failure("descriptor of no namespace", () -> admin.getNamespaceDescriptor("shop"));
  }

  interface Call { void run() throws Exception; }

  /** failure prints the class of HBase's exception that a call ends with: messages differ from server to server. */
  static void failure(String what, Call call) {
    try {
      call.run();
      say(what, "no error");
    } catch (Exception e) {
      Throwable cause = e;
      for (; cause.getCause() != null; cause = cause.getCause()) {}
      String text = cause.getClass().getName() + ": " + cause;
      java.util.regex.Matcher m = java.util.regex.Pattern.compile("org\\.apache\\.hadoop\\.hbase\\.(?!thrift2)[a-z.]*[A-Z][A-Za-z]*Exception").matcher(text);
      say(what, m.find() ? m.group() : "error");
    }
  }

  static String fails(Call call) {
    try {
      call.run();
      return "no error";
    } catch (Exception e) {
      return "error";
    }
  }

  static void show(String what, Result result) {
    StringBuilder line = new StringBuilder();
    for (Cell c : result.rawCells()) {
      line.append(String.format(" %s:%s@%d=%s", Bytes.toString(CellUtil.cloneFamily(c)), Bytes.toString(CellUtil.cloneQualifier(c)), c.getTimestamp(), Bytes.toStringBinary(CellUtil.cloneValue(c))));
    }
    say(what + line);
  }

  /** showValues is show without times, which are the server's. */
  static void showValues(String what, Result result) {
    StringBuilder line = new StringBuilder();
    for (Cell c : result.rawCells()) {
      line.append(String.format(" %s:%s=%s", Bytes.toString(CellUtil.cloneFamily(c)), Bytes.toString(CellUtil.cloneQualifier(c)), Bytes.toStringBinary(CellUtil.cloneValue(c))));
    }
    say(what + line);
  }

  static void say(Object... words) {
    StringBuilder line = new StringBuilder();
    for (Object word : words) {
      line.append(line.length() > 0 ? " " : "").append(word);
    }
    System.out.println(line);
  }
}
