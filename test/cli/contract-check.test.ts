import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 as Ajv } from "ajv/dist/2020.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { startEmulator } from "../../emulator/runtime/index.ts";
import { run } from "../support/command-line.ts";
import { workingFolder } from "../support/emulator-process.ts";

const THREAD = "0a91a355-8a88-422c-9546-72c183b95b5c";
const SECRET = "lsv2_pt_0123456789abcdef";
const LINE = {
  region: "us",
  method: "GET",
  query: "",
  headers: { "x-api-key": SECRET },
  body: null,
  status: 200,
};

/** The parts that HAR 1.2 requires, transcribed from its description. */
const text = { type: "string" };
const count = { type: "integer" };
const list = (items: object) => ({ type: "array", items });
const object = (properties: object) => ({ type: "object", properties, required: Object.keys(properties) });
const pairs = list(object({ name: text, value: text }));
const message = { httpVersion: text, cookies: list({}), headers: pairs, headersSize: count, bodySize: count };
const HAR = object({
  log: object({
    version: { const: "1.2" },
    creator: object({ name: text, version: text }),
    entries: list(
      object({
        startedDateTime: {
          type: "string",
          pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$`,
        },
        time: { type: "number", minimum: 0 },
        request: {
          ...object({
            ...message,
            method: text,
            url: { type: "string", pattern: "^https?://" },
            queryString: pairs,
          }),
        },
        response: object({
          ...message,
          status: count,
          statusText: text,
          redirectURL: text,
          content: object({ size: count, mimeType: text }),
        }),
        cache: object({}),
        timings: object({ send: count, wait: count, receive: count }),
      }),
    ),
  }),
});

function fileWith(lines: readonly object[]): string {
  const cwd = workingFolder();
  writeFileSync(join(cwd, "seen.jsonl"), lines.map((line) => JSON.stringify(line)).join("\n"));
  return cwd;
}

const check = (cwd: string, ...words: readonly string[]) => run(["contract", "check", ...words], { cwd });

describe("emulator contract check", () => {
  it("exits with 0 for right exchanges, with 1 for a violation or when nothing was checked", async () => {
    const right = { ...LINE, path: `/threads/${THREAD}/runs`, reply: "[]" };
    const wrong = {
      ...right,
      query: "select=run_id",
      reply: JSON.stringify([{ run_id: THREAD, note: SECRET, status: "error" }]),
    };
    expect((await check(fileWith([right]), "seen.jsonl")).code).toBe(0);
    const cwd = fileWith([right, wrong]);
    const { code, stdout } = await check(cwd, "seen.jsonl");
    expect(stdout).toContain("each run has only the selected fields (4.1/seen.jsonl:2)");
    expect(stdout).toContain("seen.jsonl: 1 PASS · 1 FAIL");
    expect(stdout).not.toContain(SECRET);
    expect(code).toBe(1);
    const { stdout: json } = await check(cwd, "seen.jsonl", "--json");
    expect(JSON.parse(json)).toMatchObject({
      ok: false,
      counts: { PASS: 1, FAIL: 1 },
      recorded: { exchanges: 2 },
    });
    const elsewhere = await check(cwd, "seen.jsonl", "--target", "https://api.test");
    expect(elsewhere.stdout).toContain("No exchange was checked.");
    expect(elsewhere.code).toBe(1);
  });

  it("refuses files that it cannot read, and names the limit of their size", async () => {
    const cwd = fileWith([{ method: "GET" }]);
    expect(await check(cwd, "seen.jsonl")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("seen.jsonl: line 1 has no method, path or status"),
    });
    writeFileSync(join(cwd, "small.yaml"), "limits:\n  recording_file_bytes: 10\n");
    const large = await check(cwd, "seen.jsonl", "--config", "small.yaml");
    expect(large.stderr).toContain("at most 10 are read (limits.recording_file_bytes)");
    expect(large.code).toBe(2);
  });
});

describe("emulator record --har", () => {
  it("writes a valid HAR file of a world, without secrets, which contract check accepts", async () => {
    const emulator = await startEmulator({ clock: "frozen" });
    onTestFinished(() => emulator.close());
    const json = { "content-type": "application/json", "x-api-key": SECRET };
    const post = (path: string, body: object) =>
      fetch(emulator.url + path, { method: "POST", headers: json, body: JSON.stringify(body) });
    const { thread_id } = (await (await post("/threads", {})).json()) as { readonly thread_id: string };
    await (
      await post(`/threads/${thread_id}/runs`, {
        assistant_id: "echo",
        webhook: `https://x.test/?token=${SECRET}`,
      })
    ).text();
    await (await fetch(`${emulator.url}/threads/${thread_id}/runs?limit=5&select=run_id`)).text();
    const cwd = workingFolder();
    const record = () => run(["record", "--url", emulator.url, "--har", "seen.har"], { cwd });
    const { code, stdout } = await record();
    expect(stdout).toBe("seen.har: 3 exchanges; check them with `npx emulator contract check seen.har`\n");
    expect(code).toBe(0);
    const written = readFileSync(join(cwd, "seen.har"), "utf8");
    const ajv = new Ajv({ allErrors: true, strict: false });
    expect(ajv.validate(HAR, JSON.parse(written)) ? [] : ajv.errors).toEqual([]);
    expect(written).not.toContain(SECRET);
    const checked = await check(cwd, "seen.har");
    expect(checked.stdout).toContain("seen.har: 3 PASS");
    expect(checked.code).toBe(0);
    expect(await record()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("exists; overwrite it with --update"),
    });
  });
});
