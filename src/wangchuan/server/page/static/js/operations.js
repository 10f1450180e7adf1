// How the memory runs: what waits or failed, what models cost, how much there is, whether it is sound.

import { counted, figure, html, named, t, useState } from "./base.js";
import { Say } from "./terms.js";
import { Asked, Button, More, Section, Tag, When, useHere, useList, useLook } from "./ui.js";

export function Operations() {
  return html`<div class="view"><h1>${t("menu.operations")}</h1>
    <div class="columns">
      <div class="stack"><${Queue} /><${Models} /></div>
      <div class="stack"><${Size} /><${Doctor} /><${Agents} /><${Home} /></div>
    </div></div>`;
}

const STATES = ["pending", "failed", "done"];
const TONES = { pending: "warn", failed: "lost", done: "good" };

function Queue() {
  const { memory, may, tell, changed } = useHere();
  const [state, setState] = useState("");
  const states = state ? [state] : STATES;
  const jobs = useList("jobs", { states, limit: 12 });
  const retry = async () => {
    const { jobs: n } = await memory.act("jobs/retry");
    changed();
    tell(t("jobs.retried", { n }));
  };
  return html`<${Section} id="queue" title=${t("jobs")} hint=${html`<${Say} of="jobs.hint" />`} extra=${html`<label><span class="hidden">${t("jobs.show")}</span>
      <select value=${state} onChange=${(event) => setState(event.target.value)}>
        <option value="">${t("jobs.all")}</option>
        ${STATES.map((one) => html`<option value=${one}>${t(`job.${one}`)}</option>`)}</select></label>`}>
    <${Asked} of=${jobs} empty=${t("jobs.none")}>${({ items }) => html`<ul class="lines">${items.map((job) => html`<li key=${job.id}>
      <code>${job.id}</code> ${named("doing", job.kind)} <${Tag} tone=${TONES[job.state]}>${t(`job.${job.state}`)}<//>
      <span class="meta"><${When} at=${job.finished_at ?? job.accepted_at} />
        ${job.attempts > 0 && html` · ${counted("job.attempts", job.attempts)}`}</span>
      ${job.reason && html`<p class="meta warn" dir="auto">${job.reason}</p>`}</li>`)}</ul>
      ${may("write") && items.some((job) => job.state === "failed") && html`<${Button} onClick=${retry}>${t("jobs.retry")}<//>`}`}<//>
    <${More} of=${jobs} />
  <//>`;
}

function Models() {
  const stats = useLook("stats");
  const settings = useLook("settings");
  const columns = ["routine", "calls", "failures", "tokens", "seconds"];
  return html`<${Section} id="models" title=${t("models")}>
    <${Asked} of=${stats}>${({ usage, trouble }) => html`
      ${trouble && html`<p class="trouble" dir="auto">${trouble}</p>`}
      ${Object.keys(usage).length
        ? html`<div class="scroll" tabindex="0" role="region" aria-label=${t("models")}><table>
          <thead><tr>${columns.map((one) => html`<th scope="col">${t(`models.${one}`)}</th>`)}</tr></thead>
          <tbody>${Object.entries(usage).map(([routine, one]) => html`<tr><td>${named("doing", routine)}</td><td>${figure(one.calls)}</td>
            <td>${figure(one.failures)}</td><td>${figure(one.prompt_tokens + one.completion_tokens)}</td>
            <td>${figure(one.seconds, 1)}</td></tr>`)}</tbody></table></div>`
        : html`<p class="quiet">${t("models.none")}</p>`}`}<//>
    <${Asked} of=${settings}>${(held) => html`<p class="meta"><${Say} of="models.budget"
      calls=${held.model_calls_per_day || t("models.unbounded")} tokens=${held.model_tokens_per_day || t("models.unbounded")} /></p>`}<//>
  <//>`;
}

function Size() {
  const stats = useLook("stats");
  const cycle = useLook("lifecycle");
  const size = (bytes) => (bytes < 1e6 ? `${figure(bytes / 1e3, 1)} kB` : `${figure(bytes / 1e6, 1)} MB`);
  const counts = (of, names) => names.map((name) => html`<dt>${t(`size.${name}`)}</dt><dd>${figure(of[name])}</dd>`);
  return html`<${Section} id="size" title=${t("size")}>
    <${Asked} of=${stats}>${(one) => html`<dl class="pairs"><dt>${t("size.disk")}</dt><dd>${size(one.bytes)}</dd>
      ${counts(one, ["nodes", "links", "messages", "passes", "pending"])}</dl>`}<//>
    <${Asked} of=${cycle}>${(one) => html`<dl class="pairs">${counts(one, ["cold", "mergeable"])}</dl>`}<//>
  <//>`;
}

function Doctor() {
  const { memory } = useHere();
  const [told, setTold] = useState(null);
  const examine = async () => setTold(await memory.look("doctor"));
  return html`<${Section} id="doctor" title=${t("doctor")} hint=${t("doctor.hint")}
    extra=${html`<${Button} onClick=${examine}>${t("doctor.do")}<//>`}>
    <div role="status">${told && (told.items.length
      ? html`<ul>${told.items.map((one) => html`<li class="trouble" dir="auto">${one}</li>`)}</ul>`
      : html`<p class="good">${t("doctor.sound")}</p>`)}</div>
  <//>`;
}

function Agents() {
  const { agents, agent } = useHere();
  return html`<${Section} id="agents" title=${t("agents")}><ul class="lines scroll few" tabindex="0" aria-labelledby="agents">${agents.map((one) => html`<li>
    <a href=${`#/${encodeURIComponent(one)}/operations`} aria-current=${one === agent ? "true" : null} dir="auto">${one}</a></li>`)}</ul><//>`;
}

function Home() {
  const { memory, agent } = useHere();
  return html`<${Section} id="takehome" title=${t("takehome")} hint=${t("takehome.hint")}><div class="acts">
    ${["jsonl", "markdown"].map((form) => html`<a class="button" href=${memory.exported(form)}
      download=${`${agent}.${form === "jsonl" ? "jsonl" : "md"}`}>${t(`takehome.${form}`)}</a>`)}</div><//>`;
}
