"""Writes docs/performance.md, and its pictures, from what the other commands found last."""

import html
import json
import math
import textwrap

from parts.shared import ROOT, Table, say

HELP = "write docs/performance.md from what was found last"
PAGE = ROOT / "docs" / "performance.md"
PICTURES = ROOT / "docs" / "performance"
TITLES = {
    "json": "JSON", "schema": "Many small documents", "slate": "Import and export of Slate", "interchange": "Time logs",
    "merge": "Two replicas come together", "sync": "Two devices in step", "encrypted": "What encryption costs",
    "lock": "How long an app waits", "years": "Many years, many devices",
}
WIDTH, HEIGHT, LEFT, BELOW, ABOVE, RIGHT = 640, 320, 64, 44, 34, 150
COLOURS = ("#2f6fb3", "#c2571a", "#2f7d4f", "#8a4fa3", "#7a6a00")
DASHES = ("", "6 3", "2 3", "8 3 2 3", "1 4")
STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #222; } .title { font-size: 14px; font-weight: 600; }
  .rule { stroke: #8888; } .line { fill: none; stroke-width: 2; }
  @media (prefers-color-scheme: dark) { text { fill: #ddd; } svg { background: #1b1b1b; } }
"""

INTRODUCTION = """# Performance

`make bench` measures, and writes this page: do not edit it. Times belong to one machine and one moment; what counts is
how Satchel stands to a rival that ran in the same run, and how a curve grows. What each row means is in
[Benchmarks/README.md](../Benchmarks/README.md). A target that is missed is shown as such.
"""


def options(parser):
    pass


def number(value):
    """A label of an axis, short."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.3g}"


def scale(values, is_wide):
    """A function from values to 0...1, and the ticks: decades where the values are far apart."""
    if is_wide:
        low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        high = max(high, low + 1)
        return lambda value: (math.log10(value) - low) / (high - low), [10 ** power for power in range(low, high + 1)]
    top = max(values)
    step = 10 ** math.floor(math.log10(top))
    step = next(step * part for part in (0.2, 0.5, 1, 2) if top <= 6 * step * part)
    ticks = [step * index for index in range(math.ceil(top / step) + 1)]
    return lambda value: value / ticks[-1], ticks


def picture(curve):
    """The curve as a picture that needs nothing but itself."""
    places = curve["places"]
    values = [value for series in curve["series"].values() for value in series]
    wide_places, wide_values = max(places) > 20 * min(places), max(values) > 20 * max(min(values), 1e-9)
    along, marks = scale(places, True) if wide_places else (None, places)
    if along is None:
        low, high = min(places), max(places)

        def along(place):
            return (place - low) / ((high - low) or 1)
    up, ticks = scale(values, wide_values)

    def x(place):
        return LEFT + along(place) * (WIDTH - LEFT - RIGHT)

    def y(value):
        return HEIGHT - BELOW - up(value) * (HEIGHT - BELOW - ABOVE)

    title = html.escape(f"{curve['title']}, {curve['unit']}")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{title}</title>",
        f"<style>{STYLE}</style>", f'<text class="title" x="{LEFT}" y="20">{title}</text>',
    ]
    for tick in ticks:
        parts.append(f'<line class="rule" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y(tick) + 4:.1f}" text-anchor="end">{number(tick)}</text>')
    for mark in marks:
        parts.append(f'<text x="{x(mark):.1f}" y="{HEIGHT - BELOW + 18}" text-anchor="middle">{number(mark)}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle:.1f}" y="{HEIGHT - 8}" text-anchor="middle">{html.escape(curve["axis"])}</text>')
    # Names stand beside the ends of their lines, and never on each other.
    taken = -1e9
    for index, (name, series) in sorted(enumerate(curve["series"].items()), key=lambda item: y(item[1][1][-1])):
        colour, dash = COLOURS[index % len(COLOURS)], DASHES[index % len(DASHES)]
        points = " ".join(f"{x(place):.1f},{y(value):.1f}" for place, value in zip(places, series))
        parts.append(f'<polyline class="line" stroke="{colour}" stroke-dasharray="{dash}" points="{points}"/>')
        taken = max(taken + 15, y(series[-1]) + 4)
        parts.append(f'<text x="{WIDTH - RIGHT + 6}" y="{taken:.1f}" style="fill: {colour}">{html.escape(name)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def kept():
    """The chapters of the page as it is, by title: what was not measured here stays, with its date and machine."""
    if not PAGE.exists():
        return {}
    parts = PAGE.read_text(encoding="utf-8").split("\n## ")[1:]
    return {part.split("\n", 1)[0]: f"## {part.strip()}" for part in parts}


def chapter(title, found):
    """What a command found: where and when, and its tables, texts and pictures."""
    versions = "".join(f", {name} {version}" for name, version in found["versions"].items())
    satchel = f"Satchel {found['satchel'] or 'built from the tree'}"
    head = f"{found['date']}, {found['machine']}, load {found['load']} before."
    lines = textwrap.wrap(f"{satchel}{versions.replace(',', ';', 1)}.", 118, break_on_hyphens=False)
    head = "\n".join([head, *lines])
    return "\n\n".join([f"## {title}", head, *map(shown, found["parts"])])


def shown(part):
    """A table, a text or a picture, which is written beside the page."""
    kind = part.pop("kind")
    if kind == "table":
        return Table(**part).markdown()
    if kind == "text":
        return part["text"]
    PICTURES.mkdir(exist_ok=True)
    (PICTURES / f"{part['name']}.svg").write_text(picture(part), encoding="utf-8")
    return f"![{part['title']}](performance/{part['name']}.svg)"


def main(options):
    chapters = kept()
    for command, title in TITLES.items():
        path = options.cache / "results" / f"{command}.json"
        if path.exists():
            chapters[title] = chapter(title, json.loads(path.read_text(encoding="utf-8")))
        elif title not in chapters:
            say(f"left out: {title}; bench.py {command} has to run before")
    found = [chapters[title] for title in TITLES.values() if title in chapters]
    PAGE.write_text("\n\n".join([INTRODUCTION.strip(), *found]) + "\n", encoding="utf-8")
    print(f"written: {PAGE.relative_to(ROOT)}")
