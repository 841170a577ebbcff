// The calls of the quick starts and guides of the JavaScript agent client.
import { Client } from "@langchain/langgraph-sdk";
import { step } from "./step.mjs";

const client = new Client({ apiUrl: process.env.LANGGRAPH_API_URL });
const input = { messages: [{ role: "user", content: "hello" }] };

async function all(items) {
  const list = [];
  for await (const item of items) list.push(item);
  return list;
}

const [assistant] = (await step("assistants.search", () => client.assistants.search())) ?? [];
await step("assistants.get", () => client.assistants.get(assistant.assistant_id));
await step("assistants.count", () => client.assistants.count());
await step("assistants.getGraph", () => client.assistants.getGraph(assistant.assistant_id));
await step("assistants.getSchemas", () => client.assistants.getSchemas(assistant.assistant_id));
await step("assistants.getVersions", () => client.assistants.getVersions(assistant.assistant_id));
const made = await step("assistants.create", () =>
  client.assistants.create({ graphId: "agent", name: "Mine" }),
);
await step("assistants.update", () => client.assistants.update(made.assistant_id, { name: "Yours" }));
await step("assistants.delete", () => client.assistants.delete(made.assistant_id));
const thread = await step("threads.create", () => client.threads.create());
const id = thread.thread_id;
await step("runs.wait", () => client.runs.wait(id, "agent", { input }));
for (const streamMode of ["values", "updates", "messages", "messages-tuple", "events", "debug", "custom"])
  await step(`runs.stream ${streamMode}`, () => all(client.runs.stream(id, "agent", { input, streamMode })));
await step("runs.stream without a thread", () => all(client.runs.stream(null, "agent", { input })));
const run = await step("runs.create", () => client.runs.create(id, "agent", { input }));
await step("runs.joinStream", () => all(client.runs.joinStream(id, run.run_id)));
await step("runs.join", () => client.runs.join(id, run.run_id));
await step("runs.get", () => client.runs.get(id, run.run_id));
await step("runs.list", () => client.runs.list(id));
await step("runs.cancel", () => client.runs.cancel(id, run.run_id));
await step("runs.delete", () => client.runs.delete(id, run.run_id));
await step("runs.createBatch", () => client.runs.createBatch([{ assistantId: "agent", input }]));
await step("threads.get", () => client.threads.get(id));
await step("threads.search", () => client.threads.search());
await step("threads.count", () => client.threads.count());
await step("threads.update", () => client.threads.update(id, { metadata: { a: 1 } }));
await step("threads.getState", () => client.threads.getState(id));
await step("threads.updateState", () => client.threads.updateState(id, { values: { a: 1 } }));
await step("threads.getHistory", () => client.threads.getHistory(id));
const copy = await step("threads.copy", () => client.threads.copy(id));
await step("threads.delete", () => client.threads.delete((copy ?? thread).thread_id));
const cron = await step("crons.create", () => client.crons.create("agent", { schedule: "0 0 * * *", input }));
await step("crons.search", () => client.crons.search());
await step("crons.count", () => client.crons.count());
await step("crons.update", () => client.crons.update(cron.cron_id, { enabled: false }));
await step("crons.delete", () => client.crons.delete(cron.cron_id));
await step("store.putItem", () => client.store.putItem(["notes"], "one", { text: "hi" }));
await step("store.searchItems", () => client.store.searchItems(["notes"]));
