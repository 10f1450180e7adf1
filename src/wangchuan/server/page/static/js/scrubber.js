// A slider over what happened, step by step however close or far apart, with leaps by the calendar.

import { html, moment, t, useEffect, useState } from "./base.js";

const DAY = 86400;
const LEAPS = [["time.month", 30 * DAY], ["time.week", 7 * DAY], ["time.day", DAY]];

// What a value is once it has stood still for a moment.
export function useSettled(value) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), 150);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

// Steps that lie at one time are one step: what is shown is how things stood after it.
export const apart = (steps) => steps.filter(({ at }, n) => n + 1 === steps.length || steps[n + 1].at > at);

// `steps`: [{ at, pass, name }], oldest first; `when`: a time, or null, which is the right end and now.
export function Scrubber({ steps, when, setWhen, label }) {
  const [first] = steps;
  const place = when === null ? steps.length : Math.max(0, steps.findLastIndex(({ at }) => at <= when));
  const step = steps[place];
  const set = (n) => setWhen(n < steps.length ? steps[Math.max(0, n)].at : null);
  const back = (by) => (when ?? Date.now() / 1000) - by;
  const entry = step && [moment(step.at), t("pass", { n: step.pass }), step.name].filter(Boolean).join(" · ");
  const told = !step ? t("time.now") : when === step.at ? entry : moment(when);
  const stood = step && step.at < when ? t("time.stood", { entry }) : ""; // since an earlier time than is asked for
  return html`<div class="scrubber">
    <div class="slide">
      <button aria-label=${t("time.earlier")} title=${t("time.earlier")} disabled=${place === 0} onClick=${() => set(place - 1)}>‹</button>
      <input type="range" min="0" max=${steps.length} step="1" value=${place} aria-label=${label} aria-valuetext=${`${told} ${stood}`}
        onInput=${(event) => set(Number(event.target.value))} />
      <button aria-label=${t("time.later")} title=${t("time.later")} disabled=${!step} onClick=${() => set(place + 1)}>›</button>
    </div>
    <p><b>${told}</b> <span class="meta">${stood}</span></p>
    <div class="acts small">${LEAPS.map(([name, by]) => html`<button disabled=${back(by) < first.at}
        title=${back(by) < first.at ? t("time.none") : null} onClick=${() => setWhen(back(by))}>${t(name)}</button>`)}
      <button disabled=${!step} onClick=${() => setWhen(null)}>${t("time.now")}</button></div>
  </div>`;
}
