"""Write the files of this folder in other encodings and formats; their clean twins are CSV in UTF-8.

Run it again after a change: `python tests/files/make_formats.py`.
"""

import csv
import gzip
import io
import json
import zipfile
from pathlib import Path
from random import Random

HERE = Path(__file__).parent
N = 60
TOWNS = ("Köln", "Genève", "Málaga", "Århus")


def towns(rng):
    """Return rows with letters beyond ASCII in names, cells and labels."""
    rows = []
    for _ in range(N):
        town, price = rng.choice(TOWNS), round(rng.uniform(5, 90), 2)
        rows.append({"größe": rng.randrange(1, 500), "ort": town, "preis": price, "offen": rng.random() < 0.5,
                     "urteil": "schön" if price < 40 else "teuer"})  # fmt: skip
    return rows


def with_gaps(rng):
    """Return rows of which each lacks some keys or has null there, the label too."""
    rows = towns(rng)
    for k, row in enumerate(rows[1:], 1):
        if k % 4 == 0:
            del row["preis"]
        if k % 5 == 0:
            row["ort"] = None
        if k % 7 == 0:
            del row["urteil"]
    return rows


def as_csv(rows):
    """Return rows as CSV."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(rows[0])
    for row in rows:
        cells = [row.get(name) for name in rows[0]]
        writer.writerow([str(cell).lower() if isinstance(cell, bool) else cell for cell in cells])
    return file.getvalue()


def as_lines(rows):
    """Return rows as JSON lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def as_nested(rows):
    """Return rows as JSON lines in which the town and its size are an object."""
    nested = [{"stadt": {"größe": row["größe"], "ort": row["ort"]},
               **{name: row[name] for name in ("preis", "offen", "urteil")}} for row in rows]  # fmt: skip
    return as_lines(nested)


def renamed(rows):
    """Return rows with the names that the keys of nested objects get."""
    names = {"größe": "stadt.größe", "ort": "stadt.ort"}
    return [{names.get(name, name): value for name, value in row.items()} for row in rows]


def workbook():
    """Return the parts of an Excel workbook by which it is known."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in ("[Content_Types].xml", "xl/workbook.xml", "xl/worksheets/sheet1.xml"):
            archive.writestr(zipfile.ZipInfo(name), "<xml/>")
    return file.getvalue()


def unlabelled(text):
    """Return a CSV file in which empty cells are written in other ways."""
    marks = iter(["?", "NA", "null", "", "n/a"] * N)
    return "".join(line + (next(marks) if line.endswith(",") else "") + "\n" for line in text.splitlines())


def files():
    """Return {name: content}."""
    rows, gaps = towns(Random("towns")), with_gaps(Random("gaps"))
    text = as_csv(rows)
    return {
        "towns.clean.csv": text.encode(),
        "towns_cp1252.csv": text.encode("cp1252"),
        "towns_bom.csv": text.encode("utf-8-sig"),
        "towns_utf16le.csv": b"\xff\xfe" + text.encode("utf-16-le"),
        "towns_utf16be.csv": b"\xfe\xff" + text.encode("utf-16-be"),
        "towns_cp437.csv": text.encode("cp437"),
        "towns_packed.csv.gz": gzip.compress(text.encode("cp1252"), mtime=0),
        "towns.jsonl": as_lines(rows).encode(),
        "towns_nested.ndjson": as_nested(rows).encode(),
        "towns_nested.clean.csv": as_csv(renamed(rows)).encode(),
        "gaps.jsonl": as_lines(gaps).encode(),
        "gaps.clean.csv": as_csv(gaps).encode(),
        "unlabelled.csv": unlabelled(as_csv(gaps)).encode(),
        "towns.json": json.dumps(rows, indent=1).encode(),
        "towns.xlsx": workbook(),
    }


if __name__ == "__main__":
    for name, content in files().items():
        (HERE / name).write_bytes(content)
