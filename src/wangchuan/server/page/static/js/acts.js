// What a person can do to a memory, each with the way back, or a look at what it destroys.

import { counted, html, short, t, useState } from "./base.js";
import { Asked, Button, Dialog, Field, Words, useAnswer, useHere } from "./ui.js";

const TOLD = 160; // characters of a memory in a message

// Bring a memory back whole: a forgotten or a faded one.
export function Restore({ id, label }) {
  const { memory, may, tell, changed } = useHere();
  if (!may("write")) return null;
  const restore = async () => {
    const { content } = await memory.act(`nodes/${id}/restore`);
    changed();
    tell(t("restored", { text: short(content, TOLD) }));
  };
  return html`<${Button} onClick=${restore} aria-label=${`${label}: ${id}`}>${label}<//>`;
}

export function Forget({ node: { id, content } }) {
  const { memory, may, tell, changed } = useHere();
  if (!may("write")) return null;
  const back = async () => {
    await memory.act(`nodes/${id}/restore`);
    changed();
  };
  const forget = async () => {
    await memory.act(`nodes/${id}/forget`);
    changed();
    tell(t("forgot", { text: short(content, TOLD) }), { label: t("restore"), action: back });
  };
  return html`<${Button} onClick=${forget}>${t("forget")}<//>`;
}

export function Erase({ id }) {
  const { may } = useHere();
  const [asked, setAsked] = useState(false);
  if (!may("erase")) return null;
  return html`<button class="danger" onClick=${() => setAsked(true)}>${t("erase")}</button>
    ${asked && html`<${Erasing} id=${id} close=${() => setAsked(false)} />`}`;
}

// What an erasure would destroy, and afterwards its receipt.
function Erasing({ id, close }) {
  const { memory, changed, go, over } = useHere();
  const doomed = useAnswer(() => memory.act("erase/preview", { node_id: id }), [id], true);
  const erase = async () => {
    const receipt = await memory.act("erase", { node_id: id });
    go("home"); // the view of the memory goes with it, its receipt stays
    changed();
    over((leave) => html`<${Dialog} title=${t("erase.done")} close=${leave}><${Receipt} of=${receipt} /><//>`);
  };
  return html`<${Dialog} title=${t("erase.title")} close=${close}
    actions=${html`<${Button} tone="danger" disabled=${!doomed.value} onClick=${erase}>
      ${t("erase.do")}<//>`}>
    <p class="trouble">${t("erase.warning")}</p>
    <${Asked} of=${doomed}>${({ nodes, messages }) => html`
      <h3>${counted("count.memories", nodes.length)}</h3>
      <ul class="lines">${nodes.map((one) => html`<li key=${one.id}>
        <code>${one.id}</code><${Words} text=${one.content} most=${300} /></li>`)}</ul>
      <h3>${counted("count.messages", messages.length)}</h3>
      <ul class="lines">${messages.map((one) => html`<li key=${one.seq}>
        <code>${one.id}</code><${Words} text=${one.content} most=${300} /></li>`)}</ul>`}<//>
  <//>`;
}

function Receipt({ of }) {
  const removed = Object.entries(of.removed).filter(([, n]) => n > 0);
  return html`<div>
    <p>${of.remains.length ? t("erase.remains", { files: of.remains.join(", ") })
      : t("erase.clean", { n: of.scanned })}</p>
    ${of.elsewhere > 0 && html`<p>${t("erase.elsewhere", { n: of.elsewhere })}</p>`}
    <dl class="pairs">${removed.map(([name, n]) => html`<dt>${name}</dt><dd>${n}</dd>`)}</dl>
    ${of.pages.length > 0 && html`<p>${t("erase.pages", { pages: of.pages.join(", ") })}</p>`}
  </div>`;
}

// A fact as a person sees to it: right, wrong, or always so.
export function FactActs({ fact }) {
  const { memory, may, tell, changed, go } = useHere();
  const [asked, setAsked] = useState(false);
  const [text, setText] = useState(fact.text);
  if (!may("write") || fact.kind === "system") return null;
  const act = (verb, body, more) => async () => {
    const made = await memory.act(`facts/${fact.id}/${verb}`, body);
    changed();
    tell(t(`fact.${verb}.done`), more);
    return made;
  };
  const correct = async () => {
    const made = await act("correct", { text }, { follows: true })(); // to the memory that is made
    setAsked(false);
    go("memory", made.id);
  };
  return html`
    ${!fact.verified && html`<${Button} onClick=${act("verify")}>${t("fact.verify")}<//>`}
    <button onClick=${() => { setText(fact.text); setAsked(true); }}>${t("fact.correct")}</button>
    ${fact.kind === "fact" && html`<${Button} onClick=${act("promote")}>${t("fact.promote")}<//>`}
    ${asked && html`<${Dialog} title=${t("fact.correct")} close=${() => setAsked(false)}
      actions=${html`<${Button} tone="primary" onClick=${correct}>${t("save")}<//>`}>
      <p class="hint">${t("fact.correct.hint")}</p>
      <${Field} label=${t("fact.text")}><textarea dir="auto" rows="4" value=${text}
        onInput=${(event) => setText(event.target.value)}></textarea><//>
    <//>`}`;
}
