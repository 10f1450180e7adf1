// What happened, newest first, and the way back: a dry run first.

import { html, named, short, t, useState } from "./base.js";
import { HintOf } from "./terms.js";
import { Asked, Button, Dialog, MemoryLink, More, Said, Tick, When, useAnswer, useHere, useList } from "./ui.js";

export const told = (kind) => named("change", kind);

const LONG = 400;

// An entry: what happened, to what, as it was then. `own`: where the memory itself is shown.
export function Changed({ entry, own = false }) {
  const { kind, node, text, before, reason } = entry;
  const words = text || before || node;
  return html`<span class="change pieces"><b>${told(kind)}</b>
    ${before && before !== text && html`<q class="before" dir="auto">${short(before, LONG)}</q><span aria-hidden="true">→</span>`}
    ${own ? html`<q dir="auto">${short(words, LONG)}</q>` : html`<${MemoryLink} id=${node} text=${words} />`}
    ${reason && kind !== "restored" && html`<span>(<${Said} of=${reason} own=${node} />)</span>`}
    <span class="meta pieces"><${When} at=${entry.at} /><span>${t("pass", { n: entry.passes })}</span><span>${t("entry", { n: entry.seq })}</span></span></span>`;
}

// Entries with what undoing them would do, and the button for it where it can be done.
export function Entries({ items, own = false }) {
  const { may } = useHere();
  const [asked, setAsked] = useState(null);
  return html`<ul class="rows">${items.map((one) => html`<li key=${one.seq}>
      <div><${Changed} entry=${one} own=${own} /><${Way} entry=${one} /></div>
      ${may("write") && one.undo?.seq === one.seq && !one.undo.refusal && html`<button onClick=${() => setAsked(one)}
        aria-label=${`${t("undo")}: ${told(one.kind)} ${one.node}, ${t("entry", { n: one.seq })}`}>${t("undo")}</button>`}
    </li>`)}</ul>
    ${asked && html`<${Undo} entry=${asked} close=${() => setAsked(null)} />`}`;
}

function Way({ entry: { seq, node, undo } }) {
  if (!undo) return null;
  if (undo.seq !== seq) return html`<p class="meta">${t("journal.part", { n: undo.seq })}</p>`;
  if (undo.refusal) return html`<p class="meta warn">${t("journal.cannot")} <${Said} of=${undo.refusal} own=${node} /></p>`;
  return html`<p class="meta"><span>${t("journal.would")} ${undo.effects.slice(0, 3).map((one, n) =>
    html`${n > 0 && t("and")}<${Said} of=${one} own=${node} />`)}</span></p>`;
}

export function Journal() {
  const [undoable, setUndoable] = useState(false);
  const entries = useList("journal", { limit: 30, undoable });
  return html`<div class="view">
    <h1>${t("menu.journal")}</h1>
    <${HintOf} of="journal.hint" />
    <${Tick} label="journal.undoable" on=${undoable} set=${setUndoable} />
    <${Asked} of=${entries} empty=${t("home.today.none")}>${({ items }) => html`<${Entries} items=${items} />`}<//>
    <${More} of=${entries} />
  </div>`;
}

// What undoing a change would do; done when confirmed, and itself to be undone.
function Undo({ entry, close }) {
  const { memory, tell, changed } = useHere();
  const plan = useAnswer(() => memory.act(`changes/${entry.seq}/undo`, { dry_run: true }), [entry.seq]);
  const undo = async (which) => {
    const done = await memory.act(`changes/${which}/undo`);
    changed();
    tell(t("undo.done"), { label: t("undo.back"), action: () => undo(done.entry) });
  };
  const confirm = async () => {
    await undo(entry.seq);
    close();
  };
  return html`<${Dialog} title=${t("undo.title")} close=${close} actions=${html`<${Button} tone="primary"
      disabled=${!plan.value || plan.value.refusal} onClick=${confirm}>${t("undo.do")}<//>`}>
    <p><${Changed} entry=${entry} /></p>
    <${Asked} of=${plan}>${(one) => one.refusal
      ? html`<p class="trouble">${t("journal.cannot")} <${Said} of=${one.refusal} own=${entry.node} /></p>`
      : html`<p>${t("undo.then")}</p><ul>${one.effects.map((effect) => html`<li><${Said} of=${effect} own=${entry.node} /></li>`)}</ul>`}<//>
  <//>`;
}
