/**
 * A client that relies on three things that the specification leaves open: that runs are listed newest first, that
 * threads have `interrupts`, and that no request is limited.
 */
const { EMULATOR_URL } = process.env;
const HEADERS = {
  "content-type": "application/json",
  "x-api-key": "emulator-key",
  "x-tenant-id": "00000000-0000-4000-8000-000000000001",
};

async function call(method, path, body) {
  const init = { method, headers: HEADERS, ...(body && { body: JSON.stringify(body) }) };
  const reply = await fetch(EMULATOR_URL + path, init);
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status}`);
  return reply.json();
}

const advance = (by) => call("POST", "/_emulator/v1/clock/advance", { by });

const { thread_id } = await call("POST", "/threads", {});
let newest;
for (let nth = 0; nth < 2; nth += 1) {
  newest = await call("POST", `/threads/${thread_id}/runs`, {
    assistant_id: "agent",
    multitask_strategy: "enqueue",
  });
  await advance("PT1H");
}
const [first] = await call("GET", `/threads/${thread_id}/runs?limit=1`);
if (first.run_id !== newest.run_id) throw new Error("the first run of the list is not the newest");

const { interrupts } = await call("GET", `/threads/${thread_id}`);
if (Object.keys(interrupts).length > 0) throw new Error("the thread is interrupted");
