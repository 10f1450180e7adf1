// One memory: what is left of it and why, where it came from, where it leads, what happened to it.

import { Erase, FactActs, Forget, Restore } from "./acts.js";
import { figure, html, hundredths, percent, relation, shareOf, short, t, telling, useState, wordsOf } from "./base.js";
import { Curve } from "./curves.js";
import { Replaced } from "./facts.js";
import { Entries, told } from "./journal.js";
import { Scrubber, apart, useSettled } from "./scrubber.js";
import { Talk } from "./talk.js";
import { HintOf, Say } from "./terms.js";
import {
  Asked, Bar, Kept, Kind, MemoryLink, More, Name, Said, Section, Tag, When, Words, useAnswer, useHere, useList, useLook,
} from "./ui.js";

const TITLE = 120; // characters
const LEARNED = ["fact", "core", "episode", "system"];

// Its parts ask again when this has been answered, not before: by then it may be forgotten.
export function Memory({ id, given }) {
  const { memory } = useHere();
  const found = useLook(`nodes/${id}/standing`);
  return html`<div class="view"><${Asked} of=${found}>${({ lives, gone }) =>
    lives ? html`<${Alive} explained=${lives} given=${given} />`
      : gone ? html`<${Gone} gone=${gone} given=${given} />`
      : html`<h1>${id}</h1><p class="quiet">${t("memory.none")}</p>`}
  <//></div>`;
}

// What happened to a memory, newest first.
function useEntries(id) {
  return useList("journal", { node: id, limit: 100 });
}

function Alive({ explained, given }) {
  const { href, may } = useHere();
  const { node } = explained;
  const entries = useEntries(node.id);
  const share = shareOf(node);
  const learned = LEARNED.includes(node.kind);
  return html`
    <${Head} node=${node} text=${telling(node.content, explained.original)}
      hint=${share < 1 && may("write") && html`<${HintOf} of="keep.is" />`}>
      ${share < 1 && html`<${Restore} id=${node.id} label=${t("keep")} />`}
      ${learned ? html`<${Fact} node=${node} />`
        : html`<a class="button" href=${href("network", node.id)}>${t("memory.network")}</a>`}
      <span class="away">${node.kind !== "system" && html`<${Forget} node=${node} />`}<${Erase} id=${node.id} /></span>
    <//>
    <div class="columns">
      <div class="stack">
        <${Section} id="left" title=${t(share < 1 ? "memory.left" : "memory.text")}>
          <${Words} text=${node.content} />
          ${share < 1 && html`<p class="hint pieces"><${Kept} of=${node} />
            ${t("memory.left.of", { left: figure(node.content.length), n: figure(node.original_length) })}</p>
            <h3>${t("memory.first")}</h3><${Words} text=${explained.original} />`}
          <p class="meta">${node.keywords.map((word) => html`<${Tag}>${word}<//>`)}</p>
        <//>
        <${Why} explained=${explained} share=${share} learned=${learned} />
        <${Section} id="from" title=${t("memory.from")}><${Talk} id=${node.id} /><//>
      </div>
      <div class="stack">
        <${Then} node=${node} entries=${entries} at=${given.at} lives />
        ${learned ? node.kind !== "episode" && html`<${Section} id="was" title=${t("fact.history")}><${Replaced} id=${node.id} /><//>`
          : html`<${Leads} node=${node} />`}
        <${Past} entries=${entries} />
      </div>
    </div>`;
}

function Head({ node, text = node.content, hint = null, children }) {
  return html`<header class="head">
    <h1 dir="auto" title=${text.length > TITLE ? text.slice(0, 2000) : null}>${short(text, TITLE) || node.id}</h1>
    <p class="meta pieces"><code>${node.id}</code><${Kind} kind=${node.kind} />
      <span>${t("memory.made")}</span><${When} at=${node.created_at} /></p>
    <div class="acts">${children}</div>
    ${hint}
  </header>`;
}

function Gone({ gone, given }) {
  const entries = useEntries(gone.node.id);
  return html`
    <${Head} node=${gone.node} text=${gone.original}><${Restore} id=${gone.node.id} label=${t("restore")} />
      <span class="away"><${Erase} id=${gone.node.id} /></span><//>
    <p class="notice pieces"><span>${t("memory.gone")}</span><b><${Said} of=${gone.reason} own=${gone.node.id} /></b><${When} at=${gone.at} /></p>
    <div class="columns">
      <div class="stack">
        <${Section} id="whole" title=${t("memory.first")}><${Words} text=${gone.original} /><//>
        ${gone.node.content !== gone.original && html`<${Section} id="left" title=${t("memory.last")}>
          <${Words} text=${gone.node.content} /><//>`}
      </div>
      <div class="stack"><${Then} node=${gone.node} entries=${entries} at=${given.at} /><${Past} entries=${entries} /></div>
    </div>`;
}

function Fact({ node }) {
  const facts = useLook(`facts/${node.id}/history`);
  const fact = facts.value?.items[0];
  return fact ? html`<${FactActs} fact=${fact} />` : null;
}

// Why it stands where it stands, in sentences and figures.
function Why({ explained, share, learned }) {
  const { importance, passes_left: left, protections, weight, state, support, links } = explained;
  const own = links.reduce((sum, link) => sum + link.strength, 0);
  return html`<${Section} id="why" title=${t(share < 1 ? "memory.why.fading" : "memory.why")}>
    ${learned
      ? weight !== null && html`<p><${Say} of="why.weight" weight=${weight.toFixed(2)} /></p>`
      : html`<p><${Say} of="why.importance" importance=${importance.toFixed(2)} own=${own.toFixed(2)}
          links=${links.length} focus=${support.length} /></p>
        <p>${importance >= 1 ? t(share < 1 ? "why.again" : "why.whole") : html`<${Say} of="why.share" share=${percent(importance)} />`}</p>
        <p>${left === null ? t("why.noEnd") : html`<${Say} of=${`why.end.${left === 1 ? "one" : "more"}`} n=${figure(left)} />`}</p>`}
    ${protections.length > 0 && html`<p>${t("why.kept")}</p>
      <ul>${protections.map((one) => html`<li><${Said} of=${one} own=${explained.node.id} /></li>`)}</ul>`}
    ${state === "cold" && html`<p><${Say} of="why.cold" /> <${When} at=${explained.cold_since} /></p>`}
    ${!learned && html`<${Course} node=${explained.node} />`}
    <details><summary>${t("why.activity", { score: hundredths(explained.score) })}</summary>
      <p class="hint">${t("is.activity")}</p>
      <dl class="terms">${Object.entries(explained.activity).map(([name, value]) => html`<div>
        <dt>${t(`activity.${name}`)}</dt>
        <dd><${Bar} value=${Math.abs(value)} most=${3} label=${hundredths(value)}
          tone=${value < 0 ? "lost" : ""} /><span>${hundredths(value)}</span></dd></div>`)}</dl>
    </details>
  <//>`;
}

function Course({ node }) {
  const course = useLook(`nodes/${node.id}/course`);
  return html`<${Asked} of=${course}>${({ now, ends, stands }) => {
    const left = stands.map((one) => [one.passes, one.left]);
    const importance = stands
      .filter((one) => one.importance !== null)
      .map((one) => [one.passes, one.importance]);
    const most = Math.max(1, ...importance.map(([, y]) => y));
    return html`<${Curve} title=${t("course.title")} x=${t("course.passes")} form=${percent}
      marks=${[{ at: now, name: t("course.now") }, ...(ends ? [{ at: ends, name: t("course.end") }] : [])]}
      series=${[
        { name: t("course.left"), points: left, tone: "one", steps: true },
        { name: t("course.importance"), points: importance, tone: "two", top: most },
      ]} />`;
  }}<//>`;
}

// The text as it was at any time since it was made; `when` is null for now.
function Then({ node, entries, at, lives = false }) {
  return html`<${Section} id="then" title=${t("then.title")} hint=${html`<${Say} of="then.hint" />`}>
    <${Asked} of=${entries}>${({ items }) => html`<${At} node=${node} lives=${lives} at=${at}
      steps=${apart(items.map((one) => ({ at: one.at, pass: one.passes, name: told(one.kind) })).reverse())} />`}<//>
  <//>`;
}

function At({ node, lives, steps, at }) {
  const { memory } = useHere();
  const [when, setWhen] = useState(at ? Number(at) : null);
  const wanted = useSettled(when);
  const then = useAnswer(async () => wanted === null
    ? { node: lives ? node : null }
    : memory.look(`nodes/${node.id}/then`, { at: wanted }), [memory, node, lives, wanted]);
  return html`
    <${Scrubber} steps=${steps} when=${when} setWhen=${setWhen} label=${t("then.title")} />
    <${Asked} of=${then}>${({ node: was }) => was
      ? html`<${Words} text=${was.content} />
        <${Kept} of=${was} />`
      : html`<p class="quiet">${t(wanted === null ? "then.gone" : wanted < steps[0].at ? "then.none" : "then.forgotten")}</p>`}<//>`;
}

// Where it leads, strongest first; what is forgotten is named as once known.
function Leads({ node }) {
  const { memory } = useHere();
  const around = useLook("picture", { around: node.id, limit: 25 });
  return html`<${Section} id="leads" title=${t("memory.leads")}>
    <${Asked} of=${around}>${({ dots, lines, stubs }) => {
      const named = new Map(dots.map((dot) => [dot.id, dot]));
      const own = lines
        .filter((line) => line.source === node.id || line.target === node.id)
        .sort((a, b) => b.strength - a.strength);
      const lost = stubs.filter((stub) => stub.source === node.id);
      if (!own.length && !lost.length) return html`<p class="quiet">${t("memory.leads.none")}</p>`;
      return html`<ul class="lines">
        ${own.map((line) => {
          const other = named.get(line.source === node.id ? line.target : line.source);
          return html`<li class="pieces" key=${other.id}><span class="relation">${line.relations.map(relation).join(" · ")}</span>
            <${Bar} value=${line.strength} label=${t("strength", { n: line.strength.toFixed(2) })} />
            <${MemoryLink} id=${other.id} text=${wordsOf(other)} /></li>`;
        })}
        ${lost.map((stub) => html`<li class="lost pieces" key=${stub.target}>
          <span class="relation">${relation(stub.relation)}</span>
          <${Bar} value=${stub.strength} tone="lost" label=${t("strength", { n: stub.strength.toFixed(2) })} />
          ${t("once")} <${Name} id=${stub.target} /></li>`)}
      </ul>`;
    }}<//>
  <//>`;
}

const Past = ({ entries }) => html`<${Section} id="past" title=${t("memory.past")}>
  <${Asked} of=${entries}>${({ items }) => html`<${Entries} items=${items} own />`}<//>
  <${More} of=${entries} />
<//>`;
