// What happened, newest first, and the way back: a dry run first.

import { html, named, short, t, useState } from "./base.js";
import {
  Asked, Button, Dialog, MemoryLink, More, When, said, useAnswer, useHere, usePages,
} from "./ui.js";

export const told = (kind) => named("change", kind);

export function Changed({ change, phrase = "" }) {
  return html`<span class="change pieces"><b>${told(change.kind)}</b>
    ${change.node && html`<${MemoryLink} id=${change.node} text=${short(phrase, 60)} />`}
    <span class="meta"><${When} at=${change.at} /> · ${t("entry", { n: change.seq })}</span></span>`;
}

export function Journal() {
  const { memory, may } = useHere();
  const [asked, setAsked] = useState(null);
  const changes = usePages((cursor) => memory.look("journal", { limit: 30, cursor }), [memory]);
  return html`<div class="view">
    <h1>${t("menu.journal")}</h1>
    <p class="hint">${t("journal.hint")}</p>
    <${Asked} of=${changes} empty=${t("home.today.none")}>${({ items }) => html`
      <ul class="rows">${items.map(({ change: one, phrase }) => html`<li key=${one.seq}>
        <div><${Changed} change=${one} phrase=${phrase} />
          ${one.refusal
            ? html`<p class="meta warn">${t("journal.cannot")} ${said(one.refusal)}</p>`
            : one.effects.length > 0 && html`<p class="meta">
              ${t("journal.would", { effects: one.effects.slice(0, 3).map(said).join(t("and")) })}</p>`}</div>
        ${may("write") && !one.refusal && html`<button onClick=${() => setAsked(one.seq)}
          aria-label=${`${t("undo")}: ${told(one.kind)} ${one.node ?? ""}`}>${t("undo")}</button>`}
      </li>`)}</ul>`}<//>
    <${More} of=${changes} />
    ${asked !== null && html`<${Undo} seq=${asked} close=${() => setAsked(null)} />`}
  </div>`;
}

// What undoing a change would do; done when confirmed, and itself to be undone.
export function Undo({ seq, close }) {
  const { memory, tell, changed } = useHere();
  const plan = useAnswer(() => memory.act(`changes/${seq}/undo`, { dry_run: true }), [seq]);
  const undo = async (which) => {
    const { entry } = await memory.act(`changes/${which}/undo`);
    changed();
    tell(t("undo.done"), { label: t("undo.back"), action: () => undo(entry) });
  };
  const confirm = async () => {
    await undo(seq);
    close();
  };
  return html`<${Dialog} title=${t("undo.title")} close=${close} actions=${html`<${Button} tone="primary"
      disabled=${!plan.value || plan.value.refusal} onClick=${confirm}>${t("undo.do")}<//>`}>
    <${Asked} of=${plan}>${(one) => html`
      <p><${Changed} change=${one} /></p>
      ${one.refusal
        ? html`<p class="trouble">${t("journal.cannot")} ${said(one.refusal)}</p>`
        : html`<p>${t("undo.then")}</p><ul>${one.effects.map((effect) => html`<li>${said(effect)}</li>`)}</ul>`}
    `}<//>
  <//>`;
}
