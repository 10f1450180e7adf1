// The network view in a file of its own: its data stands beside it, and nothing is asked for.

import { counted, figure, html, render, speak, t } from "./base.js";
import { arrange } from "./layout.js";
import { Picture } from "./picture.js";
import { Say } from "./terms.js";

const lying = (id) => JSON.parse(document.getElementById(id).textContent);

function Alone({ network }) {
  const layout = async (given, before) => arrange(given, before);
  return html`<main class="view wide">
    <h1 dir="auto"><span lang="zh">忘川</span> · ${network.agent}</h1>
    <p class="hint"><${Say} of="network.hint" /> ${t("network.shown", {
      n: figure(network.dots.length), all: counted("count.memories", network.memories),
    })}</p>
    <${Picture} network=${network} layout=${layout} />
  </main>`;
}

const tongueOf = navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
speak(tongueOf, lying("words")[tongueOf]);
render(html`<${Alone} network=${lying("network")} />`, document.getElementById("page"));
