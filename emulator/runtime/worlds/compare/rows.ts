import type { NamedSegment } from "../../../storage/pool/names.ts";
import type { ListedRow, RowRange } from "../../../subjects/traces/port.ts";
import type { World } from "../../../subjects/turn.ts";
import type { WorldDifference } from "../../../subjects/world-difference.ts";
import type { WorldRuntime } from "../runtime.ts";
import type { YieldWhenDue } from "../slices.ts";
import { createChangeList, fieldChanges } from "./changes.ts";

/** A world and the files of its trace rows. */
type RowSide = Pick<WorldRuntime, "world" | "rowNames">;

const DAY_MS = 86_400_000;

/** The trace rows that differ. Days stored in the same files in both worlds are skipped. Reads at most `maxRows` rows. */
export async function rowChanges(
  a: RowSide,
  b: RowSide,
  maxRows: number,
  yieldWhenDue: YieldWhenDue,
): Promise<WorldDifference["rows"]> {
  const [left, right] = [segmentsOf(a), segmentsOf(b)];
  const changes = createChangeList();
  let compared = 0;
  let notCompared = 0;
  for (const [key, segment] of new Map([...left, ...right])) {
    if (filesOf(left.get(key)) === filesOf(right.get(key))) continue;
    for (const [before, after] of pairsOf(a.world, b.world, segment)) {
      compared += 1;
      if (compared > maxRows) notCompared += 1;
      else addRow(changes, before, after);
      await yieldWhenDue();
    }
  }
  return { ...changes.list(), not_compared: notCompared };
}

function segmentsOf(side: RowSide): ReadonlyMap<string, NamedSegment> {
  const { segments } = side.rowNames();
  return new Map(
    segments.map((each) => [[each.region, each.tenantId, each.sessionId, each.day].join(" "), each]),
  );
}

/** The same for the same rows: files of rows only grow. */
function filesOf(segment: NamedSegment | undefined): string {
  const counting = segment?.rowFiles.filter(({ records }) => records > 0) ?? [];
  return counting.map(({ file, records, below }) => `${file} ${records} ${below}`).join("\n");
}

/** The rows of one project and day in both worlds, each with the other of its place and id. */
function* pairsOf(
  a: World,
  b: World,
  { region, tenantId, sessionId, day }: NamedSegment,
): Iterable<readonly [ListedRow | undefined, ListedRow | undefined]> {
  const midnight = (instant: number) => `${new Date(instant).toISOString().slice(0, -1)}000Z`;
  const start = Date.parse(day);
  const range: RowRange = {
    sessionIds: [sessionId],
    start: midnight(start),
    end: midnight(start + DAY_MS),
    order: "asc",
  };
  const [left, right] = [a, b].map(({ ports }) =>
    ports.traces.list({ region, tenantId }, range)[Symbol.iterator](),
  ) as [Iterator<ListedRow>, Iterator<ListedRow>];
  let [before, after] = [next(left), next(right)];
  while (before || after) {
    const order = !before ? 1 : !after ? -1 : placeOf(before).localeCompare(placeOf(after), "en");
    yield [order <= 0 ? before : undefined, order >= 0 ? after : undefined];
    if (order <= 0) before = next(left);
    if (order >= 0) after = next(right);
  }
}

function next(rows: Iterator<ListedRow>): ListedRow | undefined {
  const { done, value } = rows.next();
  return done ? undefined : value;
}

function placeOf({ startTime, id }: ListedRow): string {
  return `${startTime} ${id}`;
}

function addRow(
  changes: ReturnType<typeof createChangeList>,
  before: ListedRow | undefined,
  after: ListedRow | undefined,
): void {
  if (!before || !after) {
    changes.add((before ?? after)?.id ?? "", before ? "removed" : "added");
    return;
  }
  const [a, b] = [before.read(), after.read()];
  if (JSON.stringify(a) !== JSON.stringify(b)) changes.add(after.id, "changed", () => fieldChanges(a, b));
}
