"""What all measurements share: the cache, the programs, the rivals, what a process took, and the results.

A module of a command has `HELP`, `options(parser)` and `main(options)`, which gives a `Result`.
"""

import datetime
import hashlib
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent.parent
ROOT = HERE.parent
DATA, CONTENDERS = HERE / "data", HERE / "contenders"
SCHEMA = ROOT / "Schemas" / "slate" / "slate-2.schema.json"
OURS = "Satchel"
LINKS = ("bzpack", "slate-backup", "tracker-export", "foldersync")
# What a person installs who wants the rival; on Debian the package has the name of the program but for these.
DEBIAN = {"xmllint": "libxml2-utils", "strip": "binutils"}


def say(message):
    print(message, file=sys.stderr, flush=True)


def run(*command, **options):
    """Run a command that has to succeed; its output goes to standard error."""
    subprocess.run([str(part) for part in command], check=True, stdout=sys.stderr, **options)


def text_of(*command, **options):
    """What a command that has to succeed prints."""
    done = subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, **options)
    return done.stdout


def default_cache():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "satchel-bench"


def median(values):
    return statistics.median(values)


# Programs


class Programs:
    """Satchel's programs: those of a folder that was given, or built for release as they are installed.

    Those of the package beside this file are taken from that folder too where it has them, and built otherwise.
    """

    def __init__(self, options):
        self.folder = self.given = options.programs and options.programs.resolve()
        self.benches = {}

    def path(self, name):
        if self.folder is None:
            say("building satchel")
            run("make", "--silent", "release", cwd=ROOT)
            self.folder = ROOT / ".build" / "release"
        return self.found(self.folder / name)

    def bench(self, name):
        if self.given and (self.given / name).exists():
            return self.given / name
        if name not in self.benches:
            say(f"building {name}")
            run("swift", "build", "--quiet", "-c", "release", "--product", name, cwd=HERE)
            self.benches[name] = self.found(HERE / ".build" / "release" / name)
        return self.benches[name]

    @staticmethod
    def found(path):
        if not path.exists():
            sys.exit(f"error: {path} is missing; it has to be a program that is built")
        return path

    def version(self):
        """The version and, in a clone, the commit."""
        version = text_of(self.path("satchel"), "--version").split()[-1]
        if not shutil.which("git"):
            return version
        done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
        return f"{version} ({done.stdout.strip()})" if done.returncode == 0 else version


def stripped(program, folder):
    """A copy that valgrind can read: Debian's does not read the debugging information of today's compilers."""
    copy = pathlib.Path(folder) / "satchel"
    subprocess.run(["strip", "--strip-debug", "-o", str(copy), str(program)], check=True)
    for name in LINKS:
        (copy.parent / name).symlink_to(copy.name)
    return copy


# Data sets


def made(path, action):
    """The file or folder that an action makes: what is half done has another name."""
    if not path.exists():
        part = path.with_name(f"{path.name}.part")
        shutil.rmtree(part) if part.is_dir() else part.unlink(missing_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        say(f"making {path.name}")
        action(part)
        part.rename(path)
    return path


def data_folder(options):
    """A folder of the cache for what is made from generators and rivals: another one when they change."""
    digest = hashlib.sha256()
    for source in sorted(path for folder in (DATA, CONTENDERS) for path in folder.iterdir() if path.is_file()):
        digest.update(source.read_bytes())
    return options.cache / "data" / digest.hexdigest()[:12]


def generated(options, name, script, *arguments):
    """What a generator writes."""
    return made(data_folder(options) / name, lambda part: run(sys.executable, DATA / script, *arguments, part))


# Rivals


def missing(*programs):
    """Says which of these programs this machine lacks, as what needs them is left out."""
    absent = [program for program in programs if not shutil.which(program)]
    for program in absent:
        say(f"skipped: {program} is missing; on Debian: apt-get install {DEBIAN.get(program, program)}")
    return absent


def program_versions(*programs):
    """The versions of programs of the system, where they are."""
    versions = {}
    for program in programs:
        if shutil.which(program):
            flag = "-version" if program == "unison" else "--version"
            done = subprocess.run([program, flag], capture_output=True, text=True)
            line = (done.stdout or done.stderr).split("\n")[0]
            numbers = [word.strip("v,") for word in line.split() if word.strip("v,")[:1].isdigit()]
            versions[program] = numbers[0] if numbers else line
    return versions


# What a process takes

# A process counts the memory of the one that started it as its own peak: a small one starts it.
STARTER = """
import os, sys, time
output = [(os.POSIX_SPAWN_OPEN, 1, sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)]
start = time.perf_counter()
process = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ, file_actions=output)
_, status, usage = os.wait4(process, 0)
scale = 1 if sys.platform == "darwin" else 1024
seconds, cpu = time.perf_counter() - start, usage.ru_utime + usage.ru_stime
print(seconds, cpu, usage.ru_maxrss * scale, os.waitstatus_to_exitcode(status))
"""


class Timed:
    """A process that has to succeed: seconds of the clock, seconds of processors, peak bytes."""

    def __init__(self, command, cwd=None, env=None, allowed=(0, 3), output=os.devnull):
        command = [str(part) for part in command]
        starter = (sys.executable, "-I", "-S", "-c", STARTER, str(output))
        done = subprocess.run([*starter, *command], cwd=cwd, env=env, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            sys.exit(f"error: {' '.join(command)}: {done.stderr}")
        seconds, cpu, peak, code = done.stdout.split()
        self.seconds, self.cpu, self.peak = float(seconds), float(cpu), int(peak)
        if int(code) not in allowed:
            sys.exit(f"error: {' '.join(command)} ended with {code}: {done.stderr}")


def instructions(command, env=None, cwd=None, allowed=(0, 3)):
    """The instructions of a process, counted by callgrind; the program has to be stripped."""
    command = [str(part) for part in command]
    with tempfile.TemporaryDirectory() as folder:
        under = ("valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", "--trace-children=no", *command)
        done = subprocess.run(under, env=env, cwd=cwd, text=True, capture_output=True, stdin=subprocess.DEVNULL)
    counted = [line.split()[-1] for line in done.stderr.splitlines() if "Collected :" in line]
    if done.returncode not in allowed or not counted:
        sys.exit(f"error: {' '.join(command)} ended with {done.returncode} under callgrind: {done.stderr}")
    return int(counted[0])


# Results


def judged(met):
    return "met" if met else "**missed**"


class Table:
    """A table of texts; the first columns are words, the others numbers."""

    def __init__(self, title, columns, rows, left=1, note=""):
        self.title, self.left, self.note = title, left, note
        self.columns = [str(column) for column in columns]
        self.rows = [[str(cell) for cell in row] for row in rows]

    def markdown(self):
        rule = ["---" if index < self.left else "--:" for index in range(len(self.columns))]
        lines = [f"| {' | '.join(cells)} |" for cells in (self.columns, rule, *self.rows)]
        parts = [f"**{self.title}**"] if self.title else []
        parts.append("\n".join(lines))
        parts += [self.note] if self.note else []
        return "\n\n".join(parts)


class Curve:
    """Lines over a common axis, for a picture: `series` has values by name."""

    def __init__(self, name, title, axis, unit, places, series):
        self.name, self.title, self.axis, self.unit, self.places, self.series = name, title, axis, unit, places, series


class Result:
    """What a command found: tables, notes, curves, with the machine, the versions and the date.

    It is made before anything is measured, as it says how busy the machine was then.
    """

    def __init__(self, options, versions=None):
        self.options, self.versions = options, versions or {}
        self.head = {
            "command": options.command,
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
            "machine": machine(),
            "load": round(os.getloadavg()[0], 1),
            "satchel": Programs(options).version() if options.programs else "",
        }
        self.parts, self.samples = [], None

    def add(self, *parts):
        """Tables, curves, and texts, in the order in which they are read; each is printed at once."""
        for part in parts:
            self.parts.append(part)
            if not isinstance(part, Curve):
                print(f"\n{part.markdown() if isinstance(part, Table) else part}", flush=True)

    def skip(self, what):
        self.add(f"Left out: {what}.")

    def publish(self):
        """Leaves the result in the cache, where `page` finds it, unless it is of a part of the measurements."""
        folder = self.options.cache / "results"
        folder.mkdir(parents=True, exist_ok=True)
        kinds = {Table: "table", Curve: "curve"}
        parts = [
            {"kind": kinds[type(part)], **vars(part)} if type(part) in kinds else {"kind": "text", "text": part}
            for part in self.parts
        ]
        content = {**self.head, "versions": self.versions, "parts": parts, "samples": self.samples}
        options = vars(self.options)
        is_part = options.get("only") or options.get("rivals_only")
        path = folder / f"{self.head['command']}{'-part' if is_part else ''}.json"
        path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        listed = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        print(f"\n{self.head['machine']}, load {self.head['load']} before. {listed}", flush=True)
        say(f"written: {path}")


def machine():
    """The machine in words: its system, processors and memory."""
    name = platform.machine()
    cpu_info = pathlib.Path("/proc/cpuinfo")
    if cpu_info.exists():
        lines = cpu_info.read_text().splitlines()
        models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
        name = f"{models[0]} ({name})" if models else name
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    python = platform.python_version()
    return f"{platform.system()}, {os.cpu_count()} processors {name}, {memory:.0f} GB, Python {python}"


def files_below(folder):
    """How many files there are, and their bytes."""
    found = [path for path in folder.rglob("*") if path.is_file()]
    return len(found), sum(path.stat().st_size for path in found)
