import { afterEach, beforeEach, expect, it } from "vitest";
import { summaryEffects } from "../../../emulator/subjects/queries/effects.ts";
import type { Effect } from "../../../emulator/subjects/turn.ts";
import { openTraceStore, SCOPE, SESSION, sampleRow } from "../../storage/rows/open-store.ts";
import { workingFolder } from "../../support/emulator-process.ts";
import { DEFAULTS } from "../../support/world.ts";

const ROWS = 1_200;

let store: ReturnType<typeof openTraceStore>;

beforeEach(() => {
  store = openTraceStore({ folder: workingFolder() });
  store.write(
    SCOPE,
    Array.from({ length: ROWS }, (_, n) => sampleRow(n + ROWS)),
  );
});

afterEach(() => store.close());

/** Writes rows while a summary is computed, and another request lists the rows. */
async function tokensWhile(write: () => void): Promise<unknown> {
  const data = {
    replyNumber: 1,
    workspace: { region: SCOPE.region, tenant_id: SCOPE.tenantId },
    sessionIds: [SESSION],
    sent: { session: [SESSION] },
    form: { of: "rows" },
  };
  const summary = summaryEffects(store, DEFAULTS)["runs.sum_up"]({
    data,
  } as unknown as Effect<"runs.sum_up">);
  write();
  expect([...store.list(SCOPE, { sessionIds: [SESSION], order: "asc" })].length).toBeGreaterThanOrEqual(ROWS);
  return summary;
}

it.each([
  ["earlier rows", (n: number) => sampleRow(n, { total_tokens: 1_000 })],
  ["later rows", (n: number) => sampleRow(n + 2 * ROWS, { total_tokens: 1_000 })],
  ["other versions", (n: number) => sampleRow(n + ROWS, { total_tokens: 1_000 })],
  [
    "rows that moved to another day",
    (n: number) => ({ ...sampleRow(n + ROWS), start_time: "2025-03-02T00:00:00.000000Z" }),
  ],
])("sums up the rows of its begin while others write %s", async (_, rowAt) => {
  const write = () =>
    store.write(
      SCOPE,
      Array.from({ length: ROWS }, (_, n) => rowAt(n)),
    );
  expect(await tokensWhile(write)).toMatchObject({
    summary: {
      run_count: ROWS,
      total_tokens: 3 * ROWS,
      last_run_start_time: sampleRow(2 * ROWS - 1).start_time,
    },
  });
});
