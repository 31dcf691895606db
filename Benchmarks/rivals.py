"""The rivals: installed once, from PyPI, into the cache folder."""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = ("orjson", "msgspec", "jsonschema-rs", "sourcemeta-jsonschema")
# Native rivals are compiled from the C and C++ sources that these distributions carry.
SOURCES = ("yyjson", "pysimdjson")


def say(message):
    print(message, file=sys.stderr, flush=True)


def run(*command, **options):
    """Run a command that has to succeed; its output goes to standard error."""
    subprocess.run([str(part) for part in command], check=True, stdout=sys.stderr, **options)


class PythonRivals:
    """A virtual environment with the rivals that Python runs."""

    def __init__(self, cache, upgrade):
        self.folder = cache / "rivals"
        self.python = self.folder / "venv" / "bin" / "python"
        self.pip = (self.python, "-m", "pip", "--disable-pip-version-check", "--quiet")
        if upgrade:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.once("installed", self.install)

    def once(self, step, action):
        """Whatever a step left half done is overwritten when it is done again."""
        if not (self.folder / step).exists():
            action()
            (self.folder / step).touch()

    def install(self):
        say("installing the rivals")
        run(sys.executable, "-m", "venv", "--clear", self.folder / "venv")
        run(*self.pip, "install", "--upgrade", *PACKAGES)

    def versions(self):
        code = "import importlib.metadata as m, sys; print(*(m.version(p) for p in sys.argv[1:]))"
        listed = subprocess.run([self.python, "-c", code, *PACKAGES], check=True, capture_output=True, text=True)
        return dict(zip(PACKAGES, listed.stdout.split()))


class Rivals(PythonRivals):
    """The Python rivals, and the native ones built beside them."""

    def __init__(self, cache, upgrade):
        super().__init__(cache, upgrade)
        self.once("unpacked", self.unpack)
        self.yyjson = self.folder / "yyjson_rival"
        self.simdjson = self.folder / "simdjson_rival"
        for source, program, library in (
            ("yyjson_rival.c", self.yyjson, "yyjson.c"),
            ("simdjson_rival.cpp", self.simdjson, "simdjson.cpp"),
        ):
            self.compile(HERE / "contenders" / source, program, library)
        self.sourcemeta = self.native_sourcemeta()

    def unpack(self):
        for package in SOURCES:
            # The package itself as source; what it is built with may come built.
            sources = ("--no-deps", "--no-binary", package, "--dest", self.folder / "sdist")
            run(*self.pip, "download", *sources, package)
        for archive in sorted((self.folder / "sdist").iterdir()):
            shutil.unpack_archive(archive, self.folder / "sources")

    def source(self, name):
        return next((self.folder / "sources").rglob(name))

    def compile(self, source, program, library):
        if program.exists() and program.stat().st_mtime > source.stat().st_mtime:
            return
        plus = source.suffix == ".cpp"
        compiler = os.environ.get("CXX" if plus else "CC") or ("c++" if plus else "cc")
        code = self.source(library)
        standard = ("-std=c++17",) if plus else ()
        run(compiler, "-O3", "-DNDEBUG", *standard, "-I", code.parent, source, code, "-o", program)

    def native_sourcemeta(self):
        """The program itself: the console script would add the start of a Python interpreter."""
        machine = {"aarch64": "arm64", "amd64": "x86_64"}.get(platform.machine().lower(), platform.machine().lower())
        name = f"jsonschema-{platform.system().lower()}-{machine}"
        found = next((self.folder / "venv").rglob(name), None)
        if found is None:
            sys.exit(f"error: sourcemeta-jsonschema has no program {name} for this machine")
        found.chmod(found.stat().st_mode | 0o100)
        return found

    def versions(self):
        versions = super().versions()
        for name, header, macro in (("yyjson", "yyjson.h", "YYJSON"), ("simdjson", "simdjson.h", "SIMDJSON")):
            text = self.source(header).read_text(encoding="utf-8")
            found = re.search(rf'{macro}_VERSION(?:_STRING)? "([^"]+)"', text)
            versions[name] = found.group(1) if found else "unknown"
        return versions
