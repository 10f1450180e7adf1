// The pieces that views are built of.

import {
  ago, createContext, cut, figure, has, html, keysOf, moment, named, percent, shareOf, short, t,
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

// What is seen at a path, `given` so much.
export function useLook(path, given, still) {
  const { memory } = useHere();
  return useAnswer(() => memory.look(path, given), [memory, path, JSON.stringify(given)], still);
}

// The same of a list that comes in pages: the first, and more when asked for.
export function useList(path, given) {
  const { memory } = useHere();
  const first = useLook(path, given);
  const [more, setMore] = useState({ of: null, items: [], next: null });
  const own = more.of === first.value && first.value ? more : null;
  const next = own ? own.next : first.value?.next;
  const items = [...(first.value?.items ?? []), ...(own ? own.items : [])];
  const load = async () => {
    const page = await memory.look(path, { ...given, cursor: next });
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

export const Kept = ({ of }) => html`<span class="kept">
  <${Bar} value=${shareOf(of)} tone=${shareOf(of) < 1 ? "fading" : ""} />
  <span>${t("kept", { share: percent(shareOf(of)) })}</span>
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
    <p class="words" dir="auto">${whole ? text : cut(text, most)}</p>
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

const NAME = 70; // characters of a memory that is named in a sentence

// A memory that is known by its id, named by what it says.
export function Name({ id }) {
  const { memory } = useHere();
  const { value } = useAnswer(() => memory.named(id), [memory, id], true);
  return html`<q><${MemoryLink} id=${id}>${short(value ?? id, NAME)}<//></q>`;
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

export const Field = ({ label, children }) => html`<label class="field"><span>${label}</span>${children}</label>`;

export const Tick = ({ label, on, set }) => html`<label class="tick">
  <input type="checkbox" checked=${on} onChange=${(event) => set(event.target.checked)} /> ${t(label)}</label>`;

// What the library says in words, in the reader's language as far as it is one of its sentences. In the keys
// of these, `#` is an id, `@` a number, `*` a word, `…` anything; `{kind2}` is the second as a kind is named.
const SIGNS = { "#": "(mem_\\d+)", "@": "([\\d.]+)", "*": "(\\w+)", "…": ".*" };
const formOf = (saying) => new RegExp(`^${saying.replace(/[#@*…]/g, (sign) => SIGNS[sign])}$`);

export function said(sentence) {
  for (const saying of keysOf("said.")) {
    const found = formOf(saying).exec(sentence);
    if (!found) continue;
    const words = found.flatMap((word, n) =>
      [[n, word], [`kind${n}`, named("kind", word)], [`change${n}`, named("change", word)]]);
    return t(`said.${saying}`, Object.fromEntries(words));
  }
  return sentence;
}

// The same where memories are links; the one it is told of is `own`.
export const Said = ({ of, own }) =>
  said(of).split(/(mem_\d+)/).map((part, n) =>
    n % 2 ? (part === own ? t("it") : html`<${Name} id=${part} />`) : part);
