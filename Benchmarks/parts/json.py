"""JSON read, written and validated, beside orjson, msgspec, yyjson, simdjson, jsonschema-rs, sourcemeta and Foundation."""

from parts.compare import Command, PeakWorker, Sourcemeta, Target, Worker, compare, comparing, report
from parts.rivals import Native, Packages
from parts.shared import CONTENDERS, OURS, SCHEMA, Programs, Result, generated

HELP = "reading, writing and validating JSON"
PACKAGES = ("orjson", "msgspec", "jsonschema-rs", "sourcemeta-jsonschema")
GROUPS = ("parse", "parse and release", "write", "write indented", "check", "validate")
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
        return {
            "parse": self.parse, "parse and release": self.parse_and_release, "write": self.write,
            "write indented": self.write_indented, "check": self.check, "validate": self.validate,
        }[name]()

    def ours(self, mode, *more, kind=Worker):
        """Satchel's own worker, unless it is left out."""
        return [kind(OURS, (self.programs.bench("satchel-bench"), mode, self.data, *more))] if self.programs else []

    def python(self, package, mode, *more, kind=Worker):
        command = (self.packages.python, CONTENDERS / "python_rival.py", mode, self.data, *more)
        return [kind(f"{package}, GC on", command), Worker(f"{package}, GC off", (*command, "--gc-off"))]

    def in_c(self, mode, kind=Worker):
        return kind("yyjson (C)", (self.yyjson.program, mode, self.data))

    def in_cpp(self, mode, words, kind=Worker):
        return kind(f"simdjson DOM (C++), {words}", (self.simdjson.program, mode, self.data))

    def parse(self):
        found = [
            *self.ours("parse", kind=PeakWorker),
            *self.python("orjson", "orjson-parse", kind=PeakWorker),
            *self.python("msgspec", "msgspec-parse", kind=PeakWorker),
            self.in_c("parse", kind=PeakWorker),
            self.in_cpp("fresh", "fresh", kind=PeakWorker),
            self.in_cpp("reused", "buffers reused"),
        ]
        if self.programs:
            foundation = self.programs.bench("foundation-bench")
            found.append(PeakWorker("Foundation JSONSerialization", (foundation, "parse", self.data)))
        return found

    def parse_and_release(self):
        return [
            *self.ours("parse-release"), *self.python("orjson", "orjson-parse-release"), self.in_c("parse-release"),
            self.in_cpp("release", "fresh"),
        ]

    def write(self):
        return [
            *self.ours("write"), *self.python("orjson", "orjson-write"), *self.python("msgspec", "msgspec-write"),
            self.in_c("write"),
        ]

    def write_indented(self):
        return [
            *self.ours("write-indented"), *self.python("orjson", "orjson-write-indented"), self.in_c("write-indented"),
        ]

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
            *self.python("jsonschema-rs", "jsonschema-rs-validate", "--schema", SCHEMA),
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
