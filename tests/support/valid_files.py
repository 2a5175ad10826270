"""Small valid files of every format, as bytes: what the fuzzing of readers starts from."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

CSV = b"price,colour,flag,class\n1.5,red,0,up\n?,blue,1,down\n-2,red,1,up\n1e300,,0,?\n"
CSV += b"7,green,0,up\n" * 20
QUOTED = CSV.replace(b",", b";").replace(b"red", b'"dark;\n""red"""').replace(b"\n", b"\r\n")
DATES = "when;price;time;note;class\n" + "".join(
    f"{i % 28 + 1:02}.02.2024 1{i % 9}:30;1.{i:03},5;{i % 24}:00;a {i} of {i} words;{('down', 'up')[i % 2]}\n"
    for i in range(60)
)
ARFF = b"""% a comment
@relation 'rows of % things'
@attribute price real
@attribute 'the colour' {blue, 'dark, red' ,"it's"}
@attribute note string
@attribute class {up,down}
@data
1.5,'dark, red',7,up
% in between
?, blue ,?,down
-2,'it\\'s',8.5,?
"""
SPARSE = b"""@relation r
@attribute a numeric
@attribute b {x,y}
@attribute c numeric
@attribute class {up,down}
@data
{0 1.5, 1 y}
{}
{2 -3, 3 down}
"""
WORDS = "größe,farbe,class\n1.5,grün,schön\n2.5,weiß,teuer\n" + "7,grün,schön\n" * 20
JSON = b"".join(
    b'{"price": %d.5, "colour": "dark \\"red\\"", "flag": %s, "in": {"a": "%d", "b": null}, "class": "%s"}\n'
    % (k, (b"true", b"false")[k % 2], k, (b"up", b"down")[k % 3 > 0])
    for k in range(30)
)
MIXED = b'{"price": "1.5", "class": 1}\n{"price": -2, "flag": true}\n\n' * 9
MIXED += b'{"price": null, "class": "0", "late": {}}\n'


def valid_files():
    """Return {name: content}."""
    files = {"rows.csv": CSV, "quoted.csv": QUOTED, "dates.csv": DATES.encode()}
    files |= {f"{name}.csv": WORDS.encode(name) for name in ("utf-8", "cp1252", "utf-16")}
    files |= {"rows.jsonl": JSON, "mixed.jsonl": MIXED, "wide.ndjson": JSON.decode().encode("utf-16")}
    files |= {"rows.jsonl.gz": _packed(JSON, "gzip")}
    files |= {"rows.arff": ARFF, "sparse.arff": SPARSE}
    for codec, suffix in (("gzip", "gz"), ("bz2", "bz2"), ("zstd", "zst"), ("lz4", "lz4")):
        files[f"rows.csv.{suffix}"] = _packed(CSV, codec)
    files["rows.arff.gz"] = _packed(ARFF, "gzip")
    table = _table()
    for codec in ("none", "snappy", "gzip", "zstd", "lz4", "brotli"):
        files[f"{codec}.parquet"] = _parquet(table, compression=codec)
    plain = {"compression": "none", "use_dictionary": False, "data_page_version": "2.0"}
    files["plain.parquet"] = _parquet(table, **plain)
    files["groups.parquet"] = _parquet(table, row_group_size=10, write_page_checksum=True)
    for codec in (None, "lz4", "zstd"):
        files[f"{codec}.arrow"] = _ipc(table, pa.ipc.new_file, codec)
        files[f"{codec}.stream.arrow"] = _ipc(table, pa.ipc.new_stream, codec)
    numbers = table.select(["price", "small", "class"])
    files["numbers.feather"] = _ipc(numbers, pa.ipc.new_file, None)
    files["delta.arrow"] = _delta_dictionaries()
    return files


def _table():
    n = 24
    rng = np.random.default_rng(0)
    word = pa.array([None if i % 7 == 3 else f"word{i % 5}" for i in range(n)])
    return pa.table(
        {
            "price": pa.array([None if i % 5 == 2 else x for i, x in enumerate(rng.normal(size=n))]),
            "small": pa.array(rng.integers(0, 100, n), pa.uint8()),
            "ratio": pa.array(rng.random(n), pa.float32()),
            "level": pa.DictionaryArray.from_arrays(rng.integers(0, 3, n).astype("int8"), [1, 5, 7]),
            "colour": word.dictionary_encode(),
            "text": word,
            "large": word.cast(pa.large_string()),
            "flag": pa.array(rng.random(n) < 0.5),
            "sum": pa.array(rng.integers(0, 9, n)).cast(pa.decimal128(25, 2)),
            "nothing": pa.nulls(n),
            "class": pa.array(["up" if i % 3 else "down" for i in range(n)]),
        }
    )


def _packed(content, codec):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, codec) as file:
        file.write(content)
    return sink.getvalue().to_pybytes()


def _parquet(table, **options):
    sink = io.BytesIO()
    pa.parquet.write_table(table, sink, **options)
    return sink.getvalue()


def _ipc(table, writer, codec):
    sink = io.BytesIO()
    with writer(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as file:
        file.write_table(table, max_chunksize=15)
    return sink.getvalue()


def _delta_dictionaries():
    sink = io.BytesIO()
    colours = ["red", "blue", "green"]
    batches = [
        pa.record_batch(
            {"a": pa.DictionaryArray.from_arrays(pa.array(codes), colours[:known]), "class": ["up", "down"]}
        )
        for codes, known in (([0, 1], 2), ([0, 2], 3), ([1, 2], 3))
    ]
    options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
    with pa.ipc.new_stream(sink, batches[0].schema, options=options) as file:
        for batch in batches:
            file.write_batch(batch)
    return sink.getvalue()
