// The pages an agent works from: its task, what it has learned to do, its sessions, the world.

import { figure, html, named, short, t, useState } from "./base.js";
import { Asked, More, Section, Tag, When, Words, useList, useLook } from "./ui.js";

export function Notebook() {
  const shelf = useLook("notebook");
  return html`<div class="view"><h1>${t("menu.notebook")}</h1>
    <${Asked} of=${shelf}>${({ there, full, pages }) => there
      ? html`<div class="columns">
        ${full && html`<div class="stack"><${Task} /><${World} /></div>`}
        <div class="stack"><${Knowledge} pages=${pages} full=${full} />${full && html`<${Sessions} />`}</div>
      </div>`
      : html`<p class="quiet">${t("notebook.none")}</p><p><code>wangchuan serve --work-dir .</code></p>`}<//></div>`;
}

function Task() {
  const task = useLook("notebook/task");
  return html`<${Section} id="task" title=${t("notebook.task")}>
    <${Asked} of=${task}>${(doing) => doing.goal || doing.steps.length
      ? html`<p class="words" dir="auto"><b>${doing.goal}</b> <${Tag}>${named("stage", doing.stage)}<//></p>
        <ol class="steps">${doing.steps.map((step) => html`<li aria-current=${step.current ? "step" : null}
            class=${step.done ? "done" : ""} style=${{ marginLeft: `${step.depth}em` }}>
          <span class="hidden">${t(step.done ? "step.done" : "step.open")}</span>
          <span aria-hidden="true">${step.done ? "☑" : step.current ? "▸" : "☐"}</span> <span dir="auto">${step.text}</span></li>`)}</ol>
        ${doing.rules.length > 0 && html`<h3>${t("notebook.rules")}</h3>
          <ul>${doing.rules.map((rule) => html`<li dir="auto">${rule}</li>`)}</ul>`}
        ${doing.journal.length > 0 && html`<details><summary>${t("notebook.steps")}</summary>
          <ul>${doing.journal.slice(-50).map((line) => html`<li dir="auto">${line}</li>`)}</ul></details>`}`
      : html`<p class="quiet">${t("notebook.task.none")}</p>`}<//>
  <//>`;
}

function World() {
  const world = useLook("notebook/world");
  return html`<${Section} id="world" title=${t("notebook.world")}>
    <${Asked} of=${world}>${({ text }) => text ? html`<${Words} text=${text} />`
      : html`<p class="quiet">${t("notebook.world.none")}</p>`}<//>
  <//>`;
}

function Knowledge({ pages, full }) {
  const [open, setOpen] = useState(pages[0] ?? null);
  return html`<${Section} id="knowledge" title=${t("notebook.knowledge")}>
    ${!pages.length && html`<p class="quiet">${t("notebook.knowledge.none")}</p>`}
    <div class="tabs" role="group" aria-label=${t("notebook.knowledge")}>${pages.map((page) => html`
      <button aria-pressed=${page === open} onClick=${() => setOpen(page)} dir="auto">${page}</button>`)}</div>
    ${open && html`<${Page} key=${open} page=${open} versioned=${full} />`}
  <//>`;
}

function Page({ page, versioned }) {
  const text = useLook(`notebook/knowledge/${page}`);
  return html`<${Asked} of=${text}>${(one) => html`<${Words} text=${one.text} />`}<//>
    ${versioned && html`<${Versions} page=${page} />`}`;
}

function Versions({ page }) {
  const versions = useList(`notebook/versions/${page}`, { limit: 10 });
  const [number, setNumber] = useState(null);
  return html`<h3>${t("notebook.versions")}</h3>
    <${Asked} of=${versions}>${({ items }) => html`<ul class="lines">${items.map((one) => html`<li key=${one.number}>
      <b>${one.number}</b> <span dir="auto">${one.author}: ${one.reason}</span>
      <span class="meta"><${When} at=${one.at} /> · ${t("letters", { n: figure(one.length) })}
        ${one.number > 1 && html` · <button class="link" aria-expanded=${number === one.number}
          onClick=${() => setNumber(number === one.number ? null : one.number)}>${t("notebook.diff")}</button>`}</span>
      ${number === one.number && html`<${Diff} page=${page} number=${number} />`}</li>`)}</ul>`}<//>
    <${More} of=${versions} />`;
}

function Diff({ page, number }) {
  const diff = useLook(`notebook/diff/${page}`, { old: number - 1, new: number });
  const tone = { "+": "added", "-": "removed" };
  return html`<${Asked} of=${diff}>${({ text }) => html`<pre class="diff" dir="auto" tabindex="0">${text.split("\n").map((line) =>
    html`<span class=${tone[line[0]] ?? ""}>${line}${"\n"}</span>`)}</pre>`}<//>`;
}

// `20261113_133451` as it is read.
const dated = (stamp) => stamp.replace(/^(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)\d\d$/, "$1-$2-$3 $4:$5");

function Sessions() {
  const sessions = useList("notebook/sessions", { limit: 10 });
  return html`<${Section} id="sessions" title=${t("notebook.sessions")}>
    <${Asked} of=${sessions} empty=${t("notebook.sessions.none")}>${({ items }) => html`<ul class="lines">
      ${items.map((one) => html`<li key=${one.name}><details><summary dir="auto">${dated(one.stamp)} · ${short(one.request, 80)}</summary>
        <${Words} text=${one.request} /><${Words} text=${one.response} /></details></li>`)}</ul>`}<//>
    <${More} of=${sessions} />
  <//>`;
}
