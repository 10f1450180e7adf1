// A network as a picture and as a list: the same for the page and for the file it exports.

import { counted, cut, figure, html, percent, relation, short, t, useEffect, useMemo, useRef, useState, wordsOf } from "./base.js";
import { Scene } from "./canvas.js";

const KEYS = {
  "+": (scene) => scene.zoom(1.25), "=": (scene) => scene.zoom(1.25), "-": (scene) => scene.zoom(0.8),
  0: (scene) => { scene.fit(); scene.draw(); },
  ArrowLeft: (scene) => scene.move(40, 0), ArrowRight: (scene) => scene.move(-40, 0),
  ArrowUp: (scene) => scene.move(0, 40), ArrowDown: (scene) => scene.move(0, -40),
};

// `layout(network, before)` gives places; `acts(dot)` what stands below the chosen one, `name(id)` what is once known.
export function Picture({ network, layout, acts = () => null, links = null, first = null, name = (id) => id }) {
  const [chosen, setChosen] = useState(first);
  const [listed, setListed] = useState(false);
  const dot = network.dots.find((one) => one.id === chosen) ?? null;
  return html`<div class="picture">
    <div class="tabs" role="group" aria-label=${t("network.as")}>
      ${[false, true].map((one) => html`<button aria-pressed=${listed === one} onClick=${() => setListed(one)}>
        ${t(one ? "network.list" : "network.picture")}</button>`)}
    </div>
    ${listed
      ? html`<${List} network=${network} choose=${setChosen} links=${links} />`
      : html`<${Drawn} network=${network} layout=${layout} chosen=${chosen} choose=${setChosen} name=${name} />`}
    ${dot && html`<${Card} key=${dot.id} dot=${dot} network=${network} choose=${setChosen} acts=${acts} name=${name} />`}
  </div>`;
}

function Drawn({ network, layout, chosen, choose, name }) {
  const canvas = useRef(null);
  const scene = useRef(null);
  const places = useRef({});
  const [over, setOver] = useState(null);
  const [ready, setReady] = useState(false);
  useEffect(() => {
    scene.current = new Scene(canvas.current, {
      pick: choose,
      hover: (found, place) => setOver(found ? { found, place } : null),
    });
    return () => scene.current.close();
  }, []);
  const next = useRef(null);
  const alive = useRef(true);
  useEffect(() => () => { alive.current = false; }, []);
  useEffect(() => {
    const idle = next.current === null;
    next.current = network;
    if (idle) arrangeAll();
  }, [network]);
  // One layout at a time: what came meanwhile is drawn next, and what is there stays till then.
  async function arrangeAll() {
    for (let drawn = null; drawn !== next.current;) {
      drawn = next.current;
      places.current = await layout(drawn, places.current);
      if (!alive.current) return;
      scene.current.show(drawn, places.current);
      setReady(true);
    }
    next.current = null;
  }
  useEffect(() => scene.current.choose(chosen), [chosen]);
  const press = (event) => {
    if (!(event.key in KEYS)) return;
    event.preventDefault();
    KEYS[event.key](scene.current);
  };
  return html`<div class="sea" data-ready=${ready}>
    <canvas ref=${canvas} tabindex="0" role="img" onKeyDown=${press}
      aria-label=${t("network.label", { n: figure(network.dots.length), all: figure(network.memories) })}></canvas>
    <div class="zoom">${[["+", "zoom.in"], ["-", "zoom.out"], ["0", "zoom.all"]].map(([key, name]) => html`
      <button aria-label=${t(name)} title=${t(name)} onClick=${() => KEYS[key](scene.current)}>
        ${{ "+": "+", "-": "−", 0: "⤢" }[key]}</button>`)}</div>
    ${over && html`<${Hint} ...${over} network=${network} name=${name} />`}
    <${Legend} />
  </div>`;
}

function Hint({ found, place, network, name }) {
  const named = (id) => short(wordsOf(network.dots.find((one) => one.id === id) ?? { id }), 70);
  const { dot, line, stub } = found;
  return html`<div class="tip" style=${{ left: `${place[0]}px`, top: `${place[1]}px` }} dir="auto">
    ${dot && html`${short(dot.content || dot.phrase, 400)} <small>${percent(dot.kept)} · ${dot.importance.toFixed(2)}</small>`}
    ${line && html`${named(line.source)} — <b>${line.relations.map(relation).join(" · ") || relation("")}</b>
      <small>${line.strength.toFixed(2)}</small> — ${named(line.target)}`}
    ${stub && html`${named(stub.source)} — <b>${relation(stub.relation)}</b> — ${t("once")} ${name(stub.target)}`}
  </div>`;
}

const Legend = () => html`<ul class="legend" aria-hidden="true">
  <li><i class="dot focus"></i>${t("legend.focus")}</li>
  <li><i class="dot"></i>${t("legend.memory")}</li>
  <li><i class="dot pale"></i>${t("legend.fading")}</li>
  <li><i class="dash related"></i>${t("legend.related")}</li>
  <li><i class="dash"></i>${t("legend.neighbour")}</li>
  <li><i class="dash lost"></i>${t("legend.once")}</li>
</ul>`;

function Card({ dot, network, choose, acts, name }) {
  const own = useMemo(() => linesOf(dot.id, network), [dot, network]);
  return html`<aside class="chosen card" aria-label=${t("network.chosen")}>
    <header><h2>${dot.id}</h2>
      <button class="link" aria-label=${t("close")} onClick=${() => choose(null)}>✕</button></header>
    <p class="words" dir="auto">${cut(wordsOf(dot), 2000)}</p>
    <p class="meta">${t("kept", { share: percent(dot.kept) })} · ${t("importance", { n: dot.importance.toFixed(2) })}
      ${dot.passes_left !== null && html` · ${counted("fading.left", dot.passes_left)}`}</p>
    <div class="acts">${acts(dot)}</div>
    <ul class="lines">
      ${own.lines.map(({ other, line }) => html`<li><span class="relation">${line.relations.map(relation).join(" · ")}</span>
        <button class="link" dir="auto" onClick=${() => choose(other.id)}>${short(wordsOf(other), 400)}</button></li>`)}
      ${own.stubs.map((stub) => html`<li class="lost"><span class="relation">${relation(stub.relation)}</span>
        ${t("once")} ${name(stub.target)}</li>`)}
    </ul>
  </aside>`;
}

const MOST_LINES = 12;

function linesOf(id, network) {
  const named = new Map(network.dots.map((one) => [one.id, one]));
  const lines = network.lines.filter((line) => line.source === id || line.target === id)
    .sort((a, b) => b.strength - a.strength).slice(0, MOST_LINES)
    .map((line) => ({ line, other: named.get(line.source === id ? line.target : line.source) }));
  return { lines, stubs: network.stubs.filter((stub) => stub.source === id).slice(0, MOST_LINES) };
}

// The same for those who read it line by line: nearest to the beginning first.
function List({ network, choose, links }) {
  const lost = new Map();
  for (const stub of network.stubs) lost.set(stub.source, (lost.get(stub.source) ?? 0) + 1);
  const count = new Map();
  for (const { source, target } of network.lines) {
    for (const id of [source, target]) count.set(id, (count.get(id) ?? 0) + 1);
  }
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${t("network.list")}><table>
    <thead><tr>${["memory", "relation", "importance", "left", "links", "once"].map((one) => html`
      <th scope="col">${t(`network.column.${one}`)}</th>`)}</tr></thead>
    <tbody>${network.dots.map((dot) => html`<tr key=${dot.id}>
      <td dir="auto">${dot.in_focus && html`<span class="tag warn">${t("legend.focus")}</span> `}
        ${links ? html`<a href=${links(dot.id)}>${short(wordsOf(dot), 400)}</a>`
          : html`<button class="link" onClick=${() => choose(dot.id)}>${short(wordsOf(dot), 400)}</button>`}</td>
      <td>${dot.reached_from ? relation(dot.relation) : "—"}</td>
      <td>${dot.importance.toFixed(2)}</td><td>${percent(dot.kept)}</td>
      <td>${count.get(dot.id) ?? 0}</td><td>${lost.get(dot.id) ?? 0}</td>
    </tr>`)}</tbody></table></div>`;
}
