"""Writes small tables: make.py FOLDER."""

import datetime
import decimal
import pathlib
import sys

import pyarrow as pa
import pyarrow.parquet as pq

FOLDER = pathlib.Path(sys.argv[1])
A, B = [1.5, 0.0, 2.5, 3.0], [4, 5, 0, 7]
NAMES = ["first", "zweite", "troisième", "fourth"]


def write(name, columns, **options):
    pq.write_table(pa.table(columns), FOLDER / f"{name}.parquet", **options)


def write_good():
    for kind in ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]:
        write(f"type_{kind}", {"a": pa.array(A), "b": pa.array(B, getattr(pa, kind)())})
    plain = {"a": A, "b": B}
    for packing in ["none", "snappy", "gzip", "zstd", "lz4"]:
        write(f"packed_{packing}", plain, compression=packing)
    write("pages_v2", plain, data_page_version="2.0")
    write("plain", plain, use_dictionary=False)
    write("split", plain, use_dictionary=False, column_encoding={"a": "BYTE_STREAM_SPLIT", "b": "DELTA_BINARY_PACKED"})
    write("groups", plain, row_group_size=1)
    required = pa.schema([pa.field("a", pa.float64(), False), pa.field("b", pa.int64(), False)])
    pq.write_table(pa.table(plain, schema=required), FOLDER / "required.parquet")
    write("named", {"a": A, "who": NAMES, "b": B})
    write("named_large", {"who": pa.array(NAMES, pa.large_string()), "a": A, "b": B})
    write("named_category", {"who": pa.array(NAMES).dictionary_encode(), "a": A, "b": B})
    write("index", {"a": A, "b": B, "__index_level_0__": [10, 11, 12, 13]})
    write("large", {"a": pa.array([2**63 + 2048, 2**32 - 1], pa.uint64()), "b": pa.array([2**32 - 1, 1], pa.uint32())})


def write_bad():
    write("bad_gap", {"a": A, "b": [1, 2, None, 3]}, row_group_size=2)
    write("bad_gap_in_names", {"a": A, "who": ["x", None, "y", "z"]})
    write("bad_nan", {"a": A, "b": [1.0, 2.0, float("nan"), 0.0]}, row_group_size=2)
    write("bad_texts", {"a": A, "who": NAMES, "where": NAMES})
    write("bad_truth", {"a": A, "b": [True, False, True, True]})
    write("bad_date", {"a": A, "b": [datetime.date(2020, 1, 1)] * 4})
    write("bad_time", {"a": A, "b": [datetime.datetime(2020, 1, 1)] * 4})
    write("bad_decimal", {"a": A, "b": [decimal.Decimal("1.5")] * 4})
    write("bad_bytes", {"a": A, "b": [b"x"] * 4})
    write("bad_list", {"a": A, "b": [[1.0], [2.0], [], [3.0]]})
    write("bad_struct", {"a": A, "b": [{"c": 1.0}] * 4})
    write("bad_only_text", {"who": NAMES})
    write("bad_empty", {"a": pa.array([], pa.float64())})
    write("bad_no_columns", {})
    write("bad_huge", {"a": [1e300, 1.0]})
    write("bad_brotli", {"a": A}, compression="brotli")


write_good()
write_bad()
