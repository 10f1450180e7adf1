// The pieces that views are built of.

import {
  ago, createContext, figure, has, html, moment, named, percent, short, t,
  useCallback, useContext, useEffect, useMemo, useRef, useState,
} from "./base.js";

// `memory` (what can be asked), `me`, `may(right)`, `version` (counts changes), `tell`, `open`.
export const Here = createContext(null);
export const useHere = () => useContext(Here);

// What a question answers, asked again whenever something changed; the old answer stays meanwhile.
// `still`: of what does not change, once.
export function useAnswer(question, needs, still = false) {
  const { version, lost, vanished } = useHere();
  const [found, setFound] = useState({ value: null, error: null, at: version });
  const [again, setAgain] = useState(0);
  const asked = useRef(0);
  const shown = useRef(0); // the newest question that was answered, or that is no longer asked
  const wanted = useRef(needs);
  if (needs.some((need, n) => need !== wanted.current[n])) {
    wanted.current = needs;
    shown.current = asked.current;
  }
  useEffect(() => {
    const mine = ++asked.current;
    const isNews = () => mine > shown.current && Boolean((shown.current = mine));
    question().then(
      (value) => isNews() && setFound({ value, error: null, at: version }),
      (error) => {
        if (error.status === 401) lost();
        if (error.status === 404 && error.message.startsWith("there is no agent")) vanished();
        if (isNews()) setFound({ value: null, error, at: version });
      },
    );
  }, [...needs, still ? 0 : version, again]);
  return { ...found, reload: useCallback(() => setAgain((n) => n + 1), []) };
}

// A list that comes in pages: the first, and more when asked for.
export function usePages(question, needs) {
  const first = useAnswer(() => question(null), needs);
  const [more, setMore] = useState({ of: null, items: [], next: null });
  const own = more.of === first.value && first.value ? more : null;
  const next = own ? own.next : first.value?.next;
  const items = [...(first.value?.items ?? []), ...(own ? own.items : [])];
  const load = async () => {
    const page = await question(next);
    setMore({ of: first.value, items: [...(own?.items ?? []), ...page.items], next: page.next });
  };
  return { ...first, items, more: next ? load : null };
}

// What is shown of an answer asks again only when that answer is new: of what is gone, nothing.
export function Asked({ of, children, empty }) {
  const here = useHere();
  const within = useMemo(() => ({ ...here, version: of.at }), [here, of.at]);
  if (of.error) return html`<p class="trouble" role="alert">${toldOf(of.error)}</p>`;
  if (of.value === null) return html`<p class="quiet" aria-busy="true">${t("loading")}</p>`;
  const items = of.items ?? of.value.items;
  if (items && !items.length && empty) return html`<p class="quiet">${empty}</p>`;
  return html`<${Here.Provider} value=${within}>${children(of.items ? of : of.value)}<//>`;
}

export const More = ({ of }) =>
  of.more && html`<button class="more" onClick=${of.more}>${t("more")}</button>`;

export function toldOf(error) {
  const known = `error.${error.type}`;
  return has(known) ? t(known, { message: said(error.message) }) : said(error.message);
}

export function Section({ title, hint, id, extra, children }) {
  return html`<section class="card" aria-labelledby=${id}>
    <header><h2 id=${id}>${title}</h2>${extra}</header>
    ${hint && html`<p class="hint">${hint}</p>`}
    ${children}
  </section>`;
}

// Without a label it only repeats a figure that stands beside it.
export function Bar({ value, label = null, tone = "", most = 1 }) {
  const share = Math.max(0, Math.min(1, value / (most || 1)));
  return html`<span class=${`bar ${tone}`} role=${label ? "img" : null} aria-label=${label}>
    <i style=${{ width: `${(100 * share).toFixed(1)}%` }}></i>
  </span>`;
}

export const Kept = ({ share }) => html`<span class="kept">
  <${Bar} value=${share} tone=${share < 1 ? "fading" : ""} />
  <span>${t("kept", { share: percent(share) })}</span>
</span>`;

export const When = ({ at }) =>
  at === null || at === undefined
    ? null
    : html`<time datetime=${new Date(at * 1000).toISOString()} title=${moment(at)}>${ago(at)}</time>`;

const LONG = 1200;

// Somebody's words: always as text, in the direction they are written, long ones folded.
export function Words({ text, most = LONG }) {
  const [whole, setWhole] = useState(false);
  if (text.length <= most) return html`<p class="words" dir="auto">${text}</p>`;
  return html`<div>
    <p class="words" dir="auto">${whole ? text : `${text.slice(0, most)}…`}</p>
    <button class="link" aria-expanded=${whole} onClick=${() => setWhole(!whole)}>
      ${whole ? t("fold") : t("unfold", { n: figure(text.length) })}
    </button>
  </div>`;
}

export const Tag = ({ tone = "", children }) => html`<span class=${`tag ${tone}`}>${children}</span>`;

export const Kind = ({ kind }) =>
  kind === "segment" ? null : html`<${Tag} tone=${kind}>${t(`kind.${kind}`)}<//>`;

const [LINES, WHOLE] = [400, 2000]; // characters of a link that are seen at once, and that are there at all

// A memory by what it says. Of a long one all is there to be heard, and seen by pointing or by the keyboard.
export function MemoryLink({ id, text, at = "", children }) {
  const { href } = useHere();
  const words = short(text || id, WHOLE);
  const isLong = !children && words.length > LINES;
  return html`<a class=${isLong ? "memory long" : "memory"} href=${href("memory", id, { at })} dir="auto"
    title=${isLong ? words : null}>${children ?? words}</a>`;
}

export function Button({ onClick, tone = "", children, ...more }) {
  const [busy, setBusy] = useState(false);
  const { tell } = useHere();
  const press = async (event) => {
    if (event.detail > 1) return; // a double click is one: what it did may have put another button here
    setBusy(true);
    try {
      await onClick();
    } catch (error) {
      tell(toldOf(error), { tone: "trouble" });
    }
    setBusy(false);
  };
  return html`<button class=${tone} disabled=${busy} onClick=${press} ...${more}>${children}</button>`;
}

// A question before something is done. `children` says what will happen.
export function Dialog({ title, close, children, actions }) {
  const place = useRef(null);
  useEffect(() => {
    const dialog = place.current;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  return html`<dialog ref=${place} aria-label=${title}
    onCancel=${(event) => { event.preventDefault(); close(); }}
    onClick=${(event) => event.target === place.current && close()}>
    <div class="inside">
      <h2>${title}</h2>
      <div class="matter">${children}</div>
      <footer><button onClick=${close}>${t(actions ? "cancel" : "close")}</button>${actions}</footer>
    </div>
  </dialog>`;
}

// A question in words, `ask(words)`; what else can be done stands beside it.
export function Ask({ given = "", label = "search.label", hint = "search.placeholder", ask, children }) {
  const [words, setWords] = useState(given);
  useEffect(() => setWords(given), [given]);
  const submit = (event) => {
    event.preventDefault();
    ask(words.trim());
  };
  return html`<form class="ask" role="search" onSubmit=${submit}>
    <input type="search" aria-label=${t(label)} placeholder=${t(hint)} value=${words}
      onInput=${(event) => setWords(event.target.value)} />
    <button class=${children ? "" : "primary"}>${t("search.do")}</button>${children}
  </form>`;
}

export function Field({ label, children }) {
  return html`<label class="field"><span>${label}</span>${children}</label>`;
}

// What the library says in words, in the reader's language as far as it is one of its sentences;
// `#` is an id, `@` a number, `*` a word, `…` anything; the third says which of them is a kind, and of what.
const SAYINGS = [
  ["# is no longer there", "said.never"],
  ["# is there again", "said.there"],
  ["# comes back, but would have faded by now", "said.backFaded"],
  ["# comes back", "said.back"],
  ["# goes back to the trash", "said.trash"],
  ["# has its text of @ characters again, now @", "said.text"],
  ["# is a * again", "said.kind", { 2: "kind" }],
  ["1 link stands as before", "said.links.one"],
  ["@ links stand as before", "said.links.more"],
  ["the focus is as before", "said.focus"],
  ["what is noted of # is as before", "said.noted"],
  ["the rules of fading have changed since", "said.rules"],
  ["it was undone already, by entry @", "said.undone"],
  ["the focus has moved on since", "said.moved"],
  ["# stands differently since the focus moved on", "said.differently"],
  ["# stands differently since days were counted", "said.older"],
  ["# was * later, by entry @", "said.later", { 2: "change" }],
  ['an entry of kind "*" cannot be undone, or no longer: …', "said.unkept", { 1: "change" }],
  ["it is in focus", "said.inFocus"],
  ["a task is open that touched it", "said.held"],
  ["# is in focus and points at it", "said.pointed"],
  ["its importance @ is at least 1", "said.important"],
  ["a * memory does not wear away", "said.lasting", { 1: "kind" }],
  ["its weight @ is at least @", "said.heavy"],
  ["aged", "said.aged"],
  ["no longer true", "said.untrue"],
  ["review", "said.reviewed"],
  ["faded", "said.faded"],
  ["on request", "said.requested"],
  ["slot reused", "said.reused"],
  ["superseded by #", "said.superseded"],
  ["merged into #", "said.merged"],
  ["cold for @ days, at most @ links each, @% in common", "said.merge"],
  ["cold for @ days, at most @ links each, @% in common, @% alike in meaning", "said.mergeAlike"],
  ["# is forgotten; …", "said.isForgotten"],
  ["the server cannot be reached", "said.unreachable"],
];

const SIGNS = { "#": "(mem_\\d+)", "@": "([\\d.]+)", "*": "(\\w+)", "…": ".*" };
const formOf = (saying) => new RegExp(`^${saying.replace(/[#@*…]/g, (sign) => SIGNS[sign])}$`);

export function said(sentence) {
  for (const [saying, key, kinds = {}] of SAYINGS) {
    const found = formOf(saying).exec(sentence);
    if (!found) continue;
    const words = found.map((word, n) => (kinds[n] ? named(kinds[n], word) : word));
    return t(key, { ...words });
  }
  return sentence;
}
