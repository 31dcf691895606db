"""JSON read, written and validated, beside what does that in C, C++, Rust and Foundation."""

from parts.compare import Command, PeakWorker, Sourcemeta, Target, Worker, compare, comparing, report
from parts.rivals import Native, Packages
from parts.shared import CONTENDERS, OURS, SCHEMA, Programs, Result, generated

HELP = "reading, writing and validating JSON"
PACKAGES = ("orjson", "msgspec", "jsonschema-rs", "sourcemeta-jsonschema")
# The modes of Satchel and yyjson, of what Python runs, and of simdjson with the words for them.
IN_MEMORY = {
    "parse": ("parse", ("orjson", "msgspec"), {"fresh": "fresh", "reused": "buffers reused"}),
    "parse and release": ("parse-release", ("orjson",), {"release": "fresh"}),
    "write": ("write", ("orjson", "msgspec"), {}),
    "write indented": ("write-indented", ("orjson",), {}),
}
GROUPS = (*IN_MEMORY, "check", "validate")
TARGETS = (
    Target("parse", OURS, files=2.5),
    Target("parse", "orjson, GC on", speed=6),
    Target("parse", "simdjson DOM (C++), fresh", speed=1, aim=True),
    Target("parse", "Foundation JSONSerialization", speed=10),
    Target("write", "orjson, GC on", speed=1),
    Target("write", "yyjson (C)", speed=1, aim=True),
    Target("write indented", "orjson, GC on", speed=1),
    Target("write indented", "yyjson (C)", speed=1, aim=True),
    Target("check", OURS, size=100e6, aim=True),
    Target("check", "sourcemeta CLI", time=0.7),
    Target("check", "sourcemeta CLI", memory=1 / 3),
    Target("check", "sourcemeta CLI", time=0.5, aim=True),
    Target("validate", "jsonschema-rs, GC on", speed=1),
    Target("validate", "sourcemeta", speed=1, aim=True),
)


def options(parser):
    comparing(parser, 7, GROUPS)
    parser.add_argument("--rows", type=int, default=400_000, help="rows of the data set (400,000)")


class Contenders:
    """The contenders of each measurement: Satchel's first, if it is there."""

    def __init__(self, data, packages, programs):
        self.data, self.packages, self.programs = data, packages, programs
        self.yyjson = Native(packages, "yyjson", "yyjson", "c")
        self.simdjson = Native(packages, "pysimdjson", "simdjson", "cpp")

    def group(self, name):
        if name in IN_MEMORY:
            return self.in_memory(*IN_MEMORY[name], PeakWorker if name == "parse" else Worker)
        return self.check() if name == "check" else self.validate()

    def ours(self, mode, *more, kind=Worker):
        """Satchel's own worker, unless it is left out."""
        return [kind(OURS, (self.programs.bench("satchel-bench"), mode, self.data, *more))] if self.programs else []

    def python(self, package, mode, *more, kind=Worker):
        command = (self.packages.python, CONTENDERS / "python_rival.py", f"{package}-{mode}", self.data, *more)
        return [kind(f"{package}, GC on", command), Worker(f"{package}, GC off", (*command, "--gc-off"))]

    def in_memory(self, mode, packages, simdjson, kind):
        found = self.ours(mode, kind=kind)
        for package in packages:
            found += self.python(package, mode, kind=kind)
        found.append(kind("yyjson (C)", (self.yyjson.program, mode, self.data)))
        for option, words in simdjson.items():
            found.append(kind(f"simdjson DOM (C++), {words}", (self.simdjson.program, option, self.data)))
        if self.programs and mode == "parse":
            foundation = self.programs.bench("foundation-bench")
            found.append(kind("Foundation JSONSerialization", (foundation, mode, self.data)))
        return found

    def sourcemeta(self, *more):
        return (self.packages.sourcemeta(), "validate", "--fast", "--format-assertion", *more, SCHEMA, self.data)

    def check(self):
        found = [Command("sourcemeta CLI", self.sourcemeta())]
        if self.programs:
            found.insert(0, Command(OURS, (self.programs.path("bzpack"), "schema", "check", SCHEMA, self.data)))
        return found

    def validate(self):
        return [
            *self.ours("validate", "--schema", SCHEMA),
            *self.python("jsonschema-rs", "validate", "--schema", SCHEMA),
            Sourcemeta("sourcemeta", self.sourcemeta("--benchmark", "--loop", "3")),
        ]


def main(options):
    packages = Packages(options, *PACKAGES)
    data = generated(options, f"{options.rows}-compact.json", "generate_json.py", "--rows", options.rows)
    contenders = Contenders(data, packages, None if options.rivals_only else Programs(options))
    versions = {rival.name: rival.version() for rival in (contenders.yyjson, contenders.simdjson)}
    groups = {name: contenders.group(name) for name in options.only or GROUPS}
    result = Result(options, {**packages.versions(), **versions})
    size, rows = data.stat().st_size, []
    for name, group in groups.items():
        rows += compare(name, group, options.rounds, size)
    return report(result, rows, options, TARGETS)
