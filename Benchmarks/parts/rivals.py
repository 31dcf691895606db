"""Rivals from PyPI, installed in the cache: those that Python runs, and those that are built from their sources."""

import os
import platform
import re
import shutil
import sys

from parts.shared import CONTENDERS, run, say, text_of


class Packages:
    """A virtual environment, the same for all commands; each names the packages that it needs."""

    def __init__(self, options, *names):
        self.folder, self.names = options.cache / "rivals", names
        self.venv = self.folder / "venv"
        self.python = self.venv / "bin" / "python"
        if options.upgrade:
            shutil.rmtree(self.folder, ignore_errors=True)
        say(f"installing {', '.join(names)}")
        if not (self.venv / "bin" / "pip").exists():
            run(sys.executable, "-m", "venv", "--clear", self.venv)
        self.pip("install", *names)

    def pip(self, *words):
        run(self.python, "-m", "pip", "--disable-pip-version-check", "--quiet", *words)

    def versions(self):
        code = "import importlib.metadata as m, sys; print(*(m.version(p) for p in sys.argv[1:]))"
        return dict(zip(self.names, text_of(self.python, "-c", code, *self.names).split()))

    def sourcemeta(self):
        """The program itself: the console script would add the start of a Python interpreter."""
        machine = {"aarch64": "arm64", "amd64": "x86_64"}.get(platform.machine().lower(), platform.machine().lower())
        name = f"jsonschema-{platform.system().lower()}-{machine}"
        found = next(self.venv.rglob(name), None)
        if found is None:
            sys.exit(f"error: sourcemeta-jsonschema has no program {name} for this machine")
        found.chmod(found.stat().st_mode | 0o100)
        return found


class Native:
    """A rival in C or C++, from the sources that a package of PyPI carries, and a program of the folder contenders."""

    def __init__(self, packages, package, name, extension):
        self.name, self.sources = name, packages.folder / "sources" / package
        self.program = packages.folder / f"{name}_rival"
        if not self.sources.exists():
            self.unpack(packages, package)
        source = CONTENDERS / f"{name}_rival.{extension}"
        if not self.program.exists() or self.program.stat().st_mtime < source.stat().st_mtime:
            self.compile(source, self.found(f"{name}.{extension}"))

    def unpack(self, packages, package):
        """The package itself as source; what it is built with may come built."""
        archives, part = packages.folder / "sdist" / package, self.sources.with_suffix(".part")
        packages.pip("download", "--no-deps", "--no-binary", package, "--dest", archives, package)
        for archive in archives.iterdir():
            shutil.unpack_archive(archive, part)
        part.rename(self.sources)

    def found(self, file):
        return next(self.sources.rglob(file))

    def compile(self, source, library):
        plus = source.suffix == ".cpp"
        compiler = os.environ.get("CXX" if plus else "CC") or ("c++" if plus else "cc")
        standard = ("-std=c++17",) if plus else ()
        run(compiler, "-O3", "-DNDEBUG", *standard, "-I", library.parent, source, library, "-o", self.program)

    def version(self):
        text = self.found(f"{self.name}.h").read_text(encoding="utf-8")
        found = re.search(rf'{self.name.upper()}_VERSION(?:_STRING)? "([^"]+)"', text)
        return found.group(1) if found else "unknown"
