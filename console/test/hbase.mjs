// SPDX-License-Identifier: Apache-2.0
//
// As much of HBase's Thrift1 API as the tests need to make a table and write to it: messages of the binary protocol, over HTTP.

const i16 = (n) => Buffer.from([(n >> 8) & 255, n & 255]);
const i32 = (n) => Buffer.from([(n >>> 24) & 255, (n >>> 16) & 255, (n >>> 8) & 255, n & 255]);
const bytes = (b) => Buffer.concat([i32(Buffer.from(b).length), Buffer.from(b)]);
const field = (type, id, content) => Buffer.concat([Buffer.from([type]), i16(id), content]);
const struct = (...fields) => Buffer.concat([...fields, Buffer.from([0])]);
const [stringType, structType, mapType, listType] = [11, 12, 13, 15];
const text = (id, b) => field(stringType, id, bytes(b));
const structs = (id, list) => field(listType, id, Buffer.concat([Buffer.from([structType]), i32(list.length), ...list]));

async function call(address, name, ...fields) {
  const body = Buffer.concat([Buffer.from([0x80, 1, 0, 1]), bytes(name), i32(1), struct(...fields)]);
  const answer = await fetch(`http://${address}/`, { method: "POST", headers: { "Content-Type": "application/x-thrift" }, body });
  const got = Buffer.from(await answer.arrayBuffer());
  // A reply without a field is a success of a call that returns nothing.
  if (got[3] !== 2 || got[12 + Buffer.from(name).length] !== 0) throw new Error(`${name}: ${got.toString("latin1")}`);
}

/** createTable makes a table of HBase's APIs with families. */
export const createTable = (address, table, families) => call(address, "createTable", text(1, table), structs(2, families.map((f) => struct(text(1, f)))));

/** put writes cells of a row: column to value. */
export const put = (address, table, row, cells) =>
  call(address, "mutateRow", text(1, table), text(2, row), structs(3, Object.entries(cells).map(([column, value]) => struct(text(2, column), text(3, value)))), field(mapType, 4, Buffer.concat([Buffer.from([stringType, stringType]), i32(0)])));
