// The first screen of an agent: what it knows, attends, loses, and what happened last.

import { counted, day, html, short, t, telling, useState } from "./base.js";
import { Changed } from "./journal.js";
import { Talk } from "./talk.js";
import { Ask, Asked, Kept, MemoryLink, Section, Tag, When, useHere, useLook } from "./ui.js";

const FACTS = 40;
const WAITS = ["promotion", "decay"]; // reviews that a decision is wanted for

export function Home() {
  const { agent, go } = useHere();
  const stats = useLook("stats");
  const pending = useLook("facts/pending", { limit: 1 });
  return html`<div class="view">
    <h1 dir="auto">${agent}</h1>
    <${Figures} of=${stats} />
    <${Ask} ask=${(q) => q && go("search", "", { q })} />
    ${stats.value?.messages === 0 && stats.value.nodes === 0 && html`<p class="notice">${t("home.empty")}${" "}
      <code>wangchuan remember -a ${agent} "…"</code></p>`}
    <${Waiting} of=${pending} />
    <div class="columns">
      <${Known} />
      <div class="stack"><${Attended} /><${Fading} /><${Latest} /></div>
    </div>
  </div>`;
}

function Figures({ of }) {
  const { href } = useHere();
  return html`<${Asked} of=${of}>${(stats) => html`<p class="figures">
    <a href=${href("time")}>${counted("count.memories", stats.nodes)}</a>
    <a href=${href("network")}>${counted("count.links", stats.links)}</a>
    <a href=${href("forgetting")}>${counted("count.fading", stats.fading)}</a>
    <a href=${href("forgetting", "trash")}>${counted("count.forgotten", stats.forgotten)}</a>
    <a href=${href("operations")}>${counted("count.messages", stats.messages)}</a>
    ${["pending", "failed"].map((one) => stats[one] > 0 && html`<a class=${one} href=${href("operations")}>
      ${counted(`count.${one}`, stats[one])}</a>`)}
  </p>`}<//>`;
}

function Waiting({ of }) {
  const { href } = useHere();
  if (!of.value?.items.length) return null;
  return html`<p class="notice"><a href=${href("facts", "reviews")}>${t("reviews.waiting")}</a></p>`;
}

export function bySubject(facts) {
  const groups = new Map();
  for (const fact of facts) {
    const name = fact.kind === "fact" ? fact.topic : fact.kind;
    groups.set(name, [...(groups.get(name) ?? []), fact]);
  }
  const order = ["system", "core", "personal", "preference", "promise", "memory", "other"];
  return [...groups].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
}

function Known() {
  const { href } = useHere();
  const given = { kinds: ["core", "fact", "system"], limit: FACTS };
  const facts = useLook("facts", given);
  return html`<${Section} id="known" title=${t("home.known")} hint=${t("home.known.hint")}
    extra=${html`<a href=${href("facts")}>${t("all")}</a>`}>
    <${Asked} of=${facts} empty=${t("home.known.none")}>${({ items }) =>
      bySubject(items).map(([subject, some]) => html`<h3>${t(`topic.${subject}`)}</h3>
        <ul class="lines">${some.map((fact) => html`<${Line} key=${fact.id} fact=${fact} />`)}</ul>`)}
    <//>
  <//>`;
}

export const Marks = ({ fact }) => html`
  ${fact.verified && html`<${Tag} tone="good">${t("fact.verified")}<//>`}
  ${WAITS.includes(fact.review) && html`<${Tag} tone="warn">${t("fact.review")}<//>`}`;

export function Line({ fact }) {
  const [open, setOpen] = useState(false);
  return html`<li>
    <${MemoryLink} id=${fact.id} text=${fact.text} />
    <span class="meta"><${When} at=${fact.created_at} />
      ${fact.sources.length > 0 && html`<button class="link" aria-expanded=${open} onClick=${() => setOpen(!open)}>
        ${t("fact.from")}</button>`}
      <${Marks} fact=${fact} /></span>
    ${open && html`<${Talk} id=${fact.id} />`}
  </li>`;
}

function Attended() {
  const focus = useLook("focus");
  return html`<${Section} id="attended" title=${t("home.focus")} hint=${t("home.focus.hint")}>
    <${Asked} of=${focus} empty=${t("home.focus.none")}>${({ items }) => html`<ul class="lines">
      ${items.map((node) => html`<li key=${node.id}>
        <${MemoryLink} id=${node.id} text=${node.content} /></li>`)}
    </ul>`}<//>
  <//>`;
}

function Fading() {
  const { href } = useHere();
  const fading = useLook("fading", { limit: 5 });
  return html`<${Section} id="fading" title=${t("home.fading")} hint=${t("home.fading.hint")}
    extra=${html`<a href=${href("forgetting")}>${t("all")}</a>`}>
    <${Asked} of=${fading} empty=${t("home.fading.none")}>${({ items }) => html`<ul class="lines">
      ${items.map(({ node, original }) => html`<li key=${node.id}>
        <${MemoryLink} id=${node.id} text=${telling(node.content, original)} /><${Kept} of=${node} />
        ${telling(node.content, original) !== original && html`<p class="meta"><q dir="auto">${short(original, 400)}</q></p>`}</li>`)}
    </ul>`}<//>
  <//>`;
}

function Latest() {
  const { href } = useHere();
  const changes = useLook("journal", { limit: 8 });
  return html`<${Section} id="latest" title=${t("home.today")}
    extra=${html`<a href=${href("journal")}>${t("all")}</a>`}>
    <${Asked} of=${changes} empty=${t("home.today.none")}>${({ items }) => byDay(items).map(([date, some]) => html`
      <h3>${date}</h3><ul class="lines">
        ${some.map((entry) => html`<li key=${entry.seq}><${Changed} entry=${entry} /></li>`)}</ul>`)}<//>
  <//>`;
}

function byDay(entries) {
  const today = day(Date.now() / 1000);
  const days = Map.groupBy(entries, ({ at }) => day(at));
  return [...days].map(([date, some]) => [date === today ? t("today") : date, some]);
}

