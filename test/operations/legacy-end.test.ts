import { afterEach, describe, expect, test } from "vitest";
import { type Rig, startRig } from "../support/emulator.ts";
import { uuid } from "./multipart.ts";

let rig: Rig;

afterEach(() => rig.close());

/** The clock of a rig stands at 2026-03-01T00:00:00Z. */
async function startWith(legacyEnd?: string): Promise<void> {
  rig = await startRig(legacyEnd === undefined ? {} : { legacy_end: legacyEnd });
  const row = { id: uuid(1), name: "step", run_type: "chain", session_name: "shop" };
  await rig.call("POST", "/runs", { ...row, start_time: "2026-02-28T00:00:00Z" });
}

const LEGACY = [
  ["POST", "/runs/query", { id: [uuid(1)] }],
  ["POST", "/api/v1/runs/query", { id: [uuid(1)] }],
  ["GET", `/runs/${uuid(1)}`, undefined],
] as const;

async function call(method: string, path: string, body?: object) {
  const { status, headers, text } = await rig.emulator
    .request(path, {
      method,
      headers: { "x-api-key": "key", "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    })
    .then(async (reply) => ({ status: reply.status, headers: reply.headers, text: await reply.text() }));
  return { status, deprecation: headers.get("deprecation"), sunset: headers.get("sunset"), text };
}

describe("operations that the service removes", () => {
  test.each(LEGACY)("%s %s are answered without a notice by default", async (method, path, body) => {
    await startWith();
    expect(await call(method, path, body)).toMatchObject({ status: 200, deprecation: null, sunset: null });
  });

  test.each(LEGACY)(
    "%s %s announce the end, and answer 410 from that instant",
    async (method, path, body) => {
      await startWith("2026-03-02");
      expect(await call(method, path, body)).toMatchObject({
        status: 200,
        deprecation: "true",
        sunset: "Mon, 02 Mar 2026 00:00:00 GMT",
      });
      await rig.emulator.clock.advance({ to: "2026-03-01T23:59:59.999Z" });
      expect((await call(method, path, body)).status).toBe(200);
      await rig.emulator.clock.advance({ to: "2026-03-02T00:00:00Z" });
      const removed = await call(method, path, body);
      expect(removed).toMatchObject({ status: 410, deprecation: null });
      expect(removed.text).toContain("/api/v2/runs/");
    },
  );

  test.each([
    ["POST", "/runs/stats", { id: [uuid(1)] }],
    ["GET", "/sessions", undefined],
    ["PATCH", `/runs/${uuid(1)}`, { name: "other" }],
    ["POST", "/api/v2/runs/query", { project_ids: [uuid(5)] }],
  ])("do not include %s %s", async (method, path, body) => {
    await startWith("2026-03-01T00:00:00Z");
    const reply = await call(method, path, body);
    expect(reply.status).toBeLessThan(300);
    expect(reply.deprecation).toBeNull();
  });
});
