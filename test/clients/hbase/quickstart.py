# SPDX-License-Identifier: Apache-2.0
"""Calls happybase (Thrift1) as its user guide does, or Thrift2 with the package thrift and code that Thrift's compiler made of hbase2.thrift.

Arguments: happybase or thrift, the address, for thrift the folder of the code, transport and protocol. It prints what the server answers, without times.
"""

import struct
import sys


def happybase_calls(host, port, transport, protocol):
    import happybase

    connection = happybase.Connection(host, port, transport=transport, protocol=protocol)
    name = "happy_" + transport + "_" + protocol
    connection.create_table(name, {"cf1": dict(max_versions=10), "cf2": dict(max_versions=1, block_cache_enabled=False), "cf3": dict()})
    table = connection.table(name)
    print(name.encode() in connection.tables(), sorted(table.families()))
    quick_start(table)
    batches(table)
    scans(table)
    counters(table)
    connection.disable_table(name)
    connection.delete_table(name)
    print("left", name.encode() in connection.tables())
    connection.close()


def quick_start(table):
    table.put(b"row-key", {b"cf1:qual1": b"value1", b"cf2:qual2": b"value2"})
    row = table.row(b"row-key")
    print("row", row[b"cf1:qual1"], sorted(table.rows([b"row-key", b"row-key-2"])[0][1].items()))
    print("columns", table.row(b"row-key", columns=[b"cf1:qual1"]), table.row(b"row-key", columns=[b"cf2"]))
    table.put(b"row-key", {b"cf1:qual1": b"old"}, timestamp=123456789)
    print("before", table.row(b"row-key", timestamp=123456790), table.cells(b"row-key", b"cf1:qual1", versions=2))
    table.delete(b"row-key", columns=[b"cf1:qual1"])
    print("deleted", table.row(b"row-key"))
    table.delete(b"row-key")
    print("gone", table.row(b"row-key"))


def batches(table):
    with table.batch(batch_size=7) as b:
        for i in range(40):
            b.put(b"row-%03d" % i, {b"cf1:n": b"%d" % i, b"cf2:even": b"yes" if i % 2 == 0 else b"no"})
        b.delete(b"row-005")
    try:
        with table.batch(transaction=True) as b:
            b.put(b"row-100", {b"cf1:n": b"100"})
            raise ValueError("nothing is sent")
    except ValueError as e:
        print(e, table.row(b"row-100"))


def scans(table):
    keys = lambda **o: [key.decode() for key, _ in table.scan(**o)]
    print("all", len(keys()), "batch size", len(keys(batch_size=3)), "limit", keys(limit=2))
    print("range", keys(row_start=b"row-010", row_stop=b"row-013"), "prefix", keys(row_prefix=b"row-02", limit=3))
    print("reverse", keys(reverse=True, row_start=b"row-012", row_stop=b"row-009"))
    print("filter", keys(filter="SingleColumnValueFilter('cf1', 'n', =, 'binary:17')"), len(keys(filter="PrefixFilter('row-01') AND ValueFilter(=, 'binary:yes')")))
    print("columns", [data for _, data in table.scan(columns=[b"cf2"], limit=1)], "sorted", [list(data.items()) for _, data in table.scan(limit=1, sorted_columns=True)])


def counters(table):
    print("counter", table.counter_inc(b"count", b"cf1:c"), table.counter_inc(b"count", b"cf1:c", value=3), table.counter_dec(b"count", b"cf1:c"), table.counter_get(b"count", b"cf1:c"))
    table.counter_set(b"count", b"cf1:c", 12)
    print("set", struct.unpack(">q", table.row(b"count")[b"cf1:c"]))


def thrift_calls(host, port, transport, protocol, code):
    sys.path.insert(0, code)
    from hbase2 import THBaseService
    from hbase2.ttypes import TColumn, TColumnFamilyDescriptor, TColumnIncrement, TColumnValue, TDelete, TGet, TIncrement, TIOError, TPut, TScan, TTableDescriptor, TTableName
    from thrift.protocol import TBinaryProtocol, TCompactProtocol
    from thrift.transport import THttpClient, TSocket, TTransport

    ways = {
        "http": lambda: THttpClient.THttpClient("http://%s:%d/" % (host, port)),
        "buffered": lambda: TTransport.TBufferedTransport(TSocket.TSocket(host, port)),
        "framed": lambda: TTransport.TFramedTransport(TSocket.TSocket(host, port)),
    }
    protocols = {"binary": TBinaryProtocol.TBinaryProtocol, "accelerated": TBinaryProtocol.TBinaryProtocolAccelerated, "compact": TCompactProtocol.TCompactProtocol}
    connection = ways[transport]()
    client = THBaseService.Client(protocols[protocol](connection))
    connection.open()
    table = ("thrift_%s_%s" % (transport, protocol)).encode()
    name = TTableName(qualifier=table)
    client.createTable(TTableDescriptor(name, [TColumnFamilyDescriptor(name=b"f", maxVersions=3)]), [b"m"])
    client.putMultiple(table, [TPut(b"r%d" % i, [TColumnValue(b"f", b"q", b"v%d" % i)]) for i in range(5)])
    got = client.get(table, TGet(b"r3", [TColumn(b"f", b"q")]))
    print(got.row, [(c.family, c.qualifier, c.value) for c in got.columnValues])
    scan = client.getScannerResults(table, TScan(startRow=b"r1", stopRow=b"r4", filterString=b"RowFilter(!=, 'binary:r2')"), 10)
    print("scan", [r.row for r in scan], "regions", [(l.regionInfo.startKey, l.regionInfo.endKey) for l in client.getAllRegionLocations(table)])
    client.deleteSingle(table, TDelete(b"r3"))
    increment = client.increment(table, TIncrement(b"c", [TColumnIncrement(b"f", b"n", 5)]))
    print("exists", client.exists(table, TGet(b"r3")), "counter", increment.columnValues[0].value)
    try:
        client.get(b"nobody", TGet(b"r"))
    except TIOError as e:
        print("error names the table", "nobody" in e.message)
    client.disableTable(name)
    client.deleteTable(name)
    connection.close()


if __name__ == "__main__":
    library, address, *arguments = sys.argv[1:]
    host, port = address.rsplit(":", 1)
    if library == "happybase":
        happybase_calls(host, int(port), *arguments)
    else:
        thrift_calls(host, int(port), *arguments[-2:], arguments[0])
