// Searching: hits with what their scores are made of, the path, and the source in its conversation.

import { html, relation, shareOf, short, t, telling, useEffect, useState } from "./base.js";
import { Line } from "./home.js";
import { Talk } from "./talk.js";
import {
  Ask, Asked, Bar, Kept, Kind, MemoryLink, More, Name, Section, Tag, Tick, When, Words, useAnswer, useHere,
} from "./ui.js";

const TERMS = ["text", "link", "talk", "speaker", "time", "step", "vector", "learned"];
const LEARNED = ["fact", "core", "system"];
const [STEP, MOST] = [20, 60]; // hits

export function Search({ given }) {
  const { go } = useHere();
  const lost = given.lost === "1";
  const ask = (q = "", among) => go("search", "", { q, lost: among ? "1" : "" });
  return html`<div class="view">
    <h1>${t("menu.search")}</h1>
    <${Ask} given=${given.q} ask=${(q) => ask(q, lost)} />
    <${Tick} label="search.lost" on=${lost} set=${(on) => ask(given.q, on)} />
    ${given.q && html`<${Found} query=${given.q} lost=${lost} />`}
  </div>`;
}

// `besides`: facts that bear on it are shown already; null: they are looked for here.
export function Found({ query, lost = false, besides = null }) {
  const { memory, go, href } = useHere();
  const [most, setMost] = useState(STEP);
  useEffect(() => setMost(STEP), [query]);
  const facts = useAnswer(
    async () => (besides ? { items: [] } : memory.look("facts", { query, kinds: LEARNED, limit: STEP })),
    [memory, query, !besides],
  );
  const ask = (forgotten) => memory.act("look/search", { query, limit: most, forgotten });
  const found = useAnswer(() => ask(lost), [memory, query, lost, most]);
  const once = useAnswer(
    async () => (found.value && !found.value.items.length && !lost ? ask(true) : { items: [] }),
    [memory, query, lost, found.value],
  );
  if (found.value && facts.value && !found.value.items.length && !facts.value.items.length) {
    const known = once.value?.items.length;
    if (besides?.length && !known) return null;
    return html`<${Section} id="nothing" title=${t(known ? "search.once" : "search.never")}
      hint=${t(known ? "search.once.hint" : "search.never.hint")}>
      ${known > 0 && html`<p><button onClick=${() => go("search", "", { q: query, lost: "1" })}>
        ${t("search.once.show")}</button></p>`}
    <//>`;
  }
  return html`<${Asked} of=${found}>${({ items }) => {
    const known = items.filter((hit) => LEARNED.includes(hit.node?.kind));
    const more = facts.value?.items.filter(({ id }) => !known.some((hit) => hit.node.id === id)) ?? [];
    return html`<${Meanings} terms=${TERMS.filter((one) => items.some((hit) => termsOf(hit)[one]))} />
      ${!besides && html`<${Hits} title=${t("search.known")} hits=${known}>
        ${more.length > 0 && html`<ul class="lines card">${more.map((fact) => html`<${Line} key=${fact.id} fact=${fact} />`)}</ul>`}
        <p class="hint">${!known.length && !more.length && t("search.known.none")} <a href=${href("facts")}>${t("search.all")}</a></p><//>`}
      <${Hits} title=${t("search.said")} hits=${items.filter((hit) => !known.includes(hit))} />
      <${More} of=${{ more: items.length >= most && most < MOST && (() => setMost(most + STEP)) }} />`;
  }}<//>`;
}

const Hits = ({ title, hits, children }) => (children || hits.length > 0) && html`<h2 class="group">${title}</h2>
  ${hits.length > 0 && html`<ol class="hits" aria-label=${title}>
    ${hits.map((hit) => html`<li key=${hit.node?.id ?? hit.sources[0]?.id}><${Hit} hit=${hit} /></li>`)}</ol>`}${children}`;

// What the figures and the bars of hits mean.
const Meanings = ({ terms }) => html`<details class="meanings"><summary>${t("search.meanings")}</summary>
  <p>${t("is.score")}</p>
  <dl class="glossary">${terms.map((one) => html`<div><dt>${t(`term.${one}`)}</dt><dd>${t(`term.${one}.is`)}</dd></div>`)}</dl>
</details>`;

function Hit({ hit }) {
  const { node, sources } = hit;
  const [open, setOpen] = useState(false);
  const text = node ? node.content : (sources[0]?.content ?? "");
  const share = node ? shareOf(node) : 1;
  return html`<article class="card hit">
    ${node ? html`<${MemoryLink} id=${node.id} text=${telling(text, sources[0]?.content, node.id)} />` : html`<${Words} text=${text} />`}
    <p class="meta pieces">
      <strong>${t("search.score", { n: hit.score.toFixed(2) })}</strong><${Bar} value=${hit.score} />
      <${When} at=${sources[0]?.timestamp ?? node?.created_at} />
      ${node && html`<${Kind} kind=${node.kind} />`}
      ${hit.lost && html`<${Tag} tone=${hit.lost}>${t(`lost.${hit.lost}`)}<//>`}
      ${!node && html`<${Tag}>${t("search.waiting")}<//>`}
      ${share < 1 && html`<${Kept} of=${node} />`}
    </p>
    ${(share < 1 || hit.lost === "forgotten") && sources.length > 0 && html`<p class="meta">${t("search.words")}${" "}
      <q dir="auto">${short(sources[0].content, 400)}</q></p>`}
    <${Terms} hit=${hit} />
    ${hit.path.length > 0 && html`<p class="path">${t("search.path")} ${hit.path.map((step) =>
      /^mem_\d+$/.test(step)
        ? html`<${Name} id=${step} /> `
        : html`<span> → ${relation(step)} → </span>`)}</p>`}
    ${node && html`<details onToggle=${(event) => setOpen(event.target.open)}>
      <summary>${t("search.source")}</summary>
      ${open && (hit.lost === "forgotten"
        ? sources.map((one) => html`<${Words} text=${one.content} />`)
        : html`<${Talk} id=${node.id} />`)}
    </details>`}
  </article>`;
}

// The parts of a score; those of what was learned are one.
const termsOf = ({ terms: { fact, core, system, episode, ...rest } }) =>
  ({ ...rest, learned: fact ?? core ?? system ?? episode });

function Terms({ hit }) {
  const terms = termsOf(hit);
  const shown = TERMS.filter((name) => terms[name]);
  return html`<dl class="terms">${shown.map((name) => html`<div>
    <dt title=${t(`term.${name}.is`)}>${t(`term.${name}`)}</dt>
    <dd><${Bar} value=${terms[name]} />
      <span>${terms[name].toFixed(2)}</span></dd>
  </div>`)}</dl>`;
}
