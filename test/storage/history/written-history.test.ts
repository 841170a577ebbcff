import { expect, it, vi } from "vitest";
import { emptyState } from "../../../emulator/kernel/commit.ts";
import { openTraceStore, temporaryFolder } from "../rows/open-store.ts";

const LAST_STATE = { ...emptyState(1, 0, { mode: "frozen", rate: 1 }), turn: 1 };

it.each([
  ["is made when a world is kept", { isPersistent: true, state: LAST_STATE, made: 1 }],
  [
    "is not made for a world that has ended, as by a reset",
    { isPersistent: true, state: undefined, made: 0 },
  ],
  ["is not made for a world in memory", { isPersistent: false, state: LAST_STATE, made: 0 }],
])("the history to be written %s", async (_, { isPersistent, state, made }) => {
  const { storage } = openTraceStore({ folder: temporaryFolder(), isPersistent });
  const spy = vi.fn(() => undefined);
  await storage.close(state, spy);
  expect(spy).toHaveBeenCalledTimes(made);
});
