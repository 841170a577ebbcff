import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectRefusals, openVerbs, type Verbs } from "../../support/verbs.ts";

const FROM_TO = ["--from", "2026-02-25", "--to", "2026-02-27"];
const ROW = "00000000-0000-4000-8000-00000000dead";
const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

function generate({ json }: Verbs, count: number): Promise<{ session_id: string }> {
  return json("traces", "generate", "--count", String(count), "--project", "shop", ...FROM_TO);
}

describe("emulator traces and export", () => {
  it("bring traces in and out in two commands, and tell of both", async () => {
    const verbs = await openVerbs();
    await generate(verbs, 60);
    const lines = await verbs.lines("export", "create", "--project", "shop", ...FROM_TO, "--wait");
    const id = UUID.exec(lines[0] ?? "")?.[0] ?? "";
    expect(lines[0]).toContain(`export ${id}: COMPLETED, 2026-02-25T00:00:00.000000Z to`);
    expect(lines.slice(1, 3)).toEqual([
      expect.stringMatching(/^ {2}2026-02-25 .* COMPLETED {2}\d+ rows {2}1 file$/),
      expect.stringMatching(/^ {2}2026-02-26 .* COMPLETED {2}\d+ rows {2}1 file$/),
    ]);
    expect(lines.at(-1)).toBe(`export ${id}: verified, 60 rows in 2 files`);

    expect(await verbs.json("export", "show")).toMatchObject({ id, status: "COMPLETED" });
    expect(await verbs.json("export", "runs", id)).toHaveLength(2);
    const [row] = await verbs.json<{ id: string }[]>("traces", "query", "--project", "shop", "--limit", "1");
    expect(await verbs.json("export", "why", row?.id ?? "")).toMatchObject({
      included: true,
      export_id: id,
    });
    expect(await verbs.lines("export", "why", ROW)).toEqual([
      `not in export ${id}: This row does not exist in the workspace of the export.`,
    ]);

    const scheduled = await verbs.json<{ export: { id: string } }>(
      ...["export", "create", "--project", "shop", "--from", "2026-02-25", "--every", "6h"],
      ...["--filter", 'eq(run_type, "llm")', "--fields", "id,name"],
    );
    expect(scheduled.export).toMatchObject({
      interval_hours: 6,
      end_time: null,
      filter: 'eq(run_type, "llm")',
      export_fields: ["id", "name"],
    });
    expect(await verbs.lines("export", "cancel", scheduled.export.id)).toEqual([
      `export ${scheduled.export.id} is CANCELLED`,
    ]);
    expect((await verbs.lines("export", "list"))[0]).toContain(scheduled.export.id);
  });

  it("--wait of an export that fails prints the failure, with exit code 1", async () => {
    const verbs = await openVerbs();
    await generate(verbs, 5);
    await verbs.lines("fault", "arm", "bucket_deleted");
    const { code, stdout } = await verbs.run(
      ...["export", "create", "--project", "shop", ...FROM_TO, "--wait"],
    );
    expect(code).toBe(1);
    expect(stdout).toMatch(/^export .*: FAILED/);
    expect(stdout).toContain("retry_0");
  });

  it("send the rows of a file, and refuse a file with an invalid row", async () => {
    const verbs = await openVerbs();
    const row = { name: "call", run_type: "llm", start_time: "2026-02-25T10:00:00Z", inputs: null };
    const inputs = '"inputs":{"b":9007199254740993,"10":10.0}';
    const lines = [1, 2, 3].map((n) =>
      JSON.stringify({ ...row, id: `0000000${n}-0000-4000-8000-000000000000` }).replace(
        /"inputs":null/,
        inputs,
      ),
    );
    writeFileSync(join(verbs.cwd, "rows.ndjson"), `${lines.join("\n")}\n\n`);
    expect(await verbs.lines("traces", "send", "rows.ndjson", "--project", "mine")).toEqual([
      "3 rows sent in 1 request",
    ]);
    const results = await verbs.lines("traces", "query", "--filter", 'eq(name, "call")', "--project", "mine");
    expect(results).toHaveLength(3);
    const [json] = await verbs.lines(
      "traces",
      "query",
      "--filter",
      'eq(name, "call")',
      "--project",
      "mine",
      "--json",
    );
    expect(json?.split(inputs)).toHaveLength(4);
    writeFileSync(join(verbs.cwd, "broken.ndjson"), `${lines[0]}\n{"id":\n`);
    writeFileSync(join(verbs.cwd, "list.ndjson"), `${lines[0]}\n7\n`);
    writeFileSync(join(verbs.cwd, "empty.json"), "[]");
    writeFileSync(join(verbs.cwd, "other.json"), '{"rows":[]}');
    writeFileSync(join(verbs.cwd, "bad.ndjson"), '{"id":"x"}\n');
    await expectRefusals(verbs, [
      ["traces send broken.ndjson", "broken.ndjson: line 2 is not valid JSON"],
      ["traces send list.ndjson", "list.ndjson: row 2 is not a JSON object"],
      ["traces send empty.json", "empty.json: has no rows; give at least one"],
      [
        "traces send other.json",
        'other.json: the file has neither an array of rows nor an object with the array "post"',
      ],
      ["traces send bad.ndjson", "bad.ndjson: rows 1 to 1: POST /runs/batch: 422"],
    ]);
  });

  it("refuse what they cannot read, and change nothing", async () => {
    const verbs = await openVerbs();
    await generate(verbs, 5);
    const create = "export create --project shop --from 2026-02-25";
    await expectRefusals(verbs, [
      [
        "traces generate --from 2026-02-26 --to 2026-02-25",
        "--to: 2026-02-25T00:00:00Z is not later than --from",
      ],
      ["traces generate --shape round", "--shape: "],
      ["traces query --project none", "--project: the project none does not exist. Give one of shop"],
      ["traces query --filter eq(", "422"],
      ["export create --project shop", "--from is missing"],
      [create, "--to: give the end of the window, or --every for a schedule"],
      [`${create} --to 2026-02-26 --every 6h`, "--to: give the end of the window"],
      [`${create} --to 2026-02-25`, "--to: 2026-02-25T00:00:00Z is not later than --from"],
      [`${create} --every 90m`, '--every: "90m" is not valid; give whole hours from 1h to 168h'],
      [`${create} --every 6h --wait`, "--wait: a schedule has no end"],
      [`${create} --every 6h --filter eq(`, "--filter: "],
      [`${create} --every 6h --fields id,nme`, "--fields: no column nme; did you mean name?"],
      [`${create} --every 6h --format-version v3`, '--format-version: "v3" is not valid; give v1 or v2_beta'],
      [`${create} --every 6h --destination ${ROW}`, "404"],
      [`${create} --every 6h --destination 123`, "`GET /api/v1/bulk-exports/destinations` lists the ids"],
      [
        "export create --project none --from 2026-02-25 --every 6h",
        "the project none does not exist. Give one of shop",
      ],
      ["export show", "no export exists yet; `emulator export create` creates one"],
      [
        "export why 123",
        "is not an id such as 0190a6c0-0000-7000-8000-000000000001; `emulator traces query` lists the ids",
      ],
      [`export why ${ROW} --export 123`, '--export: "123" is not an id'],
      ["export cancel 123", 'export cancel: "123" is not an id'],
    ]);
  });
});
