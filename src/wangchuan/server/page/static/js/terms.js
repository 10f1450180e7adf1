// Words that the page explains: by pointing at them, by the keyboard, and all of them in one list.

import { html, keysOf, piecesOf, t, useRef, useState } from "./base.js";

const TIP = { width: 300, edge: 8, below: 150 }; // pixels: its width, and the room it wants
let explained = 0;

// A word with its meaning, shown while it is pointed at or has the keyboard.
export function Term({ word, children }) {
  const [id] = useState(() => `term-${++explained}`);
  const [place, setPlace] = useState(null);
  const spot = useRef(null);
  const show = () => {
    const { left, top, bottom } = spot.current.getBoundingClientRect();
    const x = Math.max(TIP.edge, Math.min(left, innerWidth - TIP.width - TIP.edge));
    const down = innerHeight - bottom > TIP.below;
    setPlace({ left: `${x}px`, ...(down ? { top: `${bottom}px` } : { bottom: `${innerHeight - top}px` }) });
  };
  const hide = () => setPlace(null);
  const press = (event) => {
    if (event.key !== "Escape" || !place) return;
    event.stopPropagation();
    hide();
  };
  return html`<span class="term" onMouseEnter=${show} onMouseLeave=${hide}>
    <button type="button" ref=${spot} aria-describedby=${id} onFocus=${show} onBlur=${hide} onClick=${show}
      onKeyDown=${press}>${children ?? t(`word.${word}`)}</button>
    <span role="tooltip" id=${id} hidden=${!place} style=${place ?? {}}>${t(`is.${word}`)}</span>
  </span>`;
}

// A sentence in which words in brackets, `[shown|word]`, are explained.
export const Say = ({ of, ...values }) =>
  piecesOf(of, values).map(([text, word]) => (word ? html`<${Term} word=${word}>${text}<//>` : text));

export const HintOf = ({ of }) => html`<p class="hint"><${Say} of=${of} /></p>`;

export const Glossary = () => html`<div class="view"><h1>${t("menu.words")}</h1>
  <p class="hint">${t("words.hint")}</p>
  <dl class="glossary card">${keysOf("is.").map((word) => html`<div key=${word}>
    <dt>${t(`word.${word}`)}</dt><dd>${t(`is.${word}`)}</dd></div>`)}</dl></div>`;
