"""The network as a picture: SVG, and a page to look around in.

Both are complete in themselves and load nothing. Memory text is a stranger's: in the drawing it is
escaped, in the page it is data that the script only ever sets as text, and the page's policy lets
no other script run.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from math import atan2, cos, hypot, log1p, pi, sin, sqrt

from wangchuan.cli.layout import Point, arranged
from wangchuan.cli.output import counted, one_line
from wangchuan.types import Dot, Line, Network, Stub

MARGIN, COMPANY, MANY_LINES = 70.0, 260.0, 320
STUB_LENGTH, STUB_RADIUS = 36.0, 3.2
LABEL_CHARACTERS = 22
BESIDE = ((0, 1), (0, -1), (1, 0), (-1, 0), (0.5, 1), (-0.5, 1), (0.5, -1), (-0.5, -1))
FOCUS_SIZE, LABEL_SIZE = 14.0, 11.5
READABLE = 0.7  # of its size, to which a drawing shrinks with its window before it scrolls


@dataclass(frozen=True, slots=True)
class Scene:
    """A network with the places of its dots."""

    network: Network
    places: dict[str, Point]
    dots: dict[str, Dot]

    @classmethod
    def of(cls, network: Network) -> Scene:
        """Lay a network out."""
        ids = [dot.id for dot in network.dots]
        pairs = [(line.source, line.target, line.strength) for line in network.lines]
        focus = {dot.id for dot in network.dots if dot.in_focus}
        return cls(network, arranged(ids, pairs, focus), {dot.id: dot for dot in network.dots})

    def bounds(self) -> tuple[float, float, float, float]:
        """Return left, top, width and height of what is drawn."""
        xs = [x for x, _ in self.places.values()] or [0.0]
        ys = [y for _, y in self.places.values()] or [0.0]
        left, top = min(xs) - MARGIN - 90, min(ys) - MARGIN - 20
        width, height = max(xs) + MARGIN + 90 - left, max(ys) + MARGIN + 40 - top
        return left, top, max(width, 480.0), max(height, 320.0)


def svg(network: Network) -> str:
    """Return the picture as an SVG document, light or dark as its viewer prefers."""
    scene = Scene.of(network)
    left, top, width, height = scene.bounds()
    style = _resource("picture.css")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="wangchuan" role="img"'
        f' viewBox="{left:.0f} {top:.0f} {width:.0f} {height:.0f}"'
        f' width="{width:.0f}" height="{height:.0f}"'
        f' style="max-width: 100%; min-width: {width * READABLE:.0f}px; height: auto">\n'
        f"<title>{_safe(_caption(network))}</title>\n<style>\n{style}</style>\n"
        f'<rect class="paper" x="{left:.0f}" y="{top:.0f}"'
        f' width="{width:.0f}" height="{height:.0f}"/>\n'
        f"{_drawing(scene)}{_inscription(network, left, top, height)}</svg>\n"
    )


def html(network: Network) -> str:
    """Return the picture as a page: drag to move, wheel to zoom, point at a memory to read it."""
    scene = Scene.of(network)
    left, top, width, height = scene.bounds()
    script = _resource("picture.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    parts = {
        "policy": f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'",
        "title": _safe(f"忘川 · {network.agent}"),
        "agent": _safe(network.agent),
        "caption": _safe(_figures(network)),
        "style": _resource("picture.css"),
        "box": f"{left:.0f} {top:.0f} {width:.0f} {height:.0f}",
        "drawing": _drawing(scene),
        "data": _embedded(network),
        "script": script,
    }
    page = _resource("picture.html")
    # Cut once at the marks: what is put in must never be searched for marks itself.
    pieces = page.split("%%")
    return "".join(parts[piece] if n % 2 else piece for n, piece in enumerate(pieces))


def _resource(name: str) -> str:
    return files("wangchuan.cli").joinpath(name).read_text(encoding="utf-8")


def _safe(text: str) -> str:
    """Return a stranger's text as text of a document; what XML cannot hold is written out."""
    legal = "".join(c if c not in "\ufffe\uffff" else "\ufffd" for c in one_line(text))
    return escape(legal, quote=True)


def _embedded(network: Network) -> str:
    """Return the details as JSON that no browser can take for the end of its element."""
    details = {
        dot.id: {
            "text": dot.content,
            "keywords": dot.keywords,
            "kept": round(dot.kept, 4),
            "importance": round(dot.importance, 3),
            "left": dot.passes_left,
            "focus": dot.in_focus,
        }
        for dot in network.dots
    }
    text = json.dumps(details, ensure_ascii=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


# drawing


def _drawing(scene: Scene) -> str:
    network = scene.network
    layers = (
        ("lines", [_line(scene, line) for line in network.lines]),
        ("stubs", [_stub(stub, ends) for stub, ends in _all_stubs(scene)]),
        ("dots", [_dot(scene, dot) for dot in reversed(network.dots)]),
        ("labels", _labels(scene)),
    )
    return "".join(f'<g class="{name}">\n{"".join(parts)}</g>\n' for name, parts in layers)


def _line(scene: Scene, line: Line) -> str:
    (x1, y1), (x2, y2) = scene.places[line.source], scene.places[line.target]
    bend = 0.08
    cx, cy = (x1 + x2) / 2 - (y2 - y1) * bend, (y1 + y2) / 2 + (x2 - x1) * bend
    calm = min(1.0, sqrt(MANY_LINES / len(scene.network.lines)))  # a thicket is drawn lightly
    width = 0.5 + 2.6 * calm * line.strength**1.5
    opacity = calm * (0.12 + 0.5 * line.strength)
    names = " · ".join(line.relations) or "linked"
    return (
        f'<path class="line" data-ends="{line.source} {line.target}"'
        f' d="M{x1:.1f} {y1:.1f}Q{cx:.1f} {cy:.1f} {x2:.1f} {y2:.1f}"'
        f' stroke-width="{width:.2f}" stroke-opacity="{opacity:.2f}"'
        f' data-relation="{_safe(names)}" data-strength="{line.strength:.2f}">'
        f"<title>{_safe(names)} {line.strength:.2f}</title></path>\n"
    )


def radius(dot: Dot) -> float:
    """Return the size of a dot: it grows with importance, ever more slowly."""
    return 4.0 + 3.2 * log1p(max(0.0, dot.importance)) + (2.0 if dot.in_focus else 0.0)


def _dot(scene: Scene, dot: Dot) -> str:
    x, y = scene.places[dot.id]
    size, opacity = radius(dot), 0.22 + 0.78 * dot.kept
    halo = f'<circle class="halo" r="{size + 7:.1f}"/>' if dot.in_focus else ""
    # What is gone of a faded memory stays visible as an empty ring around what is left.
    core = size * (0.35 + 0.65 * sqrt(dot.kept))
    return (
        f'<g class="dot{" focus" if dot.in_focus else ""}" id="{dot.id}" tabindex="0"'
        f' transform="translate({x:.1f} {y:.1f})"><title>{_safe(_hover(dot))}</title>{halo}'
        f'<circle class="ring" r="{size:.1f}"/>'
        f'<circle class="core" r="{core:.1f}" fill-opacity="{opacity:.2f}"/></g>\n'
    )


def _hover(dot: Dot) -> str:
    return f"{dot.id} · {dot.kept:.0%} kept · importance {dot.importance:.2f} · {dot.content}"


def _all_stubs(scene: Scene) -> Iterator[tuple[Stub, tuple[Point, Point]]]:
    """Yield the broken-off links with where they begin and end."""
    by_source: dict[str, list[Stub]] = {}
    for stub in scene.network.stubs:
        by_source.setdefault(stub.source, []).append(stub)
    for stubs in by_source.values():
        yield from _fan(scene, stubs)


def _fan(scene: Scene, stubs: list[Stub]) -> Iterator[tuple[Stub, tuple[Point, Point]]]:
    """Spread the broken-off links of one dot to where it has least company."""
    (x, y), inner = scene.places[stubs[0].source], radius(scene.dots[stubs[0].source]) + 1
    middle, step = _way_out(scene, stubs[0].source), min(0.6, 2.4 / len(stubs))
    for n, stub in enumerate(stubs):
        angle = middle + step * (n - (len(stubs) - 1) / 2)
        outer = inner + STUB_LENGTH * (0.6 + 0.4 * stub.strength)
        begin, end = ((x + r * cos(angle), y + r * sin(angle)) for r in (inner, outer))
        yield stub, (begin, end)


def _way_out(scene: Scene, source: str) -> float:
    """Return the direction in which a dot has least company."""
    x, y = scene.places[source]
    pull_x = pull_y = 0.0
    for other, (ox, oy) in scene.places.items():
        away = hypot(x - ox, y - oy)
        if other != source and away < COMPANY:
            pull_x += (x - ox) / max(away, 1.0) ** 2
            pull_y += (y - oy) / max(away, 1.0) ** 2
    return atan2(pull_y, pull_x) if pull_x or pull_y else -pi / 2


def _stub(stub: Stub, ends: tuple[Point, Point]) -> str:
    (x1, y1), (x2, y2) = ends
    name = _safe(stub.relation or "something")
    return (
        f'<g class="stub" data-source="{stub.source}" data-relation="{name}">'
        f"<title>{name}: forgotten ({stub.target})</title>"
        f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"/>'
        f'<circle cx="{x2:.1f}" cy="{y2:.1f}" r="{STUB_RADIUS}"/></g>\n'
    )


# words


def _labels(scene: Scene) -> list[str]:
    """Write phrases beside their dots, those that matter first, where none covers another."""
    taken = [_box_around(scene.places[dot.id], radius(dot)) for dot in scene.network.dots]
    for _, (begin, end) in _all_stubs(scene):
        middle = (begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2
        taken += [_box_around(point, STUB_RADIUS + 2) for point in (begin, middle, end)]
    drawn = []
    ranked = sorted(scene.network.dots, key=lambda dot: (not dot.in_focus, -dot.importance))
    for dot in ranked:
        text, size = _clipped(dot.phrase), FOCUS_SIZE if dot.in_focus else LABEL_SIZE
        box = _free_box(scene, dot, (_width(text, size), size * 1.25), taken)
        if box is not None:
            taken.append(box)
            drawn.append(_label(dot, text, box))
    return drawn


Box = tuple[float, float, float, float]  # left, top, right, bottom


def _box_around(place: Point, size: float) -> Box:
    x, y = place
    return x - size, y - size, x + size, y + size


def _free_box(scene: Scene, dot: Dot, extent: tuple[float, float], taken: list[Box]) -> Box | None:
    """Return a place for a label beside its dot; None if all is full, save for the focus."""
    boxes = list(_boxes(scene, dot, extent))
    free = (box for box in boxes if not any(_overlap(box, other) for other in taken))
    return next(free, boxes[0] if dot.in_focus else None)


def _boxes(scene: Scene, dot: Dot, extent: tuple[float, float]) -> Iterator[Box]:
    """Yield places for a label: below, above, right and left, then further off and aslant."""
    x, y = scene.places[dot.id]
    width, height = extent[0] / 2, extent[1] / 2
    for gap in (9.0, 15.0, 22.0) if dot.in_focus else (3.0,):
        size = radius(dot) + gap
        for right, down in BESIDE if dot.in_focus else BESIDE[:4]:
            mx = x + right * (size + width)
            my = y + down * (size + height)
            yield mx - width, my - height, mx + width, my + height


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _label(dot: Dot, text: str, box: Box) -> str:
    kind = "label focus" if dot.in_focus else "label"
    opacity, x, y = 0.45 + 0.55 * dot.kept, (box[0] + box[2]) / 2, box[1] + (box[3] - box[1]) * 0.78
    return (
        f'<text class="{kind}" data-of="{dot.id}" x="{x:.1f}" y="{y:.1f}"'
        f' opacity="{opacity:.2f}">{_safe(text)}</text>\n'
    )


def _clipped(text: str) -> str:
    text = one_line(text)
    room, kept = float(LABEL_CHARACTERS), 0
    for kept, char in enumerate(text, 1):
        room -= 2 if ord(char) > 0x2E7F else 1
        if room < 0:
            return text[: kept - 1].rstrip() + "…"
    return text


def _width(text: str, size: float) -> float:
    return sum(size * (1.02 if ord(char) > 0x2E7F else 0.56) for char in text) + 4


def _figures(network: Network) -> str:
    shown = counted(len(network.dots), "memory", "memories")
    of = f" of {network.memories}" if network.memories > len(network.dots) else ""
    lost = f", {counted(len(network.stubs), 'dangling link')}" if network.stubs else ""
    return f"{shown}{of}, {counted(len(network.lines), 'linked pair')}{lost}, pass {network.passes}"


def _caption(network: Network) -> str:
    return f"忘川 · {network.agent}: {_figures(network)}"


def _inscription(network: Network, left: float, top: float, height: float) -> str:
    """Write the name at the top and the key at the bottom of a drawing that stands alone."""
    x, foot = left + 22, top + height - 18
    return (
        f'<text class="name" x="{x:.0f}" y="{top + 34:.0f}">忘川 · {_safe(network.agent)}</text>\n'
        f'<text class="small" x="{x:.0f}" y="{top + 53:.0f}">{_safe(_figures(network))}</text>\n'
        f'<text class="small" x="{x:.0f}" y="{foot:.0f}">'
        '<tspan class="amber">●</tspan> in focus    <tspan class="blue">●</tspan> memory:'
        ' paler and smaller as it fades    <tspan class="red">┄○</tspan> leads to something'
        " forgotten</text>\n"
    )
