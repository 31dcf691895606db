"""Adds events to a store of ActivityWatch: DATABASE [BUCKET TITLE…]; without a bucket prints all."""
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

from aw_core.models import Event
from aw_datastore.storages.sqlite import SqliteStorage

path, words = sys.argv[1], sys.argv[2:]
storage = SqliteStorage(testing=True, filepath=path, enable_lazy_commit=False)
now = datetime(2026, 3, 1, tzinfo=timezone.utc)
if words:
    if words[0] not in storage.buckets():
        storage.create_bucket(words[0], "window", "client", "host", now.isoformat())
    for number, title in enumerate(words[1:]):
        event = Event(timestamp=now + timedelta(minutes=number), duration=timedelta(seconds=30), data={"title": title})
        storage.insert_one(words[0], event)
else:
    for bucket in sorted(storage.buckets()):
        events = storage.get_events(bucket, -1)
        print(f"{bucket}: {', '.join(sorted(event['data']['title'] for event in events))}")
storage.conn.commit()
