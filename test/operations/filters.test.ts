import { beforeAll, describe, expect, it } from "vitest";
import {
  createExport,
  type PreparedExport,
  prepareExport,
  runToCompletion,
  startRig,
} from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

interface Note {
  readonly kind: string;
  readonly ref: string;
  readonly detail?: Record<string, unknown>;
}

const rig = useRig("file", () => startRig());
let prepared: PreparedExport;

beforeAll(async () => {
  prepared = await prepareExport(rig, { shape: "mixed" });
});

const rowsOf = async (id: string): Promise<number> => {
  const { body } = await rig.call<{ rows_exported: number }[]>("GET", `/api/v1/bulk-exports/${id}/runs`);
  return body.reduce((sum, run) => sum + run.rows_exported, 0);
};

/** Exports with this filter, to the end. */
async function exportRows(filter: string | null, more: Record<string, unknown> = {}) {
  const { status, body } = await createExport(rig, prepared, { ...(filter !== null && { filter }), ...more });
  expect(status).toBe(200);
  expect(body).toMatchObject({ filter });
  await runToCompletion(rig, body.id);
  return body.id;
}

async function notesOf(id: string): Promise<readonly Note[]> {
  const lines = await (await fetch(new URL("/_emulator/v1/journal", rig.emulator.url))).text();
  const entries = lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { notes?: Note[] });
  return entries.flatMap(({ notes = [] }) => notes.filter(({ ref }) => ref === id));
}

describe("an export with a filter (2.5-4, 2.5-10)", () => {
  it("is verified as having exactly the selected rows", async () => {
    const id = await exportRows('or(eq(run_type, "llm"), gt(latency, "1s"))', { format_version: "v2_beta" });
    expect(await rig.emulator.verifyExport(id)).toMatchObject({ ok: true, rows: await rowsOf(id) });
  });

  it.each([
    ["eq(name, null)", "body.filter: at character 10: null is not a value", undefined],
    ["neq(error, null)", "body.filter: at character 12: null is not a value", 'Write neq(status, "error")'],
    ['eq(name, \\"x\\")', "body.filter: at character 10: unexpected \\", "escaped once too often"],
  ])("is refused at once when it cannot be read: %s", async (filter, message, hint) => {
    const before = await rig.call<unknown[]>("GET", "/api/v1/bulk-exports");
    const { status, body } = await createExport(rig, prepared, { filter });
    expect(status).toBe(422);
    const said = Object.values(body).join(" ");
    expect(JSON.stringify(body)).toContain(JSON.stringify(message).slice(1, -1));
    if (hint) expect(said + JSON.stringify(body)).toContain(JSON.stringify(hint).slice(1, -1));
    expect((await rig.call<unknown[]>("GET", "/api/v1/bulk-exports")).body).toEqual(before.body);
  });

  it("has a journal note only when it selected nothing", async () => {
    const text = 'eq(name, "no such name")';
    const selected = (id: string) => ({ kind: "filter.selected_nothing", ref: id });
    const nothing = await exportRows(text);
    const [note, ...more] = (await notesOf(nothing)).filter(({ kind }) => kind.startsWith("filter."));
    expect(note).toEqual({ ...selected(nothing), detail: { filter: text, days_with_rows: 3 } });
    expect(more).toEqual([]);
    const window = { start_time: "2020-01-01T00:00:00Z", end_time: "2020-01-02T00:00:00Z" };
    const empty = await exportRows(text, window);
    expect(await notesOf(empty)).toContainEqual({
      ...selected(empty),
      detail: { filter: text, days_with_rows: 0 },
    });
    for (const id of [await exportRows("eq(is_root, true)"), await exportRows(null, window)])
      expect((await notesOf(id)).filter(({ kind }) => kind.startsWith("filter."))).toEqual([]);
  });
});

describe("the check of filters (X-1)", () => {
  it.each(["/runs/query/validate", "/api/v1/runs/query/validate"])(
    "names each that cannot be read: %s",
    async (path) => {
      const { status, body } = await rig.call("POST", path, {
        filter: "eq(nmae, 'x')",
        trace_filter: "eq(is_root, true)",
        tree_filter: "and(",
      });
      expect(status).toBe(200);
      expect(body).toEqual({
        valid: false,
        errors: [
          { field: "filter", message: 'at character 4: unknown field "nmae". Did you mean name?' },
          {
            field: "tree_filter",
            message: "at character 5: the filter ends too early. A closing bracket or a value is missing.",
          },
        ],
      });
    },
  );

  it("finds nothing wrong with what can be read, or is not there", async () => {
    for (const body of [{}, { filter: null }, { filter: 'has(tags, "x")', tree_filter: "search('x')" }])
      expect((await rig.call("POST", "/runs/query/validate", body)).body).toEqual({
        valid: true,
        errors: [],
      });
    expect((await rig.call("POST", "/runs/query/validate", { filter: 5 })).status).toBe(422);
  });
});
