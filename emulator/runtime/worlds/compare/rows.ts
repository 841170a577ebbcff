import type { Pool } from "../../../storage/pool/pool.ts";
import { differingRows, type RowPair } from "../../../storage/rows/row-difference.ts";
import type { ComparisonProgress } from "../../../subjects/work-progress.ts";
import type { WorldDifference } from "../../../subjects/world-difference.ts";
import type { WorldRuntime } from "../runtime.ts";
import type { YieldWhenDue } from "../slices.ts";
import { createChangeList, fieldChanges } from "./changes.ts";

/** The trace rows that differ. Files that both worlds have are skipped. Reads at most `maxRows` pairs of versions. */
export async function rowChanges(
  pool: Pool,
  [a, b]: readonly [WorldRuntime, WorldRuntime],
  maxRows: number,
  progress: ComparisonProgress,
  yieldWhenDue: YieldWhenDue,
): Promise<WorldDifference["rows"]> {
  const changes = createChangeList();
  let compared = 0;
  let notCompared = 0;
  for (const pair of differingRows(pool, [a.rowNames(), b.rowNames()], progress)) {
    await yieldWhenDue();
    if (!pair) continue;
    const isInBoth = pair.before && pair.after;
    if (isInBoth) compared += 1;
    if (isInBoth && compared > maxRows) notCompared += 1;
    else addRow(changes, pair);
  }
  return { ...(await changes.list(yieldWhenDue)), not_compared: notCompared };
}

function addRow(
  changes: ReturnType<typeof createChangeList>,
  { id, startTime, before, after }: RowPair,
): void {
  const rank = `${startTime} ${id}`;
  if (before && after && before.content().equals(after.content())) return;
  const change = !before ? "added" : !after ? "removed" : "changed";
  const more = () => fieldChanges(before?.read() ?? {}, after?.read() ?? {});
  changes.add({ rank, key: id, change, more });
}
