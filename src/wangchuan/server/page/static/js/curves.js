// Curves as SVG, drawn by hand: a few lines over one axis.

import { figure, html } from "./base.js";

const WIDTH = 520;
const HEIGHT = 190;
const EDGE = { left: 48, right: 48, top: 14, bottom: 34 };

// series: [{ name, points: [[x, y], …], tone, steps, top }], marks: [{ at, name }]; one with a `top` of its own is
// read at the right edge.
export function Curve({ title, series, marks = [], x, top = 1, form = (y) => figure(y, 2) }) {
  const xs = series.flatMap(({ points }) => points.map(([at]) => at));
  const [from, to] = [Math.min(...xs), Math.max(...xs)];
  const across = (at) => EDGE.left + ((WIDTH - EDGE.left - EDGE.right) * (at - from)) / (to - from || 1);
  const up = (y, most = top) => HEIGHT - EDGE.bottom - ((HEIGHT - EDGE.top - EDGE.bottom) * y) / (most || 1);
  const other = series.find((one) => one.top);
  const line = ({ points, steps, top: most }) => points.map(([at, y], n) => {
    const [dx, dy] = [across(at).toFixed(1), up(y, most).toFixed(1)];
    return !n ? `M${dx} ${dy}` : steps ? `H${dx}V${dy}` : `L${dx} ${dy}`;
  }).join("");
  const shown = marks.filter(({ at }) => at >= from && at <= to);
  return html`<figure class="curve">
    <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label=${title}>
      ${[0, 0.5, 1].map((part) => html`<g class="grid">
        <line x1=${EDGE.left} x2=${WIDTH - EDGE.right} y1=${up(part * top)} y2=${up(part * top)} />
        <text x=${EDGE.left - 6} y=${up(part * top) + 4} text-anchor="end">${form(part * top)}</text>
        ${other && html`<text class="other" x=${WIDTH - EDGE.right + 6} y=${up(part * top) + 4}>${figure(part * other.top, 2)}</text>`}</g>`)}
      <text class="axis" x=${EDGE.left} y=${HEIGHT - 6}>${figure(from)}</text>
      <text class="axis" x=${WIDTH / 2} y=${HEIGHT - 6} text-anchor="middle">${x}</text>
      <text class="axis" x=${WIDTH - EDGE.right} y=${HEIGHT - 6} text-anchor="end">${figure(to)}</text>
      ${shown.map(({ at, name }, n) => html`<g class="mark">
        <line x1=${across(at)} x2=${across(at)} y1=${EDGE.top} y2=${HEIGHT - EDGE.bottom} />
        <text x=${across(at) + (across(at) > WIDTH * 0.7 ? -5 : 5)} y=${EDGE.top + 10 + 14 * n}
          text-anchor=${across(at) > WIDTH * 0.7 ? "end" : "start"}>${name}</text></g>`)}
      ${series.map((one) => html`<path class=${`line ${one.tone}`} d=${line(one)} />`)}
    </svg>
    <figcaption>${series.map((one) => html`<span class=${`key ${one.tone}`}>${one.name}</span>`)}</figcaption>
  </figure>`;
}
