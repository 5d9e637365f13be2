// SPDX-License-Identifier: Apache-2.0

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.thrift2.generated.*;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.transport.THttpClient;

/**
 * Oracle sends the same random calls of Thrift2 to HBase's own server and to another, and compares the answers.
 *
 * Arguments: HBase's address, the other's, a seed, how many calls. Cells have times of the program's own; those that a server gives, at
 * increments and the like, are compared as "now".
 *
 * What it keeps away from, since HBase itself answers it by when it last wrote its files: family g keeps 2 versions, and no single version
 * of it is deleted and no range of times asked for, because HBase drops surplus versions only then. Family f keeps all that are written. The table has
 * one region, because HBase's filters that count begin anew in each; for the same reason ColumnCountGetFilter, which ends a region's scan, is for gets.
 */
public class Oracle {
  interface Call { Object on(THBaseService.Iface server) throws TException; }

  static final ByteBuffer TABLE = bytes("oracle");
  static final String[] FILTERS = {
    "PrefixFilter('r1')", "KeyOnlyFilter()", "FirstKeyOnlyFilter()",
    "PageFilter(3)", "InclusiveStopFilter('r15')", "RowFilter(>=, 'binary:r12')", "RowFilter(=, 'substring:3')", "RowFilter(=, 'regexstring:r.*5$')",
    "FamilyFilter(=, 'binary:f')", "QualifierFilter(>, 'binary:a')", "QualifierFilter(!=, 'binaryprefix:b')", "ValueFilter(=, 'binaryprefix:v1')", "ValueFilter(<, 'binary:v5')",
    "SingleColumnValueFilter('f', 'a', >, 'binary:v3')",
    "SingleColumnValueFilter('f', 'b', =, 'binaryprefix:v', true, false)", "SingleColumnValueExcludeFilter('f', 'a', <=, 'binary:v6')",
    "(RowFilter(<, 'binary:r15') AND ValueFilter(>, 'binary:v2'))", "(PrefixFilter('r0') OR PrefixFilter('r2'))", "WHILE RowFilter(!=, 'binary:r14')",
    "FuzzyRowFilterNone('x')", "PageFilter('x')", "RowFilter(=, 'binary:r11') AND", "NoSuchFilter()",
  };

  /**
   * UNSURE are filters that HBase answers by where it keeps the cells: those that seek show deleted cells now and then, and those that remember something
   * are asked of old versions in files, but not of those in memory. So these are asked of rows whose columns have one version and are never deleted.
   */
  static final String[] UNSURE = {
    "ColumnPrefixFilter('a')", "MultipleColumnPrefixFilter('a','c')", "ColumnRangeFilter('a', true, 'b', false)", "ColumnPaginationFilter(2, 1)",
    "DependentColumnFilter('f', 'a')", "DependentColumnFilter('f', 'a', true)", "SKIP ValueFilter(!=, 'binary:v4')",
  };

  final Random random;
  final long base = System.currentTimeMillis() / 1000 * 1000 - 3_600_000;

  Oracle(long seed) { random = new Random(seed); }

  public static void main(String[] arguments) throws Exception {
    THBaseService.Iface[] servers = {connect(arguments[0]), connect(arguments[1])};
    long seed = Long.parseLong(arguments[2]);
    int calls = Integer.parseInt(arguments[3]), differences = 0;
    for (THBaseService.Iface server : servers) {
      define(server);
    }
    Oracle oracle = new Oracle(seed);
    for (int i = 0; i < calls; i++) {
      StringBuilder title = new StringBuilder();
      Call call = oracle.next(title);
      String want = oracle.answer(servers[0], call), got = oracle.answer(servers[1], call);
      if (!want.equals(got) && differences++ < 20) {
        System.out.printf("call %d: %s%n  HBase: %s%n  other: %s%n", i, title, want, got);
      }
    }
    System.out.printf("%d calls, %d differences%n", calls, differences);
    System.exit(differences > 0 ? 1 : 0);
  }

  static THBaseService.Iface connect(String address) throws Exception {
    THttpClient transport = new THttpClient("http://" + address + "/", org.apache.http.impl.client.HttpClients.createDefault());
    transport.open();
    return new THBaseService.Client(new TBinaryProtocol(transport));
  }

  static void define(THBaseService.Iface server) throws TException {
    TTableName name = new TTableName(TABLE.duplicate());
    if (server.tableExists(name)) {
      server.disableTable(name);
      server.deleteTable(name);
    }
    TTableDescriptor table = new TTableDescriptor(name);
    table.addToColumns(new TColumnFamilyDescriptor(bytes("f")).setMaxVersions(100_000));
    table.addToColumns(new TColumnFamilyDescriptor(bytes("g")).setMaxVersions(2));
    server.createTable(table, List.of());
  }

  /** answer is what a server says, in words that can be compared. */
  String answer(THBaseService.Iface server, Call call) {
    try {
      return text(call.on(server));
    } catch (TIllegalArgument e) {
      return "illegal argument";
    } catch (TIOError e) {
      return "error";
    } catch (TApplicationException e) {
      return "error"; // HBase answers some arguments that make no sense so
    } catch (TException e) {
      return e.toString();
    }
  }

  String text(Object answer) {
    if (answer instanceof List<?> list) {
      return list.stream().map(this::text).collect(Collectors.joining("; ", "[", "]"));
    }
    if (answer instanceof TResult r) {
      String row = r.isSetRow() ? text(r.getRow()) : "none";
      return row + r.getColumnValues().stream().map(this::cell).collect(Collectors.joining(", ", "{", "}"));
    }
    return answer instanceof byte[] b ? new String(b, StandardCharsets.ISO_8859_1) : String.valueOf(answer);
  }

  String cell(TColumnValue c) {
    long at = c.getTimestamp() - base;
    return text(c.getFamily()) + ":" + text(c.getQualifier()) + "@" + (at > 1_000_000 ? "now" : at) + "=" + text(c.getValue()).replaceAll("[^ -~]", "?");
  }

  static ByteBuffer bytes(String text) { return ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1)); }

  String any(String... choices) { return choices[random.nextInt(choices.length)]; }

  boolean oneIn(int n) { return random.nextInt(n) == 0; }

  String row() { return String.format("r%02d", random.nextInt(30)); }

  String qualifier() { return any("a", "ab", "b", "c", ""); }

  String value() { return "v" + random.nextInt(8); }

  /** time is one of some near each other, or of some that lie longer ago than deletions are remembered. */
  long time() { return (oneIn(4) ? base - 30L * 86_400_000 : base) + random.nextInt(20); }

  Call next(StringBuilder title) {
    switch (random.nextInt(16)) {
      case 0: case 1: case 2: case 3: return putCall(title);
      case 4: case 5: return deleteCall(title);
      case 6: case 7: return getCall(title);
      case 8: case 9: case 10: case 11: return scanCall(title);
      case 12: return countCall(title);
      case 13: return conditionCall(title);
      case 14: return mutateCall(title);
      default: return manyCall(title);
    }
  }

  TPut put(String row) {
    TPut put = new TPut(bytes(row), new ArrayList<>());
    for (int i = random.nextInt(3); i >= 0; i--) {
      TColumnValue c = new TColumnValue(bytes(any("f", "f", "g")), bytes(qualifier()), bytes(value()));
      put.addToColumnValues(c.setTimestamp(time()));
    }
    return put;
  }

  Call putCall(StringBuilder title) {
    TPut put = put(row());
    if (oneIn(8)) {
      put.setRow(bytes("s" + random.nextInt(5))); // see UNSURE
      put.getColumnValues().forEach(c -> c.setTimestamp(base + c.getQualifier().length + c.getFamily()[0]));
    }
    if (oneIn(50)) {
      put.addToColumnValues(new TColumnValue(bytes("nosuch"), bytes("a"), bytes("v")));
    }
    title.append("put ").append(show(put));
    return s -> { s.put(TABLE.duplicate(), put.deepCopy()); return "done"; };
  }

  String show(TPut put) { return text(put.getRow()) + put.getColumnValues().stream().map(this::cell).collect(Collectors.joining(", ", "{", "}")); }

  TDelete delete(String row) {
    TDelete delete = new TDelete(bytes(row));
    TDeleteType type = TDeleteType.values()[random.nextInt(4)];
    if (oneIn(8)) {
      return delete.setTimestamp(time());
    }
    boolean whole = type == TDeleteType.DELETE_FAMILY || type == TDeleteType.DELETE_FAMILY_VERSION;
    boolean single = type == TDeleteType.DELETE_COLUMN || type == TDeleteType.DELETE_FAMILY_VERSION;
    for (int i = random.nextInt(2); i >= 0; i--) {
      TColumn c = new TColumn(bytes(single ? "f" : any("f", "g")));
      if (!whole) {
        c.setQualifier(bytes(qualifier()));
      }
      if (type != TDeleteType.DELETE_COLUMN || !oneIn(3)) { // one without a time takes the newest version
        c.setTimestamp(time());
      }
      delete.addToColumns(c);
    }
    return delete.setDeleteType(type);
  }

  String show(TDelete d) {
    String columns = d.isSetColumns() ? d.getColumns().stream().map(c -> text(c.getFamily()) + ":" + (c.isSetQualifier() ? text(c.getQualifier()) : "*") +
        (c.isSetTimestamp() ? "@" + (c.getTimestamp() - base) : "")).collect(Collectors.joining(", ", "{", "}")) : "";
    return text(d.getRow()) + columns + " " + d.getDeleteType() + (d.isSetTimestamp() ? " at " + (d.getTimestamp() - base) : "");
  }

  Call deleteCall(StringBuilder title) {
    TDelete delete = delete(row());
    title.append("delete ").append(show(delete));
    return s -> { s.deleteSingle(TABLE.duplicate(), delete.deepCopy()); return "done"; };
  }

  TColumn column(StringBuilder title) {
    TColumn c = new TColumn(bytes(any("f", "g")));
    if (!oneIn(3)) {
      c.setQualifier(bytes(qualifier()));
    }
    title.append(' ').append(text(c.getFamily())).append(':').append(c.isSetQualifier() ? text(c.getQualifier()) : "*");
    return c;
  }

  /** times is a range that family g has no part in; null for all times. */
  TTimeRange times(StringBuilder title) {
    if (!oneIn(4)) {
      return null;
    }
    long from = time(), to = from + 1 + random.nextInt(8);
    title.append(" times ").append(from - base).append('-').append(to - base);
    return new TTimeRange(from, to);
  }

  TGet get(StringBuilder title) {
    boolean unsure = oneIn(8);
    TGet get = new TGet(bytes(unsure ? "s" + random.nextInt(5) : row()));
    title.append("get ").append(text(get.getRow()));
    TTimeRange range = times(title);
    if (range != null) {
      get.setTimeRange(range).addToColumns(new TColumn(bytes("f")));
    } else if (oneIn(2)) {
      get.addToColumns(column(title));
      if (oneIn(2)) {
        get.addToColumns(column(title));
      }
    }
    if (oneIn(2)) {
      get.setMaxVersions(1 + random.nextInt(5));
      title.append(" versions ").append(get.getMaxVersions());
    }
    if (!unsure && oneIn(4)) {
      get.setStoreLimit(random.nextInt(5)).setStoreOffset(random.nextInt(3));
      title.append(" limit ").append(get.getStoreLimit()).append(" offset ").append(get.getStoreOffset());
    }
    if (unsure || oneIn(3)) {
      String filter = unsure ? oneIn(4) ? "ColumnCountGetFilter(2)" : any(UNSURE) : any(FILTERS);
      get.setFilterString(bytes(filter));
      title.append(' ').append(filter);
    }
    return get;
  }

  Call getCall(StringBuilder title) {
    TGet get = get(title);
    if (oneIn(5)) {
      title.append(" exists");
      return s -> s.exists(TABLE.duplicate(), get.deepCopy());
    }
    return s -> s.get(TABLE.duplicate(), get.deepCopy());
  }

  Call scanCall(StringBuilder title) {
    TScan scan = new TScan();
    title.append("scan");
    boolean unsure = oneIn(8);
    String from = unsure ? "s" : oneIn(3) ? "" : row(), to = unsure ? "t" : oneIn(3) ? "" : row();
    if (!unsure && oneIn(3)) {
      scan.setReversed(true);
      title.append(" reversed");
    }
    if (!from.isEmpty()) {
      scan.setStartRow(bytes(from));
    }
    if (!to.isEmpty()) {
      scan.setStopRow(bytes(to));
    }
    title.append(" from '").append(from).append("' to '").append(to).append('\'');
    TTimeRange range = times(title);
    if (range != null) {
      scan.setTimeRange(range).addToColumns(new TColumn(bytes("f")));
    } else if (oneIn(3)) {
      scan.addToColumns(column(title));
    }
    if (oneIn(3)) {
      scan.setMaxVersions(1 + random.nextInt(5));
      title.append(" versions ").append(scan.getMaxVersions());
    }
    if (unsure || oneIn(2)) {
      String filter = any(unsure ? UNSURE : FILTERS);
      if (scan.isReversed() && filter.contains("true, false")) { // HBase fails: it would read the other families later
        filter = "FirstKeyOnlyFilter()";
      }
      scan.setFilterString(bytes(filter));
      title.append(' ').append(filter);
    } else if (oneIn(4)) {
      scan.setBatchSize(1 + random.nextInt(3));
      title.append(" batch ").append(scan.getBatchSize());
    }
    if (oneIn(3)) {
      scan.setCaching(1 + random.nextInt(10));
      title.append(" caching ").append(scan.getCaching());
    }
    if (oneIn(5) && !scan.isSetBatchSize()) { // with a batch HBase counts parts of rows, too
      scan.setLimit(1 + random.nextInt(10));
      title.append(" limit ").append(scan.getLimit());
    }
    int page = 1 + random.nextInt(40);
    title.append(" by ").append(page);
    if (oneIn(3)) {
      title.append(" at once");
      return s -> s.getScannerResults(TABLE.duplicate(), scan.deepCopy(), page);
    }
    return s -> {
      int id = s.openScanner(TABLE.duplicate(), scan.deepCopy());
      List<TResult> all = new ArrayList<>();
      for (List<TResult> rows; !(rows = s.getScannerRows(id, page)).isEmpty(); ) {
        all.addAll(rows);
      }
      s.closeScanner(id);
      return all;
    };
  }

  Call countCall(StringBuilder title) {
    String row = "n" + random.nextInt(3), qualifier = any("a", "b");
    if (oneIn(3)) {
      TAppend append = new TAppend(bytes(row), List.of(new TColumnValue(bytes("f"), bytes("text"), bytes(value()))));
      title.append("append ").append(row);
      return s -> s.append(TABLE.duplicate(), append.deepCopy());
    }
    TIncrement increment = new TIncrement(bytes(row), List.of(new TColumnIncrement(bytes("f"), bytes(oneIn(20) ? "text" : qualifier)).setAmount(random.nextInt(20) - 10)));
    title.append("increment ").append(row);
    return s -> s.increment(TABLE.duplicate(), increment.deepCopy());
  }

  Call conditionCall(StringBuilder title) {
    String row = row(), qualifier = qualifier(), value = value();
    TPut put = put(row);
    TDelete delete = delete(row);
    ByteBuffer family = bytes(any("f", "g"));
    title.append("if ").append(row).append(' ').append(text(family.array())).append(':').append(qualifier).append(' ');
    switch (random.nextInt(4)) {
      case 0:
        title.append("is missing: ").append(show(put));
        return s -> s.checkAndPut(TABLE.duplicate(), bytes(row), family.duplicate(), bytes(qualifier), null, put.deepCopy());
      case 1:
        title.append("= ").append(value).append(": ").append(show(put));
        return s -> s.checkAndPut(TABLE.duplicate(), bytes(row), family.duplicate(), bytes(qualifier), bytes(value), put.deepCopy());
      case 2:
        title.append("= ").append(value).append(": ").append(show(delete));
        return s -> s.checkAndDelete(TABLE.duplicate(), bytes(row), family.duplicate(), bytes(qualifier), bytes(value), delete.deepCopy());
      default:
        TCompareOp operator = TCompareOp.values()[random.nextInt(6)];
        TRowMutations mutations = new TRowMutations(bytes(row), List.of(TMutation.put(put), TMutation.deleteSingle(delete)));
        title.append(operator).append(' ').append(value).append(": ").append(show(put)).append(' ').append(show(delete));
        return s -> s.checkAndMutate(TABLE.duplicate(), bytes(row), family.duplicate(), bytes(qualifier), operator, bytes(value), mutations.deepCopy());
    }
  }

  Call mutateCall(StringBuilder title) {
    String row = row();
    TPut put = put(row);
    TDelete delete = delete(row);
    TRowMutations mutations = new TRowMutations(bytes(row), List.of(TMutation.deleteSingle(delete), TMutation.put(put)));
    title.append("mutate ").append(show(delete)).append(' ').append(show(put));
    return s -> { s.mutateRow(TABLE.duplicate(), mutations.deepCopy()); return "done"; };
  }

  Call manyCall(StringBuilder title) {
    if (oneIn(3)) {
      List<TPut> puts = List.of(put(row()), put(row()), put(row()));
      title.append("puts ").append(puts.stream().map(this::show).collect(Collectors.joining(" ")));
      return s -> { s.putMultiple(TABLE.duplicate(), deep(puts)); return "done"; };
    }
    if (oneIn(2)) {
      List<TDelete> deletes = List.of(delete("r00"), delete("r01"));
      title.append("deletes ").append(deletes.stream().map(this::show).collect(Collectors.joining(" ")));
      return s -> s.deleteMultiple(TABLE.duplicate(), deletes.stream().map(TDelete::deepCopy).collect(Collectors.toCollection(ArrayList::new)));
    }
    List<TGet> gets = List.of(get(title), get(title.append(", ")));
    if (oneIn(3)) {
      title.append(" exist");
      return s -> s.existsAll(TABLE.duplicate(), gets.stream().map(TGet::deepCopy).collect(Collectors.toList()));
    }
    return s -> s.getMultiple(TABLE.duplicate(), gets.stream().map(TGet::deepCopy).collect(Collectors.toList()));
  }

  static List<TPut> deep(List<TPut> puts) { return puts.stream().map(TPut::deepCopy).collect(Collectors.toList()); }
}
