import { expect, it } from "vitest";
import { startRig } from "../support/emulator.ts";

const ROW = "00000000-0000-4000-8000-000000000001";
const PROJECT = "00000000-0000-4000-8000-000000000005";

const LEGACY = [
  ["POST", "/runs/query", { id: [ROW] }],
  ["POST", "/api/v1/runs/query", { id: [ROW] }],
  ["GET", `/runs/${ROW}`, undefined],
] as const;

const OTHERS = [
  ["POST", "/runs/stats", { id: [ROW] }],
  ["GET", "/sessions", undefined],
  ["PATCH", `/runs/${ROW}`, { name: "other" }],
  ["POST", "/api/v2/runs/query", { project_ids: [PROJECT] }],
] as const;

it("operations that the service removes announce it, and are answered with 410 from legacy_end on", async () => {
  const rig = await startRig({ legacy_end: "2026-03-02" });
  const row = { id: ROW, name: "step", run_type: "chain", start_time: "2026-02-28T00:00:00Z" };
  await rig.call("POST", "/runs", { ...row, session_id: PROJECT });
  const repliesTo = (calls: typeof LEGACY | typeof OTHERS) =>
    Promise.all(
      calls.map(async ([method, path, body]) => {
        const { status, header } = await rig.call(method, path, body);
        return [status, header("deprecation"), header("sunset")];
      }),
    );
  const announced = [200, "true", "Mon, 02 Mar 2026 00:00:00 GMT"];
  expect(await repliesTo(LEGACY)).toEqual(Array(3).fill(announced));
  await rig.emulator.clock.advance({ to: "2026-03-01T23:59:59.999Z" });
  expect(await repliesTo(LEGACY)).toEqual(Array(3).fill(announced));
  await rig.emulator.clock.advance({ to: "2026-03-02T00:00:00Z" });
  expect(await repliesTo(LEGACY)).toEqual(Array(3).fill([410, undefined, undefined]));
  const removed = await rig.call("GET", `/runs/${ROW}`);
  expect(JSON.stringify(removed.body)).toContain("/api/v2/runs/");
  expect(await repliesTo(OTHERS)).toEqual(
    OTHERS.map(([method]) => [method === "PATCH" ? 202 : 200, undefined, undefined]),
  );
  await rig.close();
});

it("without legacy_end nothing announces a removal", async () => {
  const rig = await startRig();
  const { status, header } = await rig.call("POST", "/runs/query", { id: [ROW] });
  expect([status, header("deprecation")]).toEqual([200, undefined]);
  await rig.close();
});
