// The network around the focus or a memory, of which more is shown on asking.

import { counted, figure, html, short, t, useCallback, useEffect, useRef, useState, wordsOf } from "./base.js";
import { Picture } from "./picture.js";
import { Say } from "./terms.js";
import { Asked, Name, useAnswer, useHere } from "./ui.js";

const WORKER = "/page/js/worker.js";
const [FIRST, NEAR, MOST] = [80, 40, 400]; // around the focus, around a memory, at all
// Scripts come from one address alone, whatever a text says.
const policy = self.trustedTypes?.createPolicy("wangchuan", {
  createScriptURL: (url) => {
    if (url !== WORKER) throw new TypeError("no script of ours");
    return url;
  },
}) ?? { createScriptURL: (url) => url };

function useLayout() {
  const worker = useRef(null);
  const waiting = useRef(new Map());
  useEffect(() => {
    worker.current = new Worker(policy.createScriptURL(WORKER), { type: "module" });
    worker.current.onmessage = ({ data }) => {
      waiting.current.get(data.asked)?.(data.places);
      waiting.current.delete(data.asked);
    };
    return () => worker.current.terminate();
  }, []);
  return useCallback((network, before) => new Promise((resolve) => {
    const asked = `${Math.random()}`;
    waiting.current.set(asked, resolve);
    worker.current.postMessage({ asked, network, before });
  }), []);
}

export function Network({ id }) {
  const { memory, href } = useHere();
  const [limit, setLimit] = useState(id ? NEAR : FIRST);
  const layout = useLayout();
  const around = id || null;
  const found = useAnswer(async () => {
    const { lives } = around ? await memory.look(`nodes/${around}/standing`) : { lives: true };
    return lives ? { ...(await memory.look("picture", { limit, around })), middle: around } : { dots: null };
  }, [memory, limit, around]);
  const acts = (dot) => html`
    <a class="button" href=${href("memory", dot.id)}>${t("open")}</a>
    ${dot.id !== id && html`<a class="button" href=${href("network", dot.id)}>${t("network.from")}</a>`}`;
  return html`<div class="view wide">
    <h1>${t("menu.network")}</h1>
    <${Asked} of=${found}>${(network) => !network.dots ? html`<p>${t("network.gone")}</p>
      <p class="acts"><a class="button" href=${href("memory", id)}>${t("network.what")}</a>
        <a class="button" href=${href("network")}>${t("network.focus")}</a></p>` : html`
      <p class="hint">${around
        ? html`${t("network.around", { text: short(wordsOf(network.dots.find((dot) => dot.id === id) ?? { id }), 70) })} <a href=${href("network")}>${t("network.focus")}</a>`
        : html`<${Say} of="network.hint" />`}
        ${" "}${t("network.shown", { n: figure(network.dots.length), all: counted("count.memories", network.memories) })}
        ${network.dots.length >= limit && limit < MOST && html` <button onClick=${() => setLimit(Math.min(MOST, limit * 2))}>
          ${t("more")}</button>`}</p>
      ${network.dots.length
        ? html`<${Picture} network=${network} layout=${layout} acts=${acts} first=${around} name=${(one) => html`<${Name} id=${one} />`} links=${(one) => href("memory", one)} />`
        : html`<p class="quiet">${t("network.none")}</p>`}`}<//>
  </div>`;
}
