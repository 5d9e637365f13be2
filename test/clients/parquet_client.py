# SPDX-License-Identifier: Apache-2.0
"""Files of Parquet that pyarrow and DuckDB write are imported, exported again, and read by both.

Run: parquet_client.py FOLDER. WEFT names the program. It ends with an error where something is not as it should be.
"""

import datetime
import os
import subprocess
import sys
from decimal import Decimal

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

folder, weft = sys.argv[1], os.environ["WEFT"]
store = folder + "/data"


def run(*args):
    done = subprocess.run([weft, *args, "--data", store, "--log-level", "error"], capture_output=True, text=True)
    assert done.returncode == 0, (args, done.stdout, done.stderr)
    return done.stdout


ROWS = 20_000
moment = datetime.datetime(2024, 2, 29, 12, 30, 15, 250_000, tzinfo=datetime.timezone.utc)
rows = [
    {
        "id": f"it's \"{i}\"\né", "n": i * 10**14, "price": Decimal(i - 5000).scaleb(-2), "wide": Decimal(10) ** 37 + i, "f": i / 4, "ok": i % 3 == 0, "b": bytes([i % 256, 0, 255]),
        "at": moment + datetime.timedelta(milliseconds=i), "word": f"w{i % 7}", "some": None if i % 5 else i,
    }
    for i in range(ROWS)
]
schema = pa.schema([
    ("id", pa.string()), ("n", pa.int64()), ("price", pa.decimal128(10, 2)), ("wide", pa.decimal128(38, 0)), ("f", pa.float64()), ("ok", pa.bool_()), ("b", pa.binary()),
    ("at", pa.timestamp("ms", tz="UTC")), ("word", pa.dictionary(pa.int32(), pa.string())), ("some", pa.int32()),
])
written = pa.Table.from_pylist(rows, schema=schema)
for name, options in {
    "snappy": {}, "zstd": {"compression": "zstd", "row_group_size": 3000}, "gzip": {"compression": "gzip", "data_page_version": "2.0", "use_dictionary": False},
    "plain": {"compression": "none", "data_page_size": 2000, "version": "1.0"},
}.items():
    pq.write_table(written, f"{folder}/{name}.parquet", **options)
duckdb.sql(f"COPY (SELECT * FROM '{folder}/snappy.parquet') TO '{folder}/duckdb.parquet' (FORMAT parquet, CODEC zstd)")
tables = ["snappy", "zstd", "gzip", "plain", "duckdb"]
for name in tables:
    out = run("import", "--key", "id:string", name, f"{folder}/{name}.parquet")
    assert f"{ROWS} records, {ROWS} rows" in out, out
run("export", "--format", "parquet", folder + "/out")
for name in tables:
    files = f"{folder}/out/default/{name}/data/*.parquet"
    read = pq.read_table(f"{folder}/out/default/{name}/data").to_pylist()
    assert len(read) == ROWS, (name, len(read))
    found = {row["id"]: row for row in read}
    for row in rows:
        one = found[row["id"]]
        for column, want in row.items():
            got = one[column]
            assert got == want or column == "f" and float(got) == want, (name, column, got, want)
    got = duckdb.sql(f"SELECT count(*), sum(price), max(wide), min(\"at\"), count(\"some\"), sum(f), count(DISTINCT word) FROM '{files}'").fetchall()[0]
    want = (ROWS, sum(r["price"] for r in rows), max(r["wide"] for r in rows), moment, ROWS // 5, Decimal(sum(r["f"] for r in rows)), 7)
    assert got[:3] == want[:3] and got[3].timestamp() == moment.timestamp() and got[4:] == want[4:], (name, got, want)
print("ok")
