"""An app of Django's own users and groups: migrate USER GROUP…, edit USER GROUP…, show."""
import os
import sys

import django
from django.conf import settings

settings.configure(
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["DATABASE"]}},
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes"],
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    USE_TZ=True,
)
django.setup()
from django.contrib.auth.models import Group, User  # noqa: E402
from django.core.management import call_command  # noqa: E402

command, pairs = sys.argv[1], sys.argv[2:]
if command == "migrate":
    call_command("migrate", verbosity=0)
for name, group in zip(pairs[::2], pairs[1::2]):
    user = User.objects.get_or_create(username=name)[0]
    user.groups.add(Group.objects.get_or_create(name=group)[0])
if command == "show":
    for user in User.objects.order_by("username"):
        print(f"{user.username}: {', '.join(sorted(group.name for group in user.groups.all()))}")
