import { expect, it } from "vitest";
import type { Causes } from "../../emulator/subjects/causes.ts";
import { startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

const rig = useRig("test", () => startRig());

const create = async (ttl: unknown) => rig.call<{ thread_id: string }>("POST", "/threads", { ttl });
const statusOf = async (id: string) => (await rig.call("GET", `/threads/${id}`)).status;

it("POST and PATCH /threads set a ttl, which GET and the control API show", async () => {
  const { thread_id } = (await create({ ttl: 60, strategy: "delete" })).body;
  const path = `/threads/${thread_id}`;
  const viewOf = (strategy: string, minutes: number, time: string) => ({
    strategy,
    ttl_minutes: minutes,
    expires_at: `2026-03-01T${time}.000000Z`,
  });
  expect((await rig.call("GET", path)).body).toHaveProperty("ttl", viewOf("delete", 60, "01:00:00"));
  await rig.emulator.clock.advance("PT10M");
  const changed = await rig.call("PATCH", path, { ttl: { ttl: 1.5, strategy: "keep_latest" } });
  expect(changed.body).toHaveProperty("ttl", viewOf("keep_latest", 1.5, "00:11:30"));
  expect(await rig.emulator.control("GET", "/agent/threads")).toEqual([
    expect.objectContaining({ ttl: { strategy: "keep_latest", expires_at: "2026-03-01T00:11:30.000000Z" } }),
  ]);
  expect((await create(null)).body).not.toHaveProperty("ttl");
});

it("why reports when the ttl removed a thread, and the request that set it", async () => {
  const { thread_id } = (await create({ ttl: 5 })).body;
  const { fired } = await rig.emulator.clock.advance("PT6M");
  expect(fired).toEqual([expect.objectContaining({ kind: "agent_thread.expire" })]);
  expect(await statusOf(thread_id)).toBe(404);
  const { chain } = (await rig.emulator.control("GET", `/why/${thread_id}`)) as Causes;
  expect(chain).toMatchObject([
    {
      now: "2026-03-01T00:05:00.000000Z",
      cause: { name: "agent_thread.expire" },
      notes: [
        {
          kind: "agent_thread.expired",
          ref: thread_id,
          detail: { strategy: "delete", ttl_minutes: 5, expired_at: "2026-03-01T00:05:00.000000Z" },
        },
      ],
      because: { kind: "agent_thread.expire" },
    },
    {
      cause: { name: "createThread" },
      notes: [
        {
          kind: "agent_thread.ttl_set",
          ref: thread_id,
          detail: { strategy: "delete", ttl_minutes: 5, expires_at: "2026-03-01T00:05:00.000000Z" },
        },
      ],
    },
  ]);
});

it("a fork before the end has the thread and its ttl", async () => {
  const { thread_id } = (await create({ ttl: 5 })).body;
  await rig.emulator.clock.advance("PT6M");
  await rig.emulator.control("POST", "/worlds", { id: "before", from: "main", at: "2026-03-01T00:04:00Z" });
  const inFork = (path: string) => fetch(`${rig.emulator.url}/w/before${path}`);
  expect([await statusOf(thread_id), (await inFork(`/threads/${thread_id}`)).status]).toEqual([404, 200]);
});

it.each([
  5,
  "5",
  {},
  { ttl: 0 },
  { ttl: -1 },
  { ttl: "5" },
  { ttl: 1e9 },
  { ttl: 5, strategy: "archive" },
  [],
])("an invalid ttl is a 422 in both requests: %j", async (ttl) => {
  const { thread_id } = (await create(null)).body;
  const replies = [await create(ttl), await rig.call("PATCH", `/threads/${thread_id}`, { ttl })];
  for (const { status, body } of replies)
    expect([status, body]).toEqual([422, expect.stringContaining("ttl")]);
});
