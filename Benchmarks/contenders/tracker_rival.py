#!/usr/bin/env python3
"""Bring a tracker export into SQLite the way a script does: orjson, one transaction, executemany.

usage: tracker_rival.py EXPORT.json STORE.db [--gc-off]
"""

import gc
import pathlib
import sqlite3
import sys
from datetime import datetime

import orjson

if "--gc-off" in sys.argv:
    gc.disable()
source, target = sys.argv[1:3]
document = orjson.loads(pathlib.Path(source).read_bytes())
database = sqlite3.connect(target)
database.executescript(
    """
    CREATE TABLE button (id TEXT PRIMARY KEY, name TEXT, color TEXT, icon TEXT, is_default INTEGER, position INTEGER,
        is_visible INTEGER);
    CREATE TABLE activity (id TEXT PRIMARY KEY, name TEXT NOT NULL, button_id TEXT, start_ms INTEGER NOT NULL, end_ms INTEGER,
        start TEXT NOT NULL, "end" TEXT, color TEXT);
    CREATE INDEX activity_start ON activity (start_ms);
    """
)


def milliseconds(text):
    return None if text is None else int(datetime.fromisoformat(text).timestamp() * 1000)


database.executemany(
    "INSERT INTO button VALUES (?, ?, ?, ?, ?, ?, ?)",
    (
        (b["id"], b["name"], b["color"], b["icon"], b["isDefault"], b["position"], b["isVisible"])
        for b in document["buttons"]
    ),
)
database.executemany(
    "INSERT INTO activity VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    (
        (
            a["id"], a["name"], a.get("buttonId"), milliseconds(a["startTime"]), milliseconds(a.get("endTime")),
            a["startTime"], a.get("endTime"), a.get("color"),
        )
        for a in document["activities"]
    ),
)
database.commit()
