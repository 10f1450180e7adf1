// The frame of the page: signing in, choosing an agent, going from view to view, being told.

import * as api from "./api.js";
import {
  LANGUAGES, html, render, speak, spoken, t, useCallback, useEffect, useMemo, useRef, useState,
} from "./base.js";
import { Facts } from "./facts.js";
import { Forgetting } from "./forgetting.js";
import { Home } from "./home.js";
import { Journal } from "./journal.js";
import { Memory } from "./memory.js";
import { Network } from "./network.js";
import { Notebook } from "./notebook.js";
import { Operations } from "./operations.js";
import { Search } from "./search.js";
import { Glossary } from "./terms.js";
import { Time } from "./time.js";
import { Here, said } from "./ui.js";

const VIEWS = {
  home: Home, search: Search, facts: Facts, network: Network, time: Time, forgetting: Forgetting,
  journal: Journal, notebook: Notebook, operations: Operations, memory: Memory, words: Glossary,
};
const MENU = Object.keys(VIEWS).filter((name) => name !== "memory" && name !== "words");
const SETTLE = 300; // milliseconds in which events are gathered
const MANY = 10000; // agents
const TOLD = 6000; // milliseconds for which a message stays
const MARKS = {
  home: "◎", search: "⌕", facts: "❖", network: "⁂", time: "◷", forgetting: "≈", journal: "☰",
  notebook: "✎", operations: "⚙",
};

const chosen = {
  get: (name, otherwise) => localStorage.getItem(`wangchuan.${name}`) ?? otherwise,
  set: (name, value) => localStorage.setItem(`wangchuan.${name}`, value),
};

async function learn(language) {
  const answer = await fetch(`/page/${language}.json`);
  speak(language, await answer.json());
}

function shade(theme) {
  document.documentElement.dataset.theme = theme;
}

// `#/agent/view/id?name=value`
function read(hash) {
  const [path, search = ""] = hash.replace(/^#\/?/, "").split("?");
  const [agent = "", view = "home", id = ""] = path.split("/").map(decodeURIComponent);
  return { agent, view: view || "home", id, given: Object.fromEntries(new URLSearchParams(search)) };
}

export function address(agent, view = "home", id = "", given = {}) {
  const path = [agent, view, id].filter((part, n) => part || n < 1).map(encodeURIComponent);
  const pairs = Object.entries(given).filter(([, value]) => value !== "" && value !== null);
  return `#/${path.join("/")}${pairs.length ? `?${new URLSearchParams(pairs)}` : ""}`;
}

function useRoute() {
  const [route, setRoute] = useState(read(location.hash));
  useEffect(() => {
    const moved = () => setRoute(read(location.hash));
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  return route;
}

function SignIn({ trouble, enter }) {
  const [token, setToken] = useState("");
  const submit = (event) => {
    event.preventDefault();
    enter(token);
  };
  return html`<main class="door">
    <h1><span lang="zh">忘川</span> Wangchuan</h1>
    <p>${t("door.what")}</p>
    <form onSubmit=${submit}>
      <label class="field"><span>${t("door.token")}</span>
        <input type="password" autocomplete="off" required value=${token}
          onInput=${(event) => setToken(event.target.value)} /></label>
      <button class="primary">${t("door.enter")}</button>
    </form>
    ${trouble && html`<p class="trouble" role="alert">${trouble}</p>`}
    <p class="quiet">${t("door.how")} <code>wangchuan ui</code> · <code>wangchuan token add</code></p>
    <p class="quiet"><a href="/openapi.json">/openapi.json</a></p>
    <${Choices} />
  </main>`;
}

// Language and light: kept in this browser.
function Choices() {
  const change = (name) => (event) => {
    chosen.set(name, event.target.value);
    dispatchEvent(new Event("chosen"));
  };
  return html`<div class="choices">
    <label><span class="hidden">${t("choose.language")}</span>
      <select name="language" value=${spoken()} onChange=${change("language")}>
        ${LANGUAGES.map((one) => html`<option value=${one} selected=${one === spoken()}>
          ${{ en: "English", zh: "中文" }[one]}</option>`)}
      </select></label>
    <label><span class="hidden">${t("choose.light")}</span>
      <select name="theme" value=${chosen.get("theme", "auto")} onChange=${change("theme")}>
        ${["auto", "light", "dark"].map((one) => html`<option value=${one}>${t(`light.${one}`)}</option>`)}
      </select></label>
  </div>`;
}

function Menu({ agent, view, agents, leave, live, children }) {
  const current = view === "memory" ? "" : view;
  const go = (event) => { location.hash = address(event.target.value, current || "home"); };
  return html`<nav class="menu" aria-label=${t("menu")}>
    <a class="brand" href=${address(agent)}><span lang="zh">忘川</span> <small>Wangchuan</small></a>
    <label class="agent"><span>${t("agent")}</span>
      <select value=${agent} onChange=${go}>
        ${agents.map((one) => html`<option value=${one} selected=${one === agent}>${one}</option>`)}
      </select></label>
    <ul>${MENU.map((name) => html`<li>
      <a href=${address(agent, name)} aria-current=${name === current ? "page" : null}>
        <span aria-hidden="true">${MARKS[name]}</span>${t(`menu.${name}`)}</a></li>`)}
    </ul>
    ${children}
    <div class="foot">
      ${live !== null && html`<p class=${live ? "live" : "live off"}>${t(live ? "live" : "live.off")}</p>`}
      <a href=${address(agent, "words")} aria-current=${view === "words" ? "page" : null}>${t("menu.words")}</a>
      <${Choices} />
      <button class="link" onClick=${leave}>${t("leave")}</button>
    </div>
  </nav>`;
}

function Told({ message, close }) {
  useEffect(() => {
    if (!message) return undefined;
    const timer = setTimeout(close, TOLD);
    return () => clearTimeout(timer);
  }, [message]);
  const act = async () => {
    close();
    await message.action();
  };
  return html`<div class="told" role="status" aria-live="polite">
    ${message && html`<p class=${message.tone ?? ""}>
      <span>${message.text}</span>
      ${message.action && html`<button class="link" onClick=${act}>${message.label}</button>`}
      <button class="link" aria-label=${t("close")} onClick=${close}>✕</button>
    </p>`}
  </div>`;
}

// Counts what happens in an agent's memory; whoever shows something asks again when it moves.
function useVersion(memory, ready) {
  const [version, setVersion] = useState(0);
  const [live, setLive] = useState(null); // null: not yet
  useEffect(() => {
    if (!memory || !ready) return undefined;
    let timer = null;
    let missed = false;
    const heard = () => {
      timer ??= setTimeout(() => { timer = null; setVersion((n) => n + 1); }, SETTLE);
    };
    const stop = memory.listen(heard, (open) => {
      setLive(open);
      if (open && missed) heard(); // what happened meanwhile
      missed = !open;
    });
    return () => { clearTimeout(timer); stop(); };
  }, [memory, ready]);
  return [version, live, useCallback(() => setVersion((n) => n + 1), [])];
}

function Inside({ me, agents, lost, vanished, leave }) {
  const route = useRoute();
  const agent = agents.includes(route.agent) ? route.agent : (agents[0] ?? "");
  const memory = useMemo(() => (agent ? api.of(agent) : null), [agent]);
  const [version, live, changed] = useVersion(memory, Boolean(agent));
  const [message, setMessage] = useState(null);
  const [above, setAbove] = useState(null); // a dialog that outlives its view
  const main = useRef(null);
  const place = `${agent}/${route.view}/${route.id}`;
  const before = useRef(place);
  useEffect(() => {
    if (before.current === place) return;
    before.current = place;
    main.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
    setMessage((told) => (told?.follows ? { ...told, follows: false } : null));
  }, [place]);
  const here = useMemo(() => ({
    me, memory, agent, agents, version, changed, lost, vanished,
    may: (right) => me.rights.includes(right),
    over: (draw) => setAbove({ draw }),
    tell: (text, more = {}) => setMessage({ text, ...more }),
    href: (view, id, given) => address(agent, view, id, given),
    go: (view, id, given) => { location.hash = address(agent, view, id, given); },
  }), [me, memory, agents, version]);
  const View = VIEWS[route.view] ?? Home;
  useEffect(() => {
    document.title = `${t(`menu.${VIEWS[route.view] ? route.view : "home"}`)} · ${agent} · 忘川`;
  });
  if (!agent) {
    return html`<main class="door"><h1><span lang="zh">忘川</span></h1><p>${t("nobody")}</p>
      <p><code>wangchuan remember "…"</code></p>
      <button class="link" onClick=${leave}>${t("leave")}</button></main>`;
  }
  return html`<${Here.Provider} value=${here}>
    <a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); main.current.focus(); }}>
      ${t("skip")}</a>
    <${Menu} agent=${agent} view=${route.view} agents=${agents} leave=${leave} live=${live}>
      <${Told} message=${message} close=${() => setMessage(null)} /><//>
    <main id="main" tabindex="-1" ref=${main} key=${`${agent}/${route.view}/${route.id}`}>
      ${route.agent && route.agent !== agent
        ? html`<div class="view"><h1 dir="auto">${route.agent}</h1><p>${t("agent.none")}</p>
          <p><a class="button" href=${address(agent)} dir="auto">${agent}</a></p></div>`
        : html`<${View} id=${route.id} given=${route.given} />`}
    </main>
    ${above?.draw(() => setAbove(null))}
  <//>`;
}

function App() {
  const [state, setState] = useState({ begun: false });
  const [, setChosen] = useState(0);
  const enter = async (token) => {
    try {
      const me = token ? await api.signIn(token) : await api.session();
      setState({ begun: true, me, agents: me ? await everyone() : [] });
    } catch (error) {
      setState({ begun: true, trouble: error.status ? t("door.refused") : said("the server cannot be reached") });
    }
  };
  useEffect(() => {
    const arrive = (event) => {
      const { token, rest } = oneTime();
      if (token) history.replaceState(null, "", `${location.pathname}#/${rest}`);
      if (token || !event) enter(token);
    };
    arrive(null);
    addEventListener("hashchange", arrive);
    const redo = async () => {
      shade(chosen.get("theme", "auto"));
      await learn(chosen.get("language", spoken()));
      setChosen((n) => n + 1);
    };
    addEventListener("chosen", redo);
    return () => {
      removeEventListener("chosen", redo);
      removeEventListener("hashchange", arrive);
    };
  }, []);
  const leave = async () => {
    await api.signOut();
    setState({ begun: true });
  };
  if (!state.begun) return html`<main class="door"><p class="quiet">${t("loading")}</p></main>`;
  if (!state.me) return html`<${SignIn} trouble=${state.trouble} enter=${enter} />`;
  const lost = () => setState({ begun: true, trouble: t("door.over") });
  const vanished = async () => setState({ ...state, agents: await everyone() }); // erased elsewhere
  return html`<${Inside} key=${spoken()} me=${state.me} agents=${state.agents} lost=${lost} vanished=${vanished} leave=${leave} />`;
}

// All agents that may be seen, of very many the first.
async function everyone() {
  const found = [];
  let cursor = null;
  do {
    const page = await api.agents({ limit: 200, cursor });
    found.push(...page.items);
    cursor = page.next;
  } while (cursor && found.length < MANY);
  return found;
}

// The one-time token of a link, `#token=…&to=agent`, which is taken out of the address at once.
function oneTime() {
  if (!location.hash.startsWith("#token=")) return { token: "", rest: "" };
  const given = new URLSearchParams(location.hash.slice(1));
  return { token: given.get("token"), rest: encodeURIComponent(given.get("to") ?? "") };
}

const wanted = navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
shade(chosen.get("theme", "auto"));
learn(chosen.get("language", wanted)).then(() => {
  render(html`<${App} />`, document.getElementById("page"));
});
