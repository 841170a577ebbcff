import type { PlayedWorld } from "../conditions.ts";
import { stopping } from "./clock-stops.ts";
import type { Baseline, Disturbance } from "./disturbance.ts";
import { addRow } from "./edge-sweep.ts";
import { edgesOf, iso } from "./times.ts";

const EXPORTS = "/api/v1/bulk-exports";

/** At each instant at which something was due, every export is cancelled after it. */
export function cancellations({ due }: Baseline): readonly Disturbance[] {
  return due.map((instant) => ({
    name: `cancel at ${iso(instant)}`,
    section: "4.7",
    tolerance: "end",
    scope: "cancel",
    differs: `all exports are cancelled at ${iso(instant)}`,
    means: "a cancelled export is CANCELLED, and nothing continues (§3.1, §4.7)",
    conditions: { wrap: (environment) => stopping(environment, instant, cancelAll) },
  }));
}

async function cancelAll({ send }: PlayedWorld): Promise<void> {
  const exports = (await send(`GET ${EXPORTS}`, {})).body as readonly { readonly id: string }[];
  // An export that has ended refuses it.
  for (const { id } of exports) await send(`PATCH ${EXPORTS}/${id}`, { body: { status: "Cancelled" } });
}

/** At each instant at which something was due, a row arrives that starts at an edge of a window. */
export function lateRows({ due, exports }: Baseline): readonly Disturbance[] {
  const orders = exports.filter(({ problems }) => problems !== undefined).map(({ order }) => order);
  return due.flatMap((instant) =>
    orders.flatMap((order) =>
      edgesOf(order).map((start) => ({
        name: `row of ${iso(start)} at ${iso(instant)}`,
        section: "3.3",
        tolerance: "rows" as const,
        scope: "row",
        differs: `at ${iso(instant)} a row arrives that starts at ${iso(start)}`,
        means: "a run exports the rows that arrived before it started, and no later ones (§3.3)",
        conditions: {
          wrap: (environment) => stopping(environment, instant, (world) => addRow(world, order, start)),
        },
      })),
    ),
  );
}
