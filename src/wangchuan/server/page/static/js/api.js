// Asking the server: the REST surface and the stream of events, nothing else.

export class Problem extends Error {
  constructor(status, type, message) {
    super(message);
    this.status = status;
    this.type = type;
  }
}

async function ask(method, path, body) {
  const headers = body === undefined ? {} : { "Content-Type": "application/json" };
  const sent = body === undefined ? undefined : JSON.stringify(body);
  let answer;
  try {
    answer = await fetch(path, { method, headers, body: sent });
  } catch {
    throw new Problem(0, "Unreachable", "the server cannot be reached");
  }
  const told = await answer.json().catch(() => ({}));
  if (answer.ok) return told;
  const { type = "InternalError", message = answer.statusText } = told.error ?? {};
  throw new Problem(answer.status, type, message);
}

export const signIn = (token) => ask("POST", "/page/sign-in", { token });
export const signOut = () => ask("POST", "/page/sign-out", {});
export const session = async () => (await ask("GET", "/page/session")).me;

function query(given) {
  const pairs = Object.entries(given ?? {}).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [value].flat().map((one) => [name, one]),
  );
  return pairs.length ? `?${new URLSearchParams(pairs)}` : "";
}

export const agents = (given) => ask("GET", `/v1/agents${query(given)}`);

const escaped = (path) => path.split("/").map(encodeURIComponent).join("/");

// What can be asked of one agent: look(path, query) and act(path, body).
export function of(agent) {
  const place = `/v1/agents/${encodeURIComponent(agent)}`;
  const look = (path, given) => ask("GET", `${place}/${escaped(path)}${query(given)}`);
  return {
    agent, look,
    named: together((ids) => look("names", { ids })),
    act: (path, body = {}) => ask("POST", `${place}/${escaped(path)}`, body),
    exported: (format) => `${place}/export${query({ format })}`,
    listen: (heard, state) => listen(`${place}/events`, heard, state),
  };
}

const MOST = 200; // names that are asked for at once

// What one id after another is asked for, in one question.
function together(question) {
  let open = null;
  return async (id) => {
    open ??= { ids: new Set(), told: Promise.resolve().then(() => {
      const ids = [...open.ids].slice(0, MOST);
      open = null;
      return question(ids);
    }) };
    open.ids.add(id);
    const { items } = await open.told;
    return items.find((one) => one.id === id)?.text;
  };
}

const NAMES = [
  "accepted", "boosted", "budget_spent", "compressed", "degraded", "embedded", "erased", "failed",
  "forgotten", "kept", "learned", "merged", "noted", "promoted", "queue_full", "restored", "stored",
  "ticked", "undone", "verified",
];

// Call `heard` with the name of everything that happens; returns how to stop it.
function listen(path, heard, state) {
  const stream = new EventSource(path);
  for (const name of NAMES) stream.addEventListener(name, () => heard(name));
  stream.onopen = () => state(true);
  stream.onerror = () => state(false);
  return () => stream.close();
}
