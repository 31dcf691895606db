#!/usr/bin/env python3
"""The merge of two replicas by other tools, on the records that merge-bench makes: SQLite's session extension (apsw), git
merge of sorted lines, Loro, pycrdt. `merge_rival.py TOOL RECORDS FOLDER` prints seconds, peak memory and bytes as JSON.

Each replica changes 1 % of the records, a fifth of them those that the other changes too, adds 1 % and deletes 0.5 %.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time

COLUMNS = ("id", "title", "notes", "done", "count", "day", "made", "changed")


def record(number):
    return {
        "id": f"r{number:07d}", "title": f"Title of the record {number}", "notes": f"note {number % 97}",
        "done": number % 3 == 0, "count": number % 1000, "day": f"2025-01-{10 + number % 20}",
        "made": "2025-01-01T10:00:00Z", "changed": "2025-01-02T11:30:00+02:00",
    }


def edits(count, side):
    """Numbers changed, records added, numbers deleted."""
    share = max(count // 100, 1)
    changed = [(i * 100 + (0 if i < share // 5 else 1 + side)) % count for i in range(share)]
    added = [dict(record(count + i), id=f"n{side}-{i}") for i in range(share)]
    deleted = [(i * 100 + 50 + side) % count for i in range(0, share, 2)]
    return changed, added, deleted


def session(count, folder):
    import apsw

    def make(path, side):
        db = apsw.Connection(path)
        db.execute(f"create table t ({','.join(COLUMNS)}, primary key(id)) without rowid")
        with db:
            db.executemany(f"insert into t values ({','.join('?' * 8)})", (tuple(record(n).values()) for n in range(count)))
        if side is not None:
            changed, added, deleted = edits(count, side)
            with db:
                db.executemany("update t set title=? where id=?", ((f"changed by {side}", f"r{n:07d}") for n in changed))
                db.executemany("delete from t where id=?", ((f"r{n:07d}",) for n in deleted))
                db.executemany(f"insert or replace into t values ({','.join('?' * 8)})", (tuple(a.values()) for a in added))
        db.close()

    paths = [os.path.join(folder, name) for name in ("base.db", "ours.db", "theirs.db")]
    for path, side in zip(paths, (None, 0, 1)):
        make(path, side)
    start = time.perf_counter()
    theirs = apsw.Connection(paths[2])
    theirs.execute("attach ? as base", (paths[0],))
    diff = apsw.Session(theirs, "main")
    diff.attach("t")
    diff.diff("base", "t")
    changes = diff.changeset()
    middle = time.perf_counter()
    ours = apsw.Connection(paths[1])
    apsw.Changeset.apply(changes, ours, conflict=lambda *_: apsw.SQLITE_CHANGESET_OMIT)
    return {"diff": middle - start, "apply": time.perf_counter() - middle, "bytes": len(changes)}


def git(count, folder):
    def run(*arguments):
        return subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@x", *arguments], cwd=folder,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def write(side):
        rows = {f"r{n:07d}": record(n) for n in range(count)}
        if side is not None:
            changed, added, deleted = edits(count, side)
            for n in changed:
                rows[f"r{n:07d}"]["title"] = f"changed by {side}"
            for n in deleted:
                rows.pop(f"r{n:07d}", None)
            rows.update((a["id"], a) for a in added)
        with open(os.path.join(folder, "rows.jsonl"), "w") as file:
            file.writelines(json.dumps(rows[key]) + "\n" for key in sorted(rows))

    run("init", "-q", "-b", "main")
    write(None)
    run("add", "rows.jsonl")
    run("commit", "-q", "-m", "base")
    run("checkout", "-q", "-b", "theirs")
    write(1)
    run("commit", "-q", "-a", "-m", "theirs")
    run("checkout", "-q", "main")
    write(0)
    run("commit", "-q", "-a", "-m", "ours")
    start = time.perf_counter()
    run("merge", "-q", "-m", "merged", "theirs")
    return {"merge": time.perf_counter() - start}


def loro(count, folder):
    from loro import ExportMode, LoroDoc, LoroMap

    def fill(doc, rows):
        table = doc.get_map("rows")
        for row in rows:
            entry = table.insert_container(row["id"], LoroMap())
            for name, value in row.items():
                entry.insert(name, value)
        doc.commit()

    base = LoroDoc()
    fill(base, (record(n) for n in range(count)))
    snapshot = base.export(ExportMode.Snapshot())
    docs = []
    start = time.perf_counter()
    for side in (0, 1):
        doc = LoroDoc()
        doc.import_(snapshot)
        changed, added, deleted = edits(count, side)
        table = doc.get_map("rows")
        for n in changed:
            table.get_or_create_container(f"r{n:07d}", LoroMap()).insert("title", f"changed by {side}")
        for n in deleted:
            if f"r{n:07d}" in table.keys() if count <= 1000 else True:
                table.delete(f"r{n:07d}")
        fill(doc, added)
        docs.append(doc)
    docs[0].import_(docs[1].export(ExportMode.Updates(base.oplog_vv)))
    docs[0].get_deep_value()
    return {"merge": time.perf_counter() - start, "bytes": len(docs[0].export(ExportMode.Snapshot()))}


def pycrdt(count, folder):
    from pycrdt import Doc, Map

    base = Doc()
    base["rows"] = Map({})
    rows = base["rows"]
    with base.transaction():
        for n in range(count):
            row = record(n)
            rows[row["id"]] = Map(row)
    update = base.get_update()
    docs = []
    start = time.perf_counter()
    for side in (0, 1):
        doc = Doc()
        doc["rows"] = Map({})
        doc.apply_update(update)
        changed, added, deleted = edits(count, side)
        with doc.transaction():
            for n in changed:
                doc["rows"][f"r{n:07d}"]["title"] = f"changed by {side}"
            for n in deleted:
                del doc["rows"][f"r{n:07d}"]
            for row in added:
                doc["rows"][row["id"]] = Map(row)
        docs.append(doc)
    docs[0].apply_update(docs[1].get_update(docs[0].get_state()))
    return {"merge": time.perf_counter() - start, "bytes": len(docs[0].get_update())}


def main():
    tool, count = sys.argv[1], int(sys.argv[2])
    with tempfile.TemporaryDirectory(dir=sys.argv[3]) as folder:
        result = {"session": session, "git": git, "loro": loro, "pycrdt": pycrdt}[tool](count, folder)
    scale = 1 if sys.platform == "darwin" else 1024
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(json.dumps({**result, "peak": peak * scale}))


if __name__ == "__main__":
    main()
