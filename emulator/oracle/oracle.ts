import { Refusal } from "../kernel/refusal.ts";
import type { Bodies } from "../storage/objects/bodies.ts";
import { addHours } from "../subjects/bulk-exports/partitions.ts";
import { type BulkExport, EXPORT_RUNS, EXPORTS, SPAWNED } from "../subjects/bulk-exports/records.ts";
import { requireExport } from "../subjects/bulk-exports/require-export.ts";
import type { Oracle, Verification, VerificationProgress } from "../subjects/control-operation.ts";
import type { ObjectStoreClients } from "../subjects/destinations/object-store-client.ts";
import type { Secrets, World } from "../subjects/turn.ts";
import { checkExport, type ExportCheckTools } from "./export-check.ts";
import { createFindings, type Findings } from "./findings.ts";

/** What the oracle reads: the world, its rows and the object stores of its files. */
export interface OracleParts {
  readonly world: World;
  /** Where the rows are that the files are to hold. */
  readonly rowsOf: ExportCheckTools["rowsOf"];
  /** The ways to object stores elsewhere. */
  readonly objectStores: ObjectStoreClients;
  readonly secrets: Secrets;
  /** The bodies of the embedded object store, which is read without anyone's permission. */
  readonly objects: { readonly files: Pick<Bodies, "open"> };
}

const WAITING_MAX = 16;

/** Reads exports back, one at a time, so that many requests take no more memory than one. */
export function createOracle({ world, rowsOf, objectStores, secrets, objects }: OracleParts): Oracle {
  let last: Promise<unknown> = Promise.resolve();
  const underWay = new Set<() => VerificationProgress>();

  async function verify(
    found: BulkExport,
    tools: ExportCheckTools,
    findings: Findings,
  ): Promise<Verification> {
    try {
      if (found.interval_hours === null) await checkExport(tools, found, findings);
      else await checkSchedule(tools, found, findings);
      refuseIfEnded(tools.world);
      const problems = findings.problems();
      return { ok: problems.length === 0, rows: findings.rows, files: findings.files, problems };
    } catch (error) {
      refuseIfEnded(tools.world);
      throw error;
    }
  }

  return {
    async verify(exportId) {
      const found = requireExport(world.reader, exportId);
      const { size } = underWay;
      if (size >= WAITING_MAX)
        throw new Refusal(429, "busy", `${size} exports are already being verified.`, "Try again later.");
      const findings = createFindings();
      const files_total = filesOf(world, found);
      const progress = () => ({
        export_id: found.id,
        files: findings.files,
        files_total,
        rows: findings.rows,
      });
      underWay.add(progress);
      const tools = { world, rowsOf, objectStores, secrets, bodies: objects.files };
      const mine = last.then(() => verify(found, tools, findings));
      const end = () => underWay.delete(progress);
      last = mine.then(end, end);
      return mine;
    },
    verifying: () => [...underWay].map((progress) => progress()),
  };
}

/** Throws when the world was reset meanwhile: its rows and files are gone. */
function refuseIfEnded({ defect }: World): void {
  if (defect instanceof Refusal) throw defect;
}

/** The number of files that an export, or all that its schedule has spawned, has stored. */
function filesOf(world: World, found: BulkExport): number {
  const exports = found.interval_hours === null ? [found] : spawnedBy(world, found);
  return exports
    .flatMap(({ id }) => [...world.reader.list(EXPORT_RUNS, id)])
    .reduce((sum, { files }) => sum + files.length, 0);
}

function spawnedBy({ reader }: World, schedule: BulkExport): readonly BulkExport[] {
  return [...reader.list(SPAWNED, schedule.id)]
    .map(({ id }) => reader.get(EXPORTS, id))
    .filter((found) => found !== undefined)
    .sort((left, right) => (left.start_time < right.start_time ? -1 : 1));
}

/** §3.3: the exports that a schedule has spawned, and that their windows follow one another. */
async function checkSchedule(
  tools: ExportCheckTools,
  schedule: BulkExport,
  findings: Findings,
): Promise<void> {
  let start = schedule.start_time;
  for (const each of spawnedBy(tools.world, schedule)) {
    const end = addHours(start, schedule.interval_hours as number);
    if (each.start_time !== start || each.end_time !== end) {
      const detail = `covers ${each.start_time} to ${each.end_time} where ${start} to ${end} is due`;
      findings.add("schedule_gap", each.id, detail);
    }
    start = each.end_time as string;
    await checkExport(tools, each, findings);
  }
}
