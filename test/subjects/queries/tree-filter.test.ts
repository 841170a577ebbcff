import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readPage } from "../../../emulator/subjects/queries/page.ts";
import { readSelection } from "../../../emulator/subjects/queries/selection.ts";
import type { TraceStore } from "../../../emulator/subjects/traces/port.ts";
import { openTraceStore, sampleRow } from "../../storage/rows/open-store.ts";
import { workingFolder } from "../../support/emulator-process.ts";
import { resultOf } from "../../support/steps.ts";

const WORKSPACE = { region: "us", tenant_id: "00000000-0000-4000-8000-000000000001" };
const SCOPE = { region: WORKSPACE.region, tenantId: WORKSPACE.tenant_id };
const SESSION = "99999999-0000-4000-8000-000000000001";
const ROWS = 1_000;
const PAGE = 20;

let folder: string;
let store: ReturnType<typeof openTraceStore>;
let reads: number;

beforeEach(() => {
  folder = workingFolder();
  store = openTraceStore({ folder });
  reads = 0;
});

afterEach(() => {
  store.close();
});

const idOf = (number: number) => `${number.toString(16).padStart(8, "0")}-0000-4000-8000-000000000001`;
const TRACE = idOf(0);

/** A row of the one trace, a millisecond behind the row before it. */
function row(number: number, name = "step") {
  const second = String(Math.floor(number / 1_000)).padStart(2, "0");
  const start_time = `2026-01-01T00:00:${second}.${String(number % 1_000).padStart(3, "0")}000Z`;
  const trace = { id: idOf(number), session_id: SESSION, trace_id: TRACE, is_root: number === 0 };
  return sampleRow(number, { ...trace, name, start_time });
}

/** The store, with every row counted that a list has read. */
function counted(): TraceStore {
  return {
    ...store,
    *list(scope, range) {
      for (const match of store.list(scope, range)) {
        const read = () => {
          reads += 1;
          return match.read();
        };
        yield { ...match, read };
      }
    },
  };
}

function pager(traces: TraceStore, tree_filter: string) {
  const context = { traces, workspace: WORKSPACE, isDeleted: () => false, projectIds: () => [SESSION] };
  const selection = readSelection({ session: [SESSION], tree_filter });
  return (cursor: string | null = null) => {
    reads = 0;
    return resultOf(readPage(context, { selection, order: "asc", limit: PAGE, cursor }));
  };
}

describe("a filter over whole traces", () => {
  beforeEach(() => {
    store.write(
      SCOPE,
      Array.from({ length: ROWS }, (_, number) => row(number)),
    );
  });

  it("looks through a trace for the first page, and for no page behind it", () => {
    store.write(SCOPE, [row(ROWS, "last")]);
    const page = pager(counted(), 'eq(name, "last")');
    const first = page();
    expect(first.rows).toHaveLength(PAGE);
    expect(reads).toBeGreaterThan(ROWS);
    const second = page(first.next);
    expect(second.rows.map(({ id }) => id)).toEqual(Array.from({ length: PAGE }, (_, at) => idOf(PAGE + at)));
    expect(reads).toBeLessThanOrEqual(PAGE + 1);
  });

  it("remembers that nothing was found, until rows are written", () => {
    const page = pager(counted(), 'eq(name, "last")');
    expect(page().rows).toEqual([]);
    expect(reads).toBe(2 * ROWS);
    expect(page().rows).toEqual([]);
    expect(reads).toBe(ROWS);
    store.write(SCOPE, [row(ROWS, "last")]);
    expect(page().rows).toHaveLength(PAGE);
  });

  it("checks first the row that matched before, when others were written since", () => {
    store.write(SCOPE, [row(ROWS, "last")]);
    const page = pager(counted(), 'eq(name, "last")');
    page();
    store.write(SCOPE, [row(ROWS + 1)]);
    expect(page().rows).toHaveLength(PAGE);
    expect(reads).toBeLessThanOrEqual(PAGE + 1);
    store.write(SCOPE, [row(ROWS, "changed")]);
    expect(page().rows).toEqual([]);
  });

  it("is cached per filter and store", () => {
    const traces = counted();
    expect(pager(traces, 'eq(name, "step")')().rows).toHaveLength(PAGE);
    expect(pager(traces, 'eq(name, "other")')().rows).toEqual([]);
    expect(pager(traces, 'eq(name, "step")')().rows).toHaveLength(PAGE);
    const empty = { ...counted(), list: () => [], mark: store.mark };
    expect(pager(empty, 'eq(name, "step")')().rows).toEqual([]);
  });
});
