"""The same work over an encrypted folder and over a plain one, in turn."""

import pathlib
import tempfile

from parts.shared import Programs, Result, Table, judged, median, say
from parts.sync import Ours

HELP = "an encrypted folder beside a plain one"


def options(parser):
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--first-rounds", type=int, default=3)


def main(options):
    result, program = Result(options), Programs(options).path("foldersync")
    samples = {}

    def note(what, kind, seconds):
        samples.setdefault(what, {}).setdefault(kind, []).append(seconds)

    with tempfile.TemporaryDirectory(prefix="satchel-encrypted-") as folder:
        pairs = {}
        say(f"measuring: {options.records:,} records, plain and encrypted")
        for number in range(options.first_rounds):
            for kind in ("plain", "encrypted"):
                ours = Ours(program, pathlib.Path(folder) / f"{kind}-{number}", options.records, kind == "encrypted")
                publish, join = ours.first()
                note("first synchronisation: publishing", kind, publish.seconds)
                # The passphrase is stretched here, which takes its time on purpose.
                note("first synchronisation: joining", kind, join.seconds)
                pairs[kind] = ours
        for _ in range(options.rounds):
            for kind, ours in pairs.items():
                note("nothing changed", kind, ours.nothing())
            for kind, ours in pairs.items():
                note("one change, both sides", kind, ours.one())
    lines = []
    for what, kinds in samples.items():
        plain, encrypted = median(kinds["plain"]), median(kinds["encrypted"])
        # Each of the two sides of a change may take a millisecond more.
        allowed = max(plain * 1.1, plain + (0.002 if "both sides" in what else 0.001))
        lines.append((what, f"{plain * 1000:,.1f} ms", f"{encrypted * 1000:,.1f} ms", f"{encrypted / plain:.3f}",
                      judged(encrypted <= allowed)))
    result.add(Table(
        f"An encrypted folder and a plain one, {options.records:,} records, medians",
        ("what", "plain", "encrypted", "ratio", "at most 10 % or 1 ms more a call"), lines,
    ))
    return result
