// SPDX-License-Identifier: Apache-2.0

// Calls Thrift2 with the package thrift of npm and code that Thrift's compiler made of hbase2.thrift. Arguments: the address, the folder of the code, http, buffered or framed.
const thrift = require("thrift");
const path = require("path");

const [host, port] = process.argv[2].split(":");
const code = (name) => require(path.resolve(process.argv[3], name));
const Service = code("THBaseService.js"), types = code("hbase2_types.js");

async function calls(client) {
  const name = new types.TTableName({ qualifier: "node" });
  await client.createTable(new types.TTableDescriptor({ tableName: name, columns: [new types.TColumnFamilyDescriptor({ name: "f", maxVersions: 3 })] }), []);
  for (let i = 0; i < 5; i++) {
    await client.put("node", new types.TPut({ row: "r" + i, columnValues: [new types.TColumnValue({ family: "f", qualifier: "q", value: "v" + i })] }));
  }
  const got = await client.get("node", new types.TGet({ row: "r3" }));
  console.log(String(got.row), got.columnValues.map((c) => `${c.family}:${c.qualifier}=${c.value}`).join(" "));
  const id = await client.openScanner("node", new types.TScan({ startRow: "r1", reversed: false }));
  const rows = [];
  for (let page; (page = await client.getScannerRows(id, 2)).length > 0; ) {
    rows.push(...page.map((r) => String(r.row)));
  }
  await client.closeScanner(id);
  console.log("scan", rows.join(" "));
  try {
    await client.get("nobody", new types.TGet({ row: "r" }));
  } catch (e) {
    console.log("error names the table", e.message.includes("nobody"));
  }
  await client.disableTable(name);
  await client.deleteTable(name);
}

async function main() {
  if (process.argv[4] === "http") {
    const web = thrift.createHttpConnection(host, Number(port), { transport: thrift.TBufferedTransport, protocol: thrift.TBinaryProtocol, path: "/", nodeOptions: { agent: false } });
    return calls(thrift.createHttpClient(Service, web));
  }
  const socket = thrift.createConnection(host, Number(port), { transport: thrift[process.argv[4] === "framed" ? "TFramedTransport" : "TBufferedTransport"], protocol: thrift.TBinaryProtocol });
  await calls(thrift.createClient(Service, socket));
  socket.end();
}

main().catch((e) => { console.error(e); process.exit(1); });
