"""Lines over a few marks, as an SVG: one panel beside the other, one legend below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT, MARGIN, LEGEND = 260, 220, 46, 150


@dataclass(frozen=True, slots=True)
class Panel:
    """Lines by name, each with one percentage per mark; the first lies on top."""

    title: str
    marks: Sequence[str]
    lines: Mapping[str, Sequence[float]]


def picture(panels: Sequence[Panel], colours: Mapping[str, str]) -> str:
    """Return the panels as one picture."""
    width = MARGIN + max(len(panels) * (WIDTH + MARGIN), len(colours) * LEGEND)
    height = HEIGHT + 3 * MARGIN
    legend = (
        f'<text x="{MARGIN + n * LEGEND}" y="{height - 12}" fill="{colour}">{escape(name)}</text>'
        for n, (name, colour) in enumerate(colours.items())
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
            ' font-family="sans-serif" font-size="12">',
            f'<rect width="{width}" height="{height}" fill="white"/>',
            *(drawn(p, MARGIN + n * (WIDTH + MARGIN), colours) for n, p in enumerate(panels)),
            *legend,
            "</svg>\n",
        ]
    )


def drawn(panel: Panel, left: int, colours: Mapping[str, str]) -> str:
    """Return one panel, with its left edge at a place."""
    across = [left + n * WIDTH / (len(panel.marks) - 1) for n in range(len(panel.marks))]
    parts = [f'<text x="{left}" y="{MARGIN - 16}">{escape(panel.title)}</text>']
    for percent in range(0, 101, 20):
        y = height_of(percent)
        parts.append(f'<path d="M{left} {y:.1f}h{WIDTH}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{percent}</text>')
    for mark, x in zip(panel.marks, across, strict=True):
        y = MARGIN + HEIGHT + 18
        parts.append(f'<text x="{x:.1f}" y="{y}" text-anchor="middle">{escape(mark)}</text>')
    for name, values in reversed(list(panel.lines.items())):
        spots = (f"{x:.1f},{height_of(y):.1f}" for x, y in zip(across, values, strict=True))
        line = f'fill="none" stroke="{colours[name]}" stroke-width="2"'
        parts.append(f'<polyline points="{" ".join(spots)}" {line}/>')
    return "\n".join(parts)


def height_of(percent: float) -> float:
    return MARGIN + HEIGHT * (1 - percent / 100)
