"""Adds facts to hamster's database, and prints all of them."""
import sys

from hamster.lib import datetime as time
from hamster.lib.fact import Fact
from hamster.storage import db

storage = db.Storage()
day = time.hday(2026, 3, 1)
for text in sys.argv[1:]:
    assert storage.add_fact(Fact.parse(text, default_day=day))
for fact in sorted(storage.get_facts(day, day), key=str):
    print(fact.activity, fact.category, ",".join(sorted(fact.tags)))
