"use strict";
(() => {
  const sea = document.getElementById("sea");
  const card = document.getElementById("card");
  const memories = JSON.parse(document.getElementById("memories").textContent);
  const dots = [...sea.querySelectorAll(".dot")];
  const lines = [...sea.querySelectorAll(".line")];
  const stubs = [...sea.querySelectorAll(".stub")];
  const labels = [...sea.querySelectorAll(".label")];
  sea.querySelectorAll("title").forEach((title) => title.remove()); // the card says it better

  const element = (name, text, kind) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };

  const facts = (memory) => {
    const list = element("dl");
    const meter = element("meter");
    meter.value = memory.kept;
    const left = memory.focus ? "it is in focus" : memory.left === null ? "not in sight" : `in ${memory.left} passes`;
    const rows = [
      ["kept", `${Math.round(memory.kept * 100)} %`],
      ["importance", memory.importance.toFixed(2)],
      ["forgotten", left],
      ["keywords", memory.keywords.join(", ") || "—"],
    ];
    for (const [name, value] of rows) list.append(element("dt", name), element("dd", value));
    return [meter, list];
  };

  const ties = (id, near) => {
    const list = element("ul");
    const linked = near.sort((a, b) => b.dataset.strength - a.dataset.strength).slice(0, 12);
    for (const line of linked) {
      const other = line.dataset.ends.split(" ").find((end) => end !== id);
      const row = element("li");
      row.append(element("b", line.dataset.relation), element("span", memories[other].text));
      list.append(row);
    }
    for (const stub of stubs.filter((one) => one.dataset.source === id)) {
      const row = element("li", undefined, "lost");
      row.append(element("b", stub.dataset.relation), element("span", "forgotten"));
      list.append(row);
    }
    return list;
  };

  const light = (ids, ownLines, ownStubs) => {
    sea.classList.add("quiet");
    for (const dot of dots) dot.classList.toggle("lit", ids.has(dot.id));
    for (const label of labels) label.classList.toggle("lit", ids.has(label.dataset.of));
    for (const line of lines) line.classList.toggle("lit", ownLines.includes(line));
    for (const stub of stubs) stub.classList.toggle("lit", ownStubs(stub));
  };

  const look = (id) => {
    const near = lines.filter((line) => line.dataset.ends.split(" ").includes(id));
    light(new Set([id, ...near.flatMap((line) => line.dataset.ends.split(" "))]), near,
      (stub) => stub.dataset.source === id);
    card.replaceChildren(element("h2", id), element("p", memories[id].text),
      ...facts(memories[id]), ties(id, near));
    card.hidden = false;
  };

  const find = document.getElementById("find");
  const rest = () => {
    card.hidden = true;
    const wanted = find.value.trim().toLowerCase();
    if (!wanted) return sea.classList.remove("quiet");
    const found = dots.filter(({ id }) =>
      [memories[id].text, id, ...memories[id].keywords].some((text) => text.toLowerCase().includes(wanted)));
    return light(new Set(found.map((dot) => dot.id)), [], () => false);
  };
  find.addEventListener("input", rest);

  let pinned = null;
  for (const dot of dots) {
    dot.addEventListener("pointerenter", () => { if (!pinned && !grip) look(dot.id); });
    dot.addEventListener("pointerleave", () => { if (!pinned) rest(); });
    dot.addEventListener("focus", () => look(dot.id));
    dot.addEventListener("blur", () => { if (!pinned) rest(); });
  }

  const box = sea.viewBox.baseVal;
  const readable = 0.8; // pixels of the screen for one of the drawing
  const closer = () => { // on a small screen begin at the focus, so that its words can be read
    const scale = Math.min(sea.clientWidth / box.width, sea.clientHeight / box.height);
    const focus = sea.querySelectorAll(".dot.focus");
    if (scale >= readable || !focus.length) return;
    const at = [...focus].map((dot) => dot.transform.baseVal.getItem(0).matrix);
    const middle = (values) => (Math.min(...values) + Math.max(...values)) / 2;
    box.width = sea.clientWidth / readable;
    box.height = sea.clientHeight / readable;
    box.x = middle(at.map((dot) => dot.e)) - box.width / 2;
    box.y = middle(at.map((dot) => dot.f)) - box.height / 2;
  };
  if (window.innerWidth < 700) closer();
  const place = (event) => new DOMPoint(event.clientX, event.clientY)
    .matrixTransform(sea.getScreenCTM().inverse());
  let grip = null;
  sea.addEventListener("pointerdown", (event) => {
    grip = { at: place(event), x: event.clientX, y: event.clientY };
  });
  window.addEventListener("pointermove", (event) => {
    if (!grip) return;
    if (Math.hypot(event.clientX - grip.x, event.clientY - grip.y) > 3) sea.classList.add("moving");
    const now = place(event);
    box.x += grip.at.x - now.x;
    box.y += grip.at.y - now.y;
  });
  window.addEventListener("pointerup", (event) => {
    const moved = sea.classList.contains("moving");
    sea.classList.remove("moving");
    if (grip && !moved) {
      const dot = event.target.closest ? event.target.closest(".dot") : null;
      pinned = dot && pinned !== dot.id ? dot.id : null;
      if (pinned) look(pinned); else rest();
    }
    grip = null;
  });
  sea.addEventListener("wheel", (event) => {
    event.preventDefault();
    const by = Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 60) / 300);
    const at = place(event);
    box.x = at.x - (at.x - box.x) * by;
    box.y = at.y - (at.y - box.y) * by;
    box.width *= by;
    box.height *= by;
  }, { passive: false });
})();
