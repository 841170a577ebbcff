// What the comparison of shapes requests from each server, and the shapes of the replies.
import { once } from "node:events";
import { createServer } from "node:http";
import { json as readJson } from "node:stream/consumers";

const SAID = { messages: [{ role: "user", content: "hi" }] };
const MODES = ["values", "updates", "messages", "messages-tuple", "debug", "tasks", "checkpoints"];
const ASKED = { assistant_id: "interrupting", input: { topic: "a" } };
const KINDS = [
  ["uuid", /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
  ["hash", /^[0-9a-f]{32}$/],
  ["id of a model's message", /^run-[0-9a-f-]{36}$/],
  ["time", /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/],
];

/** The members of all replies of a server, by path, with their types. */
export async function shapesOf(url) {
  const shapes = new Map();
  const add = (name, value) => addShape(shapes, name, value);
  const call = async (method, path, body) => {
    const reply = await fetch(url + path, {
      method,
      headers: { "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
    return text;
  };
  const json = async (...words) => JSON.parse(await call(...words));
  const thread = async () => (await json("POST", "/threads", {})).thread_id;

  add("assistant", (await json("POST", "/assistants/search", { graph_id: "echo" }))[0]);
  add("new thread", await json("POST", "/threads", {}));
  const id = await thread();
  const sent = {
    assistant_id: "echo",
    input: SAID,
    metadata: { team: "a" },
    config: { tags: ["t"], recursion_limit: 25 },
  };
  const created = await json("POST", `/threads/${id}/runs`, sent);
  add("new run", created);
  add("outcome", await json("GET", `/threads/${id}/runs/${created.run_id}/join`));
  add("ended run", await json("GET", `/threads/${id}/runs/${created.run_id}`));
  await addThread(add, json, "thread", id);
  const stream = await call("POST", `/threads/${id}/runs/stream`, { ...sent, stream_mode: MODES });
  for (const { event, data } of eventsIn(stream)) add(`event ${event}`, data);

  const asked = await thread();
  add("interrupted outcome", await json("POST", `/threads/${asked}/runs/wait`, ASKED));
  await addThread(add, json, "interrupted thread", asked);
  const answer = { assistant_id: "interrupting", command: { resume: "yes" } };
  add("resumed outcome", await json("POST", `/threads/${asked}/runs/wait`, answer));
  const failed = await thread();
  add(
    "failed outcome",
    await json("POST", `/threads/${failed}/runs/wait`, { assistant_id: "failing", input: SAID }),
  );
  await addThread(add, json, "failed thread", failed);
  add(
    "webhook",
    await webhookOf((webhook) => call("POST", `/threads/${id}/runs/wait`, { ...sent, webhook })),
  );
  return shapes;
}

async function addThread(add, json, name, id) {
  add(name, await json("GET", `/threads/${id}`));
  add(`${name} state`, await json("GET", `/threads/${id}/state`));
  for (const state of await json("GET", `/threads/${id}/history`)) add(`${name} history`, state);
}

function addShape(shapes, path, value) {
  const type = typeOf(value);
  shapes.set(path, (shapes.get(path) ?? new Set()).add(type));
  if (type === "list") for (const item of value) addShape(shapes, `${path}[]`, item);
  else if (type === "object")
    for (const [name, member] of Object.entries(value))
      addShape(shapes, `${path}.${typeOf(name) === "string" ? name : "{id}"}`, member);
}

function typeOf(value) {
  if (value === null) return "null";
  if (typeof value === "string") return KINDS.find(([, pattern]) => pattern.test(value))?.[0] ?? "string";
  return Array.isArray(value) ? "list" : typeof value;
}

function* eventsIn(text) {
  for (const block of text.split(/\r?\n\r?\n/)) {
    const fields = Object.fromEntries(
      block
        .split(/\r?\n/)
        .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
    );
    if (fields.event !== undefined && fields.data)
      yield { event: fields.event, data: JSON.parse(fields.data) };
  }
}

/** The body that a webhook receives. */
async function webhookOf(send) {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const received = once(server, "request");
  const [, [request, response]] = await Promise.all([
    send(`http://127.0.0.1:${server.address().port}/hook`),
    received,
  ]);
  const body = await readJson(request);
  response.end();
  server.close();
  return body;
}
