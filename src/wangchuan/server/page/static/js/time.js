// The memory as it was, and as it would be by other settings; neither changes anything.

import { counted, day, figure, html, named, percent, t, telling, useState } from "./base.js";
import { Curve } from "./curves.js";
import { Tabs } from "./facts.js";
import { Scrubber, apart, useSettled } from "./scrubber.js";
import { HintOf } from "./terms.js";
import { Asked, Button, Field, Kept, Kind, MemoryLink, More, Section, useHere, useList, useLook } from "./ui.js";

export function Time({ id }) {
  const { may } = useHere();
  return html`<${Tabs} view="time" id=${id} first="then" parts=${{ "": Then, ...(may("admin") && { whatif: WhatIf }) }} />`;
}

function Then() {
  const passes = useLook("passes");
  return html`<${HintOf} of="time.hint" />
    <${Asked} of=${passes} empty=${t("home.today.none")}>${({ items }) =>
      html`<${As} steps=${apart(items.map(({ number, at }) => ({ pass: number, at })))} />`}<//>`;
}

// The memories as they were at a time.
function As({ steps }) {
  const [when, setWhen] = useState(null);
  const at = useSettled(when);
  const then = useList("nodes", { at, limit: 30 });
  return html`<div class="card">
      <${Scrubber} steps=${steps} when=${when} setWhen=${setWhen} label=${t("time.when")} />
      <p class="meta">${day(steps[0].at)} – ${day(steps.at(-1).at)} · ${counted("count.passes", steps.at(-1).pass)}</p>
    </div>
    <${Asked} of=${then} empty=${t("time.none")}>${({ items }) => html`<ul class="rows">
      ${items.map((node) => html`<li key=${node.id}><div>
        <${MemoryLink} id=${node.id} text=${telling(node.content, node.id)} at=${at} />
        <p class="meta"><code>${node.id}</code> <${Kind} kind=${node.kind} />
          <${Kept} of=${node} /></p></div></li>`)}</ul>`}<//>
    <${More} of=${then} />`;
}

const KNOBS = [
  { name: "decay_rate", min: 0.8, max: 1, step: 0.005 },
  { name: "link_initial_strength", min: 0.05, max: 1, step: 0.05 },
  { name: "related_links", min: 0, max: 10, step: 1 },
  { name: "link_break_threshold", min: 0, max: 0.3, step: 0.01 },
  { name: "delete_threshold", min: 0, max: 40, step: 1 },
];
const STRATEGIES = ["scan", "every", "slots"];

function WhatIf() {
  const held = useLook("settings");
  return html`<${HintOf} of="whatif.hint" />
    <${Asked} of=${held}>${(settings) => html`<${Trial} settings=${settings} />`}<//>`;
}

function Trial({ settings }) {
  const { memory } = useHere();
  const [wish, setWish] = useState({});
  const [told, setTold] = useState(null);
  const held = { ...settings, ...wish };
  const set = (name, value) => {
    const { [name]: _, ...rest } = wish;
    setWish(value === settings[name] ? rest : { ...rest, [name]: value });
  };
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      setTold(await memory.act("what_if", { settings: wish }));
    } finally {
      setBusy(false);
    }
  };
  return html`<div class="columns">
    <${Section} id="knobs" title=${t("whatif.knobs")}>
      ${KNOBS.map(({ name, ...range }) => html`<${Field} label=${`${t(`knob.${name}`)}: ${held[name]}`} key=${name}>
        <input type="range" ...${range} value=${held[name]} name=${name}
          onInput=${(event) => set(name, Number(event.target.value))} />
        <small>${t("whatif.held", { value: settings[name] })}</small><//>`)}
      <${Field} label=${t("knob.strategy")}><select name="strategy" value=${held.strategy}
        onChange=${(event) => set("strategy", event.target.value)}>
        ${STRATEGIES.map((one) => html`<option value=${one} selected=${one === held.strategy}>${t(`strategy.${one}`)}</option>`)}
      </select><//>
      <div class="acts"><${Button} tone="primary" onClick=${run}>${t("whatif.do")}<//>
        <button disabled=${!Object.keys(wish).length} onClick=${() => setWish({})}>${t("whatif.reset")}</button></div>
    <//>
    <div class="stack"><p class="quiet" role="status">${busy ? t("whatif.busy") : told ? "" : t("whatif.none")}</p>
      ${told && html`<${Prospect} told=${told} />`}</div>
  </div>`;
}

const asCurve = (points, of) => points.map((point) => [point.passes, of(point)]);

function Prospect({ told }) {
  const most = Math.max(1, ...[...told.was, ...told.curve].map((point) => point.alive));
  const changed = Object.entries(told.settings).map(([name, value]) => `${named("knob", name)}: ${named("strategy", value)}`).join(t("and"));
  const curve = (title, of, top, form) => html`<${Curve} title=${title} x=${t("course.passes")} top=${top} form=${form}
    series=${[
      { name: t("whatif.was"), points: asCurve(told.was, of), tone: "two" },
      { name: t("whatif.would"), points: asCurve(told.curve, of), tone: "one" },
    ]} />`;
  return html`<${Section} id="prospect" title=${changed || t("whatif.same")}>
      <p class="figures"><span>${counted("whatif.alive", told.alive)}</span><span>${counted("whatif.faded", told.faded)}</span>
        <span>${counted("whatif.forgotten", told.forgotten)}</span></p>
      ${told.gaps.map((gap) => html`<p class="meta warn">${gap}</p>`)}
      ${told.curve.length > 1 && html`<h3>${t("whatif.curve.alive")}</h3>
        ${curve(t("whatif.curve.alive"), (point) => point.alive, most, (y) => figure(Math.round(y)))}
        <h3>${t("whatif.curve.length")}</h3>${curve(t("whatif.curve.length"), (point) => point.length, 1, percent)}`}
    <//>
    <${Section} id="shifts" title=${counted("whatif.moved", told.moved)}>
      ${told.shifts.length > 0 && html`<div class="scroll" tabindex="0" role="region" aria-label=${t("whatif.shifts")}><table>
        <thead><tr>${["memory", "was", "would"].map((one) => html`<th scope="col">${t(`whatif.column.${one}`)}</th>`)}</tr></thead>
        <tbody>${told.shifts.map((shift) => html`<tr key=${shift.id}>
          <td><${MemoryLink} id=${shift.id} text=${shift.phrase} /></td>
          <td>${t(`stands.${shift.was}`)} (${shift.left})</td>
          <td>${t(`stands.${shift.would}`)} (${shift.would_leave})</td></tr>`)}</tbody></table></div>`}
    <//>`;
}
