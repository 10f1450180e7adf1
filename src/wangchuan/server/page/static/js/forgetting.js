// What fades, what is forgotten, what could be merged; and how each is kept or brought back.

import { Restore } from "./acts.js";
import { counted, html, hundredths, short, t, telling } from "./base.js";
import { Tabs } from "./facts.js";
import { HintOf, Say } from "./terms.js";
import { Asked, Button, Kept, Kind, MemoryLink, More, Said, When, useHere, useList, useLook } from "./ui.js";

export const Forgetting = ({ id }) => html`<${Tabs} view="forgetting" id=${id} first="fading"
  parts=${{ "": Fading, trash: Trash, merges: Merges }} />`;

function Fading() {
  const fading = useList("fading", { limit: 20 });
  return html`<p class="hint"><${Say} of="fading.hint" /> <${Say} of="keep.is" /></p>
    <${Asked} of=${fading} empty=${t("home.fading.none")}>${({ items }) => html`<ul class="rows">
      ${items.map(({ node, passes_left: left, importance, original }) => html`<li key=${node.id}>
        <div><${MemoryLink} id=${node.id} text=${telling(node.content, original)} />
          ${telling(node.content, original) !== original && html` <q class="before" dir="auto">${short(original, 400)}</q>`}
          <p class="meta"><${Kept} of=${node} />
            <span>${t("importance", { n: hundredths(importance) })}</span>
            ${left !== null && html`<span>${counted("fading.left", left)}</span>`}</p></div>
        <${Restore} id=${node.id} label=${t("keep")} />
      </li>`)}</ul>`}<//>
    <${More} of=${fading} />`;
}

function Trash() {
  const gone = useList("forgotten", { limit: 20 });
  return html`<${HintOf} of="trash.hint" />
    <${Asked} of=${gone} empty=${t("trash.none")}>${({ items }) => html`<ul class="rows">
      ${items.map(({ node, reason, at, original }) => html`<li key=${node.id}>
        <div><${MemoryLink} id=${node.id} text=${original || node.content} />
          <p class="meta"><${Kind} kind=${node.kind} /><span><${Said} of=${reason} own=${node.id} /></span> <${When} at=${at} />
            ${node.content !== original && html`<span>${t("trash.last")} <q dir="auto">${short(node.content, 400)}</q></span>`}</p></div>
        <${Restore} id=${node.id} label=${t("restore")} />
      </li>`)}</ul>`}<//>
    <${More} of=${gone} />`;
}

function Merges() {
  const { memory, may, tell, changed, go } = useHere();
  const merges = useList("merges", { limit: 10 });
  const merge = (ids) => async () => {
    const made = await memory.act("merges", { ids });
    changed();
    tell(t("merged", { text: short(made.content, 160) }), { label: t("open"), action: () => go("memory", made.id) });
  };
  return html`<${HintOf} of="merges.hint" />
    <${Asked} of=${merges} empty=${t("merges.none")}>${({ items }) => html`<ul class="rows">
      ${items.map(({ nodes, reason }) => {
        const ids = nodes.map((node) => node.id);
        return html`<li key=${ids.join()}><div><p class="meta"><${Said} of=${reason} /></p>
          ${nodes.map((node) => html`<div class="both"><${MemoryLink} id=${node.id} text=${node.content} />
            ${node.content.length < node.original_length && html`<${First} id=${node.id} />`}</div>`)}</div>
          ${may("write") && html`<${Button} onClick=${merge(ids)}
            aria-label=${`${t("merge")}: ${ids.join(", ")}`}>${t("merge")}<//>`}</li>`;
      })}</ul>`}<//>
    <${More} of=${merges} />`;
}

// What a shortened memory said at first: whether two say the same is seen by that.
function First({ id }) {
  const { memory } = useHere();
  const found = useLook(`nodes/${id}/standing`, undefined, true);
  const said = found.value?.lives?.original;
  return said && html`<p class="meta"><span>${t("memory.first")}:</span> <q dir="auto">${short(said, 400)}</q></p>`;
}
