// What the agent knows: listing, searching, adding; reviews that wait, with their evidence.

import { FactActs } from "./acts.js";
import { html, short, t, useState } from "./base.js";
import { Marks, bySubject } from "./home.js";
import { Found } from "./search.js";
import { Talk } from "./talk.js";
import { HintOf } from "./terms.js";
import {
  Ask, Asked, Button, Dialog, Field, MemoryLink, More, Section, Tick, When, useHere, useList, useLook,
} from "./ui.js";

const TOPICS = ["preference", "personal", "memory", "promise", "other"];

// A view in parts, of which one is shown: `parts` by their ids, that of the `first` being empty.
export function Tabs({ view, id, first, parts, ...more }) {
  const { href } = useHere();
  const current = Object.hasOwn(parts, id) ? id : "";
  return html`<div class="view"><h1>${t(`menu.${view}`)}</h1>
    <nav class="tabs" aria-label=${t(`menu.${view}`)}>${Object.keys(parts).map((one) => html`
      <a href=${href(view, one)} aria-current=${one === current ? "page" : null}>${t(`${view}.tab.${one || first}`)}</a>`)}</nav>
    <${parts[current]} ...${more} /></div>`;
}

export const Facts = ({ id, given }) => html`<${Tabs} view="facts" id=${id} first="all" query=${given.q ?? ""}
  parts=${{ "": Known, reviews: Reviews, episodes: Episodes }} />`;

function Known({ query }) {
  const { may, go } = useHere();
  const [adding, setAdding] = useState(false);
  const given = { kinds: ["core", "fact", "system"], limit: 50, query: query || undefined };
  const facts = useList("facts", given);
  return html`
    <${Ask} given=${query} label="facts.find" hint="facts.find" ask=${(q) => go("facts", "", { q })}>
      ${may("write") && html`<button type="button" class="primary" onClick=${() => setAdding(true)}>${t("facts.add")}</button>`}<//>
    <${HintOf} of="facts.hint" />
    <${Asked} of=${facts} empty=${t(query ? "facts.none" : "home.known.none")}>${({ items }) =>
      bySubject(items).map(([subject, some]) => html`<${Section} id=${`topic-${subject}`} key=${subject}
        title=${t(`topic.${subject}`)}><ul class="rows">${some.map((fact) => html`
          <li key=${fact.id}><${One} fact=${fact} /></li>`)}</ul><//>`)}
    <//>
    <${More} of=${facts} />
    ${query && facts.value && html`<${Found} query=${query} besides=${facts.items} />`}
    ${adding && html`<${Add} close=${() => setAdding(false)} />`}`;
}

function One({ fact }) {
  const [open, setOpen] = useState("");
  const toggle = (name) => () => setOpen(open === name ? "" : name);
  return html`<div class="fact">
    <${MemoryLink} id=${fact.id} text=${fact.text} />
    <p class="meta"><${When} at=${fact.created_at} /><span>${t(`source.${fact.source}`)}</span>
      <span>${t("fact.weight", { n: fact.weight.toFixed(2) })}</span>
      <${Marks} fact=${fact} />
      ${fact.sources.length > 0 && html`<button class="link" aria-expanded=${open === "from"}
        onClick=${toggle("from")}>${t("fact.from")}</button>`}
      <button class="link" aria-expanded=${open === "was"} onClick=${toggle("was")}>${t("fact.history")}</button></p>
    <div class="acts small"><${FactActs} fact=${fact} /></div>
    ${open === "from" && html`<${Talk} id=${fact.id} />`}
    ${open === "was" && html`<${Replaced} id=${fact.id} />`}
  </div>`;
}

// The facts that it replaced, the last first.
export function Replaced({ id }) {
  const former = useLook(`facts/${id}/history`);
  return html`<${Asked} of=${former}>${({ items }) => items.length < 2
    ? html`<p class="quiet">${t("fact.history.none")}</p>`
    : html`<ol class="lines">${items.slice(1).map((one) => html`<li key=${one.id} class="lost">
        <${MemoryLink} id=${one.id} text=${one.text} /><span class="meta"><${When} at=${one.created_at} /></span>
      </li>`)}</ol>`}<//>`;
}

function Add({ close }) {
  const { memory, tell, changed } = useHere();
  const [text, setText] = useState("");
  const [topic, setTopic] = useState("");
  const [core, setCore] = useState(false);
  const add = async () => {
    await memory.act("facts", { text, topic: topic || null, kind: core ? "core" : "fact" });
    changed();
    tell(t("facts.added"));
    close();
  };
  return html`<${Dialog} title=${t("facts.add")} close=${close}
    actions=${html`<${Button} tone="primary" disabled=${!text.trim()} onClick=${add}>${t("save")}<//>`}>
    <${Field} label=${t("fact.text")}><textarea dir="auto" rows="3" value=${text}
      onInput=${(event) => setText(event.target.value)}></textarea><//>
    <${Field} label=${t("fact.topic")}><select value=${topic} onChange=${(event) => setTopic(event.target.value)}>
      <option value="">${t("fact.topic.auto")}</option>
      ${TOPICS.map((one) => html`<option value=${one}>${t(`topic.${one}`)}</option>`)}</select><//>
    <${Tick} label="fact.core" on=${core} set=${setCore} />
  <//>`;
}

function Reviews() {
  const { memory, may, tell, changed } = useHere();
  const waiting = useList("facts/pending", { limit: 20 });
  const decide = (fact, decision) => async () => {
    await memory.act(`facts/${fact.id}/decide`, { decision });
    changed();
    tell(t(`decided.${decision}`));
  };
  return html`<${HintOf} of="reviews.hint" />
    <${Asked} of=${waiting} empty=${t("reviews.none")}>${({ items }) => html`<ul class="rows">
      ${items.map((fact) => html`<li key=${fact.id}><div class="fact">
        <${MemoryLink} id=${fact.id} text=${fact.text} />
        <p class="meta"><b>${t(`review.${fact.review === "promotion" ? "promote" : "keep"}`)}</b>
          <span>${t("fact.weight", { n: fact.weight.toFixed(2) })}</span><span>${t("fact.used")} <${When} at=${fact.used_at} /></span></p>
        ${fact.sources.length > 0 && html`<h3>${t("reviews.evidence")}</h3><${Talk} id=${fact.id} />`}
        ${may("write") && html`<div class="acts">${["promote", "keep", "delete"].map((one) => html`
          <${Button} tone=${one === "delete" ? "danger" : ""} onClick=${decide(fact, one)}
            aria-label=${`${t(`decide.${one}`)}: ${short(fact.text, 80)}`}>${t(`decide.${one}`)}<//>`)}</div>`}
      </div></li>`)}</ul>`}<//>
    <${More} of=${waiting} />`;
}

function Episodes() {
  const episodes = useList("episodes", { limit: 30 });
  return html`<${HintOf} of="episodes.hint" />
    <${Asked} of=${episodes} empty=${t("episodes.none")}>${({ items }) => html`<ul class="rows">
      ${items.map((one) => html`<li key=${one.id}><div class="fact"><${MemoryLink} id=${one.id} text=${one.text} />
        <p class="meta"><${When} at=${one.created_at} />
          <span>${t("fact.weight", { n: one.weight.toFixed(2) })}</span></p></div></li>`)}
    </ul>`}<//>
    <${More} of=${episodes} />`;
}
