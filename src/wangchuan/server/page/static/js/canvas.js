// Drawing a network on a canvas: moving, zooming, pointing. It knows places and colours, no words.

import { isRelated, short, telling } from "./base.js";
import { radius } from "./layout.js";

const NAMES = ["paper", "ink", "soft", "accent", "focus", "lost", "line"];
const LABEL = 12;
const MOST_LABELS = 90;
const LABEL_LETTERS = 26;
const SIDES = [[0, 1], [0, -1], [1, 0], [-1, 0], [1, 1], [-1, 1], [1, -1], [-1, -1]]; // of a dot
const WAYS = [[0, 1], [0, 0.6], [16, 0.6], [36, 0.6], [64, 0.6]]; // pixels away, share of its letters
const STUB = 30;
const CARD = 340; // pixels on the right, where the chosen memory is told

function colours(canvas) {
  const probe = document.createElement("span");
  canvas.parentNode.append(probe);
  const found = {};
  for (const name of NAMES) {
    probe.style.color = `var(--${name})`;
    found[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return found;
}

// As much of a text as has room; letters of Chinese are twice as wide.
const clipped = (text, most) => {
  let room = most;
  const end = [...text].findIndex((letter) => (room -= letter > "\u2e7f" ? 2 : 1) < 0);
  return short(text, end < 0 ? text.length : end);
};

const apart = (box, others) => !others.some((other) =>
  box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3]);

const within = (x, least, most) => Math.max(least, Math.min(most, x));

// The point of a box that is nearest to another.
const closest = ([x, y], box) => [within(x, box[0], box[2]), within(y, box[1], box[3])];

// Whether a box lies over none of some dots.
const clear = (box, dots) => dots.every(([x, y, size]) => {
  const [nx, ny] = closest([x, y], box);
  return Math.hypot(x - nx, y - ny) >= size;
});

// The line from a dot to a label, as boxes on its way.
const lead = ([x, y], box) => {
  const [dx, dy] = closest([x, y], box).map((end, n) => end - [x, y][n]);
  return [...Array(12).keys()].map((n) => [x + (n * dx) / 11, y + (n * dy) / 11]).map((spot) => [...spot, ...spot]);
};

export class Scene {
  constructor(canvas, { pick, hover }) {
    Object.assign(this, { canvas, pick, hover, scale: 1, x: 0, y: 0, chosen: null, over: null });
    this.data = { dots: [], lines: [], stubs: [] };
    this.places = {};
    this.ends = [];
    this.listen();
    this.watch = new ResizeObserver(() => this.resize());
    this.watch.observe(canvas);
    this.theme = matchMedia("(prefers-color-scheme: dark)");
    this.redraw = () => this.draw();
    this.theme.addEventListener("change", this.redraw);
    addEventListener("chosen", this.redraw);
  }

  close() {
    this.watch.disconnect();
    this.theme.removeEventListener("change", this.redraw);
    removeEventListener("chosen", this.redraw);
  }

  show(data, places) {
    this.data = data;
    this.places = places;
    this.ends = this.stubs();
    if (!this.moved) this.fit();
    this.draw();
  }

  choose(id) {
    this.chosen = id;
    this.draw();
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas;
    const fine = devicePixelRatio || 1;
    this.canvas.width = clientWidth * fine;
    this.canvas.height = clientHeight * fine;
    if (!this.moved) this.fit();
    this.draw();
  }

  // See everything at once.
  fit() {
    const all = Object.values(this.places);
    const { clientWidth, clientHeight: height } = this.canvas;
    const width = clientWidth - (this.chosen && clientWidth > CARD * 2 ? CARD : 0);
    if (!all.length || !width) return;
    const [xs, ys] = [all.map(([x]) => x), all.map(([, y]) => y)];
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    this.scale = Math.min(1.6, (width - 130) / (right - left + 40), (height - 130) / (bottom - top + 40));
    this.x = width / 2 - (this.scale * (left + right)) / 2;
    this.y = height / 2 - 20 - (this.scale * (top + bottom)) / 2;
    this.moved = false;
  }

  zoom(by, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2) {
    const scale = Math.max(0.15, Math.min(5, this.scale * by));
    this.x = x - ((x - this.x) * scale) / this.scale;
    this.y = y - ((y - this.y) * scale) / this.scale;
    this.scale = scale;
    this.moved = true;
    this.draw();
  }

  move(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.moved = true;
    this.draw();
  }

  at([x, y]) {
    return [this.x + x * this.scale, this.y + y * this.scale];
  }

  size(dot) {
    return radius(dot) * Math.max(0.55, Math.min(1.4, this.scale));
  }

  // Where broken-off links end: away from the middle, spread out.
  stubs() {
    const ends = [];
    const seen = new Map();
    for (const stub of this.data.stubs) {
      const place = this.places[stub.source];
      if (!place) continue;
      const n = seen.get(stub.source) ?? 0;
      seen.set(stub.source, n + 1);
      const turn = Math.atan2(place[1], place[0]) + 0.5 * (n % 2 ? -1 : 1) * Math.ceil(n / 2);
      ends.push({ stub, from: place, to: [place[0] + STUB * Math.cos(turn), place[1] + STUB * Math.sin(turn)] });
    }
    return ends;
  }

  draw() {
    const context = this.canvas.getContext("2d");
    const fine = devicePixelRatio || 1;
    const colour = colours(this.canvas);
    context.setTransform(fine, 0, 0, fine, 0, 0);
    context.clearRect(0, 0, this.canvas.clientWidth, this.canvas.clientHeight);
    const near = this.around();
    this.drawLines(context, colour, near);
    this.drawStubs(context, colour, near);
    for (const dot of [...this.data.dots].reverse()) this.drawDot(context, colour, dot, near);
    this.drawLabels(context, colour, near);
    context.globalAlpha = 1;
  }

  // The chosen memory and those it is linked with; null: all alike.
  around() {
    const middle = this.chosen ?? this.over;
    if (!middle || !this.places[middle]) return null;
    const near = new Set([middle]);
    for (const { source, target } of this.data.lines) {
      if (source === middle) near.add(target);
      if (target === middle) near.add(source);
    }
    return { middle, near };
  }

  drawLines(context, colour, near) {
    const calm = Math.min(1, Math.sqrt(260 / (this.data.lines.length || 1)));
    for (const line of this.data.lines) {
      const [from, to] = [this.places[line.source], this.places[line.target]];
      if (!from || !to) continue;
      const lit = near && (line.source === near.middle || line.target === near.middle);
      const related = isRelated(line.relations);
      context.globalAlpha = lit ? 0.9 : (near ? 0.05 : calm * (0.1 + 0.45 * line.strength));
      context.strokeStyle = related ? colour.accent : colour.line;
      context.lineWidth = lit ? 1.6 : 0.5 + 1.6 * calm * line.strength;
      context.setLineDash([]);
      const [[x1, y1], [x2, y2]] = [this.at(from), this.at(to)];
      context.beginPath();
      context.moveTo(x1, y1);
      context.quadraticCurveTo((x1 + x2) / 2 - (y2 - y1) * 0.08, (y1 + y2) / 2 + (x2 - x1) * 0.08, x2, y2);
      context.stroke();
    }
  }

  drawStubs(context, colour, near) {
    for (const { stub, from, to } of this.ends) {
      const lit = near && stub.source === near.middle;
      const [[x1, y1], [x2, y2]] = [this.at(from), this.at(to)];
      context.globalAlpha = lit ? 1 : near ? 0.06 : 0.55;
      context.setLineDash([3, 3]);
      this.drawLine(context, colour.lost, [x1, y1], [x2, y2]);
      context.setLineDash([]);
      context.beginPath();
      context.arc(x2, y2, 3, 0, 7);
      context.stroke();
    }
  }

  drawDot(context, colour, dot, near) {
    const place = this.places[dot.id];
    if (!place) return;
    const [x, y] = this.at(place);
    const size = this.size(dot);
    const dim = near && !near.near.has(dot.id) ? 0.15 : 1;
    const tone = dot.in_focus ? colour.focus : colour.accent;
    context.fillStyle = tone;
    context.strokeStyle = tone;
    if (dot.in_focus) {
      context.globalAlpha = 0.16 * dim;
      context.beginPath();
      context.arc(x, y, size + 7, 0, 7);
      context.fill();
    }
    context.globalAlpha = dim;
    context.beginPath();
    context.arc(x, y, size, 0, 7);
    const fill = context.fillStyle;
    context.fillStyle = colour.paper;
    context.fill();
    context.fillStyle = fill;
    context.globalAlpha = (0.18 + 0.82 * dot.kept) * dim;
    context.fill();
    context.globalAlpha = 0.75 * dim;
    context.lineWidth = dot.id === this.chosen ? 3 : 1;
    if (dot.id === this.chosen) context.strokeStyle = colour.ink;
    context.stroke();
  }

  drawLabels(context, colour, near) {
    const there = this.data.dots.filter((dot) => this.places[dot.id]);
    const dots = [...there.map((dot) => [...this.at(this.places[dot.id]), this.size(dot)]),
      ...this.ends.map(({ to }) => [...this.at(to), 4])];
    const taken = this.beside();
    const ranked = [...there].sort((a, b) =>
      (near ? near.near.has(b.id) - near.near.has(a.id) : 0) || b.in_focus - a.in_focus || b.importance - a.importance);
    context.textBaseline = "middle";
    context.textAlign = "center";
    for (const dot of ranked.slice(0, MOST_LABELS)) {
      if (near && !near.near.has(dot.id)) continue;
      const first = dot.in_focus || dot.id === near?.middle;
      context.font = `${dot.in_focus ? 600 : 400} ${LABEL + dot.in_focus}px system-ui, "Noto Sans CJK SC", sans-serif`;
      const found = this.label(context, dot, { dots, taken, ways: first ? WAYS : WAYS.slice(0, 1) });
      if (!found) continue;
      this.drawLabel(context, colour, dot, found);
      taken.push(found.box, ...found.way);
    }
  }

  // What lies over the canvas: no label goes there.
  beside() {
    const { left, top } = this.canvas.getBoundingClientRect();
    const over = [...this.canvas.parentNode.querySelectorAll(".zoom, .legend")].map((one) => one.getBoundingClientRect());
    return over.map((box) => [box.left - left, box.top - top, box.right - left, box.bottom - top]);
  }

  // A text and where there is room for it: beside its dot, or else farther away or in fewer words.
  label(context, dot, { dots, taken, ways }) {
    const whole = telling(dot.kept < 1 ? "" : dot.content, dot.phrase, dot.id);
    const [x, y] = this.at(this.places[dot.id]);
    const others = dots.filter((one) => one[0] !== x || one[1] !== y);
    for (const [away, share] of ways) {
      const text = clipped(whole, Math.round(share * LABEL_LETTERS * Math.max(1, this.scale))); // nearer, there is more room
      const half = context.measureText(text).width / 2 + 3;
      const gap = this.size(dot) + (dot.in_focus ? 12 : 6) + away;
      const box = SIDES.map(([dx, dy]) => [x + dx * (half + gap), y + dy * (gap + 4)])
        .map(([mx, my]) => [mx - half, my - LABEL * 0.7, mx + half, my + LABEL * 0.7])
        .find((one) => one[0] > 0 && one[1] > 0 && one[2] < this.canvas.clientWidth && one[3] < this.canvas.clientHeight
          && apart(one, taken) && clear(one, dots) && (!away || lead([x, y], one).every((spot) => clear(spot, others))));
      if (box) return { text, box, way: away ? lead([x, y], box) : [] };
    }
    return null;
  }

  drawLabel(context, colour, dot, { text, box, way }) {
    const middle = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
    if (way.length) this.drawLine(context, colour.focus, this.at(this.places[dot.id]), way.at(-1).slice(2));
    context.globalAlpha = 0.85;
    context.lineWidth = 3;
    context.strokeStyle = colour.paper;
    context.strokeText(text, ...middle);
    context.globalAlpha = 0.55 + 0.45 * dot.kept;
    context.fillStyle = colour.ink;
    context.fillText(text, ...middle);
  }

  drawLine(context, colour, from, to) {
    context.strokeStyle = colour;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(...from);
    context.lineTo(...to);
    context.stroke();
  }

  // What lies under a point: a dot, or else a line or the end of a broken-off link.
  under(x, y) {
    let found = null;
    let nearest = 16;
    for (const dot of this.data.dots) {
      const place = this.places[dot.id];
      if (!place) continue;
      const [dx, dy] = this.at(place);
      const away = Math.hypot(x - dx, y - dy) - this.size(dot);
      if (away < nearest) [found, nearest] = [{ dot }, away];
    }
    if (found && nearest < 5) return found;
    for (const { stub, to } of this.ends) {
      const [sx, sy] = this.at(to);
      if (Math.hypot(x - sx, y - sy) < 7) return { stub };
    }
    for (const line of this.data.lines) {
      const [from, to] = [this.places[line.source], this.places[line.target]];
      if (from && to && beside([x, y], this.at(from), this.at(to)) < 4) return { line };
    }
    return found && nearest < 9 ? found : null;
  }

  listen() {
    const { canvas } = this;
    const point = (event) => [event.offsetX, event.offsetY];
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / 500), ...point(event));
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.drag = { at: point(event), far: 0 };
    });
    canvas.addEventListener("pointermove", (event) => this.pointed(point(event)));
    canvas.addEventListener("pointerup", (event) => {
      const clicked = this.drag && this.drag.far < 5;
      this.drag = null;
      if (clicked) this.pick(this.under(...point(event))?.dot?.id ?? null);
    });
    canvas.addEventListener("pointerleave", () => this.point(null, null));
  }

  pointed([x, y]) {
    if (!this.drag) {
      this.point(this.under(x, y), [x, y]);
      return;
    }
    const [dx, dy] = [x - this.drag.at[0], y - this.drag.at[1]];
    this.drag = { at: [x, y], far: this.drag.far + Math.hypot(dx, dy) };
    this.move(dx, dy);
  }

  point(found, place) {
    const over = found?.dot?.id ?? null;
    this.canvas.style.cursor = over ? "pointer" : "grab";
    this.hover(found, place);
    if (over === this.over) return;
    this.over = over;
    this.draw();
  }
}

function beside([x, y], [x1, y1], [x2, y2]) {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const along = Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
  const [cx, cy] = [x1 + along * dx - dy * 0.16 * along * (1 - along), y1 + along * dy + dx * 0.16 * along * (1 - along)];
  return Math.hypot(x - cx, y - cy);
}
