import { Refusal } from "../kernel/refusal.ts";
import type { Bodies } from "../storage/objects/bodies.ts";
import { addHours } from "../subjects/bulk-exports/partitions.ts";
import { type BulkExport, EXPORT_RUNS, EXPORTS, SPAWNED } from "../subjects/bulk-exports/records.ts";
import { requireExport } from "../subjects/bulk-exports/require-export.ts";
import type { Oracle, Verification } from "../subjects/control-operation.ts";
import type { ObjectStoreClients } from "../subjects/destinations/object-store-client.ts";
import type { Secrets, World } from "../subjects/turn.ts";
import type { VerificationProgress } from "../subjects/work-progress.ts";
import { checkExport, type ExportCheckTools } from "./export-check.ts";
import { createFindings, type Findings } from "./findings.ts";
import { checkSpawnTimes, timeContextOf } from "./time-laws.ts";

/** The data that the oracle reads: the world, its rows and the object stores of its files. */
export interface OracleParts {
  readonly world: World;
  /** Locates the rows that the files have to contain. */
  readonly rowsOf: ExportCheckTools["rowsOf"];
  /** Clients of external object stores. */
  readonly objectStores: ObjectStoreClients;
  readonly secrets: Secrets;
  /** `limits.verifications` */
  readonly maxVerifications: number;
  /** The bodies of the embedded object store, which are read without credentials. */
  readonly objects: { readonly files: Pick<Bodies, "open"> };
}

/** Reads exports back, one at a time, so that several requests take no more memory than one. */
export function createOracle(parts: OracleParts): Oracle {
  const { world, rowsOf, objectStores, secrets, objects, maxVerifications } = parts;
  let last: Promise<unknown> = Promise.resolve();
  const running = new Set<() => VerificationProgress>();

  async function verify(
    parent: BulkExport,
    tools: ExportCheckTools,
    findings: Findings,
  ): Promise<Verification> {
    try {
      if (parent.interval_hours === null) await checkExport(tools, parent, findings);
      else await checkSchedule(tools, parent, findings);
      refuseIfEnded(tools.world);
      const problems = findings.problems();
      return { ok: problems.length === 0, rows: findings.rows, files: findings.files, problems };
    } catch (error) {
      refuseIfEnded(tools.world);
      throw error;
    }
  }

  return {
    async verify(exportId, isAbandoned) {
      const parent = requireExport(world.reader, exportId);
      const { size } = running;
      if (size >= maxVerifications)
        throw new Refusal(
          429,
          "busy",
          `${size} exports are being verified, which is the maximum.`,
          "Try again when one of them is done; limits.verifications sets the maximum.",
        );
      const findings = createFindings();
      const files_total = filesOf(world, parent);
      const progress = () => ({
        export_id: parent.id,
        files: findings.files,
        files_total,
        rows: findings.rows,
      });
      running.add(progress);
      const tools = { world, isAbandoned, rowsOf, objectStores, secrets, bodies: objects.files };
      const result = last.then(() => verify(parent, tools, findings));
      const end = () => running.delete(progress);
      last = result.then(end, end);
      return result;
    },
    verifying: () => [...running].map((progress) => progress()),
  };
}

/** Throws when the world was reset during the check: its rows and files no longer exist. */
function refuseIfEnded({ defect }: World): void {
  if (defect instanceof Refusal) throw defect;
}

/** The number of files that an export has stored, or all exports of a schedule. */
function filesOf(world: World, parent: BulkExport): number {
  const exports = parent.interval_hours === null ? [parent] : spawnedBy(world, parent);
  return exports
    .flatMap(({ id }) => [...world.reader.list(EXPORT_RUNS, id)])
    .reduce((sum, { files }) => sum + files.length, 0);
}

function spawnedBy({ reader }: World, schedule: BulkExport): readonly BulkExport[] {
  return [...reader.list(SPAWNED, schedule.id)]
    .map(({ id }) => reader.get(EXPORTS, id))
    .filter((spawnedExport) => spawnedExport !== undefined)
    .sort((left, right) => (left.start_time < right.start_time ? -1 : 1));
}

/** §3.3: checks the exports of a schedule, and that their windows have no gaps. */
async function checkSchedule(
  tools: ExportCheckTools,
  schedule: BulkExport,
  findings: Findings,
): Promise<void> {
  let start = schedule.start_time;
  const spawnedExports = spawnedBy(tools.world, schedule);
  checkSpawnTimes(timeContextOf(tools.world), schedule, spawnedExports, findings);
  for (const each of spawnedExports) {
    const end = addHours(start, schedule.interval_hours as number);
    if (each.start_time !== start || each.end_time !== end) {
      const detail = `covers ${each.start_time} to ${each.end_time} instead of ${start} to ${end}`;
      findings.add("schedule_gap", each.id, detail);
    }
    start = each.end_time as string;
    await checkExport(tools, each, findings);
  }
}
