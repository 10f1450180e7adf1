"""Survival curves, drawn in the terminal and as SVG: as it was, and as it would be."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wangchuan.types import Replay, Survival

STEPS = "▁▂▃▄▅▆▇█"
FIGURES = {
    "alive": "memories alive",
    "importance": "mean importance",
    "length": "share of text left",
}
PANEL, TALL, EDGE, GAP = 300, 180, 40, 30  # of the drawing, in pixels
COLOURS = {"was": "#888888", "would be": "#c0392b"}


def values_of(points: Sequence[Survival], figure: str) -> list[float]:
    """Return one figure of a curve."""
    return [float(getattr(point, figure)) for point in points]


def spark(values: Sequence[float], top: float) -> str:
    """Return values as a line of small bars, of which the highest stands for `top`."""
    highest = len(STEPS) - 1
    return "".join(STEPS[round(max(0.0, min(1.0, v / top)) * highest)] for v in values if top)


def rows(replay: Replay) -> list[tuple[str, ...]]:
    """Return the curves as rows of a table: the figure, whose it is, the curve, where it ends."""
    found: list[tuple[str, ...]] = []
    for figure, name in FIGURES.items():
        lines = _lines(replay, figure)
        top = max((value for _, values in lines for value in values), default=0.0)
        for whose, values in lines:
            end = f"{values[-1]:.2f}".removesuffix(".00") if values else "—"
            found.append((name, whose, spark(values, top), end))
            name = ""
    return found


def _lines(replay: Replay, figure: str) -> list[tuple[str, list[float]]]:
    lines = [("was", values_of(replay.was, figure))]
    return lines + ([("would be", values_of(replay.curve, figure))] if replay.settings else [])


# as a picture


def svg(replay: Replay) -> str:
    """Return the curves as an SVG picture."""
    width = len(FIGURES) * (PANEL + GAP) + GAP
    height = TALL + 2 * EDGE + 10
    told = ", ".join(f"{name} = {value}" for name, value in replay.settings.items())
    title = f"{replay.passes} passes" + (f", with {told}" if told else "")
    panels = [_panel(replay, figure, GAP + n * (PANEL + GAP)) for n, figure in enumerate(FIGURES)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
            ' font-family="sans-serif" font-size="12" role="img">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{width}" height="{height}" fill="white"/>',
            f'<text x="{GAP}" y="18" font-weight="bold">{escape(title)}</text>',
            *panels,
            "</svg>\n",
        ]
    )


def _panel(replay: Replay, figure: str, left: int) -> str:
    lines = _lines(replay, figure)
    top = max((value for _, values in lines for value in values), default=0.0) or 1.0
    passes = max(1, replay.passes)
    base = EDGE + TALL
    drawn = [
        f'<path d="M{left} {EDGE}V{base}H{left + PANEL}" fill="none" stroke="#333"/>',
        f'<text x="{left}" y="{EDGE - 6}">{FIGURES[figure]}, up to {top:.3g}</text>',
        f'<text x="{left + PANEL}" y="{base + 14}" text-anchor="end">{replay.passes}</text>',
    ]
    for n, (whose, values) in enumerate(lines):
        points = replay.was if whose == "was" else replay.curve
        places = " ".join(
            f"{left + PANEL * point.passes / passes:.1f},{base - TALL * value / top:.1f}"
            for point, value in zip(points, values, strict=True)
        )
        colour = COLOURS[whose]
        drawn.append(
            f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        drawn.append(
            f'<text x="{left + 8 + 50 * n}" y="{base + 14}" fill="{colour}">{whose}</text>'
        )
    return "\n".join(drawn)
