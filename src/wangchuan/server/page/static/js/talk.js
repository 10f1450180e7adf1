// Messages as they were said, with those around them.

import { html, t } from "./base.js";
import { Asked, When, Words, useAnswer, useHere } from "./ui.js";

const AROUND = 3; // messages before and after

// The messages that a memory was made of, in their conversation.
export function Talk({ id }) {
  const { memory } = useHere();
  const said = useAnswer(async () => {
    const { items } = await memory.act("messages", { node_id: id, limit: 20 });
    if (!items.length) return { items };
    const own = new Set(items.map((one) => one.seq));
    const after = Math.max(0, items[0].seq - AROUND - 1);
    const limit = Math.min(40, items.at(-1).seq - after + AROUND);
    const around = await memory.act("messages", { after, limit });
    const talks = new Set(items.map((one) => one.talk));
    const near = around.items.filter((one) => own.has(one.seq) || talks.has(one.talk));
    const all = [...near, ...items.filter((one) => !near.some(({ seq }) => seq === one.seq))];
    return { items: all.map((one) => ({ ...one, own: own.has(one.seq) })) };
  }, [memory, id], true);
  return html`<${Asked} of=${said} empty=${t("talk.none")}>${({ items }) => html`<ol class="talk">
    ${items.map((one) => html`<li key=${one.seq} class=${one.own ? "own" : ""}>
      <p class="meta pieces"><b dir="auto">${one.name || t(`role.${known(one.role)}`)}</b>
        <${When} at=${one.timestamp ?? one.said_at} />
        ${one.own && html`<span class="hidden">${t("talk.own")}</span>`}</p>
      <${Words} text=${one.content} />
    </li>`)}
  </ol>`}<//>`;
}

const ROLES = ["user", "assistant", "system", "tool"];
const known = (role) => (ROLES.includes(role) ? role : "other");
