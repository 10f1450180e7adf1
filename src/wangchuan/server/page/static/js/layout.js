// Where the dots of a network go: forces, the same every time. `self.d3` is loaded before.

const TICKS = 220;

export const radius = (dot) => 4 + 3.2 * Math.log1p(Math.max(0, dot.importance)) + (dot.in_focus ? 2 : 0);

// Returns { id: [x, y] }; `before` are places that were there already, from which it goes on.
export function arrange({ dots, lines, middle }, before = {}) {
  const { d3 } = self;
  const nodes = dots.map((dot, n) => {
    const turn = n * 2.399963; // the golden angle: even, and by no chance
    const [x, y] = before[dot.id] ?? [18 * Math.sqrt(n) * Math.cos(turn), 18 * Math.sqrt(n) * Math.sin(turn)];
    return { id: dot.id, x, y, room: radius(dot) + (dot.in_focus ? 24 : 9), middle: dot.id === middle ? 0.5 : middle || !dot.in_focus ? 0.035 : 0.08 };
  });
  const links = lines.map((line) => ({ source: line.source, target: line.target, strength: line.strength }));
  const near = d3.forceLink(links).id((one) => one.id).distance((one) => 46 + 70 * (1 - one.strength))
    .strength((one) => (0.05 + 0.35 * one.strength) / Math.sqrt(1 + links.length / (nodes.length || 1)));
  const simulation = d3.forceSimulation(nodes).stop()
    .force("link", near)
    .force("apart", d3.forceManyBody().strength(-150).distanceMax(420))
    .force("x", d3.forceX(0).strength((one) => one.middle * 0.8))
    .force("y", d3.forceY(0).strength((one) => one.middle * 1.25))
    .force("room", d3.forceCollide((one) => one.room));
  simulation.tick(TICKS);
  return Object.fromEntries(nodes.map((one) => [one.id, [one.x, one.y]]));
}
