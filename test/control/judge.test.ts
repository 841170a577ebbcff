import { describe, expect, it } from "vitest";
import type { RecordedRequest } from "../../emulator/subjects/recording.ts";
import { startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

const rig = useRig("file", () => startRig({}));

interface Answer {
  readonly verdict: string;
  readonly findings: readonly Record<string, unknown>[];
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
}

const judged = async (line: object) =>
  (await rig.call<Answer>("POST", "/_emulator/v1/recording/check", line)).body;

async function recorded(): Promise<readonly RecordedRequest[]> {
  const [, ...lines] = await rig.emulator.control<readonly RecordedRequest[]>("GET", "/recording");
  return lines;
}

describe("the check of one exchange", () => {
  it("accepts all replies of the emulator, refusals included, and is not recorded", async () => {
    await rig.call("POST", "/threads", {});
    await rig.call("GET", "/threads/00000000-0000-4000-8000-00000000dead");
    await rig.call("POST", "/runs/query", { session: 1 });
    const lines = await recorded();
    expect(lines.map(({ status }) => status)).toEqual([200, 404, 422]);
    for (const line of lines) expect(await judged(line)).toEqual({ verdict: "PASS", findings: [] });
    expect(await recorded()).toEqual(lines);
  });

  it("reports the mistake of a wrong reply, its requirement, and who caused it", async () => {
    const exchange = { method: "POST", path: "/threads", status: 200 };
    const { verdict, findings } = await judged({ ...exchange, reply: '{"thread_id":3}' });
    expect(verdict).toBe("FAIL");
    expect(findings).toContainEqual(
      expect.objectContaining({
        verdict: "FAIL",
        blame: "target",
        requirement: "2.2-1",
        text: expect.stringContaining("created_at"),
        actual: { thread_id: 3 },
      }),
    );
    expect((await judged({ ...exchange, reply: "no JSON" })).verdict).toBe("FAIL");
    const deep = await judged({ ...exchange, reply: "[".repeat(100_000) });
    expect(deep.findings).toMatchObject([
      { verdict: "UNSUPPORTED", text: expect.stringContaining("500 levels") },
    ]);
  });

  it("refuses an exchange that it cannot check, and names the next step", async () => {
    const of = { method: "GET", path: "/elsewhere", status: 200, reply: "" };
    expect((await judged(of)).error).toMatchObject({
      code: "not_of_this_api",
      hint: "GET /openapi.json lists the operations.",
    });
    for (const path of ["/threads/%zz", "/threads/%", "/threads/%ff"])
      expect((await judged({ ...of, path })).error?.code).toBe("not_of_this_api");
    expect((await judged({ ...of, reply: null })).error?.code).toBe("invalid_request");
    expect((await judged({ ...of, status: 20 })).error?.code).toBe("invalid_request");
    expect((await judged({ ...of, more: 1 })).error?.message).toContain("body.more: is not a known field");
  });
});

describe("a recording", () => {
  it("has completed advances, but no dry runs", async () => {
    const before = (await recorded()).length;
    await rig.emulator.control("POST", "/clock/advance?dry_run=1", { next: 1 });
    await rig.emulator.control("POST", "/clock/advance", { by: "PT1S" });
    const added = (await recorded()).slice(before);
    expect(added.map(({ path, query }) => `${path}?${query}`)).toEqual(["/_emulator/v1/clock/advance?"]);
  });
});
