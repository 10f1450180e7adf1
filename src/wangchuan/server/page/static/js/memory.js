// One memory: what is left of it and why, where it came from, where it leads, what happened to it.

import { Erase, FactActs, Forget, Restore } from "./acts.js";
import {
  counted, figure, html, hundredths, moment, percent, relation, t, useEffect, useMemo, useState,
} from "./base.js";
import { Curve } from "./curves.js";
import { Undo, told } from "./journal.js";
import { Talk } from "./talk.js";
import {
  Asked, Bar, Kept, Kind, MemoryLink, Section, Tag, When, Words, said, useAnswer, useHere,
} from "./ui.js";

const LEARNED = ["fact", "core", "episode", "system"];

export function Memory({ id, given }) {
  const { memory } = useHere();
  const found = useAnswer(() => memory.look(`nodes/${id}/standing`), [memory, id]);
  return html`<div class="view"><${Asked} of=${found}>${({ lives, gone }) =>
    lives ? html`<${Alive} explained=${lives} given=${given} />` : html`<${Gone} gone=${gone} />`}
  <//></div>`;
}

function Alive({ explained, given }) {
  const { href } = useHere();
  const { node } = explained;
  const share = node.content.length / (node.original_length || 1);
  const learned = LEARNED.includes(node.kind);
  return html`
    <${Head} node=${node}>
      ${share < 1 && html`<${Restore} id=${node.id} label=${t("keep")} />`}
      ${learned && html`<${Fact} node=${node} />`}
      ${node.kind !== "system" && html`<${Forget} id=${node.id} />`}
      ${!learned && html`<a class="button" href=${href("network", node.id)}>${t("memory.network")}</a>`}
      <${Erase} id=${node.id} />
    <//>
    <div class="columns">
      <div class="stack">
        <${Section} id="left" title=${t(share < 1 ? "memory.left" : "memory.text")}>
          <${Words} text=${node.content} />
          ${share < 1 && html`<p class="hint pieces"><${Kept} share=${share} />
            ${t("memory.left.of", { left: figure(node.content.length), n: figure(node.original_length) })}</p>`}
          <p class="meta">${node.keywords.map((word) => html`<${Tag}>${word}<//>`)}</p>
        <//>
        <${Why} explained=${explained} share=${share} learned=${learned} />
        <${Section} id="from" title=${t("memory.from")}><${Talk} id=${node.id} /><//>
      </div>
      <div class="stack">
        <${Then} node=${node} at=${given.at} lives />
        ${!learned && html`<${Leads} node=${node} />`}
        <${Past} id=${node.id} />
      </div>
    </div>`;
}

function Head({ node, children }) {
  return html`<header class="head">
    <h1 dir="auto">${node.phrase || node.id}</h1>
    <p class="meta pieces"><code>${node.id}</code><${Kind} kind=${node.kind} />
      <span>${t("memory.made")}</span><${When} at=${node.created_at} /></p>
    <div class="acts">${children}</div>
  </header>`;
}

function Gone({ gone }) {
  return html`
    <${Head} node=${gone.node}><${Restore} id=${gone.node.id} label=${t("restore")} />
      <${Erase} id=${gone.node.id} /><//>
    <p class="notice pieces"><span>${t("memory.gone")}</span><b>${said(gone.reason)}</b><${When} at=${gone.at} /></p>
    <div class="columns">
      <${Section} id="left" title=${t("memory.last")}><${Words} text=${gone.node.content} /><//>
      <div class="stack"><${Then} node=${gone.node} /><${Past} id=${gone.node.id} /></div>
    </div>`;
}

function Fact({ node }) {
  const { memory } = useHere();
  const facts = useAnswer(() => memory.look(`facts/${node.id}/history`), [memory, node.id]);
  const fact = facts.value?.items[0];
  return fact ? html`<${FactActs} fact=${fact} />` : null;
}

// Why it stands where it stands, in sentences and figures.
function Why({ explained, share, learned }) {
  const { importance, passes_left: left, protections, weight, state, support, links } = explained;
  const own = links.reduce((sum, link) => sum + link.strength, 0);
  return html`<${Section} id="why" title=${t(share < 1 ? "memory.why.fading" : "memory.why")}>
    ${learned
      ? weight !== null && html`<p>${t("why.weight", { weight: weight.toFixed(2) })}</p>`
      : html`<p>${t("why.importance", {
          importance: importance.toFixed(2), own: own.toFixed(2), links: links.length, focus: support.length,
        })}</p>
        <p>${importance >= 1 ? t("why.whole") : t("why.share", { share: percent(importance) })}</p>
        <p>${left === null ? t("why.noEnd") : counted("why.end", left)}</p>`}
    ${protections.length > 0 && html`<p>${t("why.kept")}</p>
      <ul>${protections.map((one) => html`<li>${said(one)}</li>`)}</ul>`}
    ${state === "cold" && html`<p>${t("why.cold")} <${When} at=${explained.cold_since} /></p>`}
    ${!learned && html`<${Course} id=${explained.node.id} />`}
    <details><summary>${t("why.activity", { score: hundredths(explained.score) })}</summary>
      <dl class="terms">${Object.entries(explained.activity).map(([name, value]) => html`<div>
        <dt>${t(`activity.${name}`)}</dt>
        <dd><${Bar} value=${Math.abs(value)} most=${3} label=${hundredths(value)}
          tone=${value < 0 ? "lost" : ""} /><span>${hundredths(value)}</span></dd></div>`)}</dl>
    </details>
  <//>`;
}

function Course({ id }) {
  const { memory } = useHere();
  const course = useAnswer(() => memory.look(`nodes/${id}/course`), [memory, id]);
  return html`<${Asked} of=${course}>${({ now, ends, stands }) => {
    const left = stands.map((one) => [one.passes, one.left]);
    const importance = stands
      .filter((one) => one.importance !== null)
      .map((one) => [one.passes, Math.min(2, one.importance)]);
    const most = Math.max(1, ...importance.map(([, y]) => y));
    return html`<${Curve} title=${t("course.title")} x=${t("course.passes")} top=${most}
      marks=${[{ at: now, name: t("course.now") }, ...(ends ? [{ at: ends, name: t("course.end") }] : [])]}
      series=${[
        { name: t("course.left"), points: left, tone: "one", steps: true },
        { name: t("course.importance"), points: importance, tone: "two" },
      ]} />`;
  }}<//>`;
}

// The text as it was at any time since it was made.
function Then({ node, at, lives = false }) {
  const { memory } = useHere();
  const changes = useAnswer(() => memory.look(`nodes/${node.id}/history`), [memory, node.id]);
  return html`<${Section} id="then" title=${t("then.title")} hint=${t("then.hint")}>
    <${Asked} of=${changes}>${({ items }) => html`<${Scrubber} node=${node} lives=${lives}
      first=${items[0]?.at ?? node.created_at} at=${at} />`}<//>
  <//>`;
}

// `when` is null at the right end: that is now, however long the page has been open.
function Scrubber({ node, lives, first, at }) {
  const { memory, version } = useHere();
  const now = useMemo(() => Math.ceil(Date.now() / 1000), [version]);
  const [when, setWhen] = useState(at ? Number(at) : null);
  const [wanted, setWanted] = useState(when);
  useEffect(() => {
    const timer = setTimeout(() => setWanted(when), 120);
    return () => clearTimeout(timer);
  }, [when]);
  const then = useAnswer(async () => wanted === null
    ? { node: lives ? node : null }
    : memory.look(`nodes/${node.id}/then`, { at: wanted }), [memory, node, lives, wanted]);
  const move = (value) => setWhen(value < now ? Math.max(first, value) : null);
  const shown = when === null ? t("time.now") : moment(when);
  return html`
    <input type="range" min=${first} max=${now} step="any" value=${when ?? now} aria-label=${t("then.title")}
      aria-valuetext=${shown} onInput=${(event) => move(Number(event.target.value))} />
    <p class="meta"><b>${shown}</b></p>
    <${Asked} of=${then}>${({ node: was }) => was
      ? html`<${Words} text=${was.content} />
        <${Kept} share=${was.content.length / (was.original_length || 1)} />`
      : html`<p class="quiet">${t(wanted !== null && wanted < first ? "then.none" : "then.forgotten")}</p>`}<//>`;
}

// Where it leads, strongest first; what is forgotten is named as once known.
function Leads({ node }) {
  const { memory } = useHere();
  const around = useAnswer(() => memory.look("picture", { around: node.id, limit: 25 }), [memory, node.id]);
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
            <${MemoryLink} id=${other.id} text=${other.phrase || other.content} /></li>`;
        })}
        ${lost.map((stub) => html`<li class="lost pieces" key=${stub.target}>
          <span class="relation">${relation(stub.relation)}</span>
          <${Bar} value=${stub.strength} tone="lost" label=${t("strength", { n: stub.strength.toFixed(2) })} />
          <${MemoryLink} id=${stub.target}>${t("once", { id: stub.target })}<//></li>`)}
      </ul>`;
    }}<//>
  <//>`;
}

const REVERSIBLE = new Set([
  "compressed", "forgotten", "restored", "merged", "learned", "boosted", "kept", "verified",
  "promoted", "undone", "remembered",
]);

function Past({ id }) {
  const { memory, may } = useHere();
  const [asked, setAsked] = useState(null);
  const changes = useAnswer(() => memory.look(`nodes/${id}/history`), [memory, id]);
  return html`<${Section} id="past" title=${t("memory.past")}>
    <${Asked} of=${changes}>${({ items }) => html`<ol class="lines past">
      ${items.slice().reverse().map((one) => html`<li key=${one.seq}>
        <b>${told(one.kind)}</b> <${Detail} change=${one} />
        <span class="meta"><${When} at=${one.at} /> · ${t("pass", { n: one.passes })} · ${t("entry", { n: one.seq })}
          ${may("write") && REVERSIBLE.has(one.kind) && html` · <button class="link"
            aria-label=${`${t("undo")}: ${told(one.kind)}, ${moment(one.at)}`}
            onClick=${() => setAsked(one.seq)}>${t("undo")}</button>`}</span></li>`)}
    </ol>`}<//>
    ${asked !== null && html`<${Undo} seq=${asked} close=${() => setAsked(null)} />`}
  <//>`;
}

function Detail({ change }) {
  const { detail, kind } = change;
  if (kind === "compressed" && detail.before) {
    const text = Array.isArray(detail.before) ? detail.before[0] : "";
    return html`<span>${counted("past.compressed", detail.length)}
      <q class="before" dir="auto">${text.slice(0, 240)}</q></span>`;
  }
  if (kind === "forgotten" && detail.reason) return html`<span>(${said(detail.reason)})</span>`;
  return null;
}
