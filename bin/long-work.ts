import { counted } from "../contracts/report/counted.ts";
import type {
  AdvanceResult,
  AdvanceTarget,
  GeneratedTraces,
  TraceOrder,
  WorkProgress,
} from "../emulator/client/views.ts";
import type { Verification } from "../emulator/subjects/control-operation.ts";
import type { WorldDifference } from "../emulator/subjects/world-difference.ts";
import type { Work } from "./client-command.ts";
import type { Progress } from "./progress.ts";
import type { RunningWorld } from "./running.ts";

const EVERY_MS = 1000;
/** `2026-03-01T06:00` */
const MINUTE_CHARACTERS = 16;

/** Moves the clock of a running emulator; shows how far it is, and ends the advance with the command. */
export function advanceClock(world: RunningWorld, work: Work, target: AdvanceTarget): Promise<AdvanceResult> {
  const { clock } = world.client;
  work.onStop(clock.stop);
  return watchProgress(world, work, showAdvance, clock.advance(target)).finally(() => work.onStop(undefined));
}

/** Reads an export of a running emulator back, and shows how far it is. */
export function verifyExport(world: RunningWorld, work: Work, id: string): Promise<Verification> {
  const show = ({ verifications }: WorkProgress, progress: Progress) => {
    const mine = verifications.find(({ export_id }) => export_id === id.toLowerCase());
    if (!mine) return;
    const { files, files_total, rows } = mine;
    const text = `reading ${id} back: ${counted(files, "file")} of ${files_total}, ${counted(rows, "row")}`;
    progress.show(text, files, files_total);
  };
  return watchProgress(world, work, show, world.client.exports.verify(id));
}

/** Generates sample rows in a running emulator, and shows how far it is. */
export function generateTraces(world: RunningWorld, work: Work, order: TraceOrder): Promise<GeneratedTraces> {
  const show = ({ generations }: WorkProgress, progress: Progress) => {
    const mine = generations.find(({ rows_total }) => rows_total === order.count);
    if (mine) progress.show(`generating rows of ${mine.project}`, mine.rows, mine.rows_total);
  };
  return watchProgress(world, work, show, world.client.generateTraces(order));
}

/** Compares two worlds of a running emulator, and shows how far it is. */
export function compareWorlds(
  world: RunningWorld,
  work: Work,
  a: string,
  query: Parameters<RunningWorld["client"]["worlds"]["diff"]>[1],
): Promise<WorldDifference> {
  const show = ({ comparisons }: WorkProgress, progress: Progress) => {
    const mine = comparisons.find((each) => each.a === a && each.b === query.with);
    if (mine) progress.show(`comparing ${a} with ${query.with}`, mine.rows, mine.rows_total);
  };
  return watchProgress(world, work, show, world.client.worlds.diff(a, query));
}

function showAdvance({ now, advance }: WorkProgress, progress: Progress): void {
  if (!advance) return;
  const { from, to, events, fired_total, waits_for } = advance;
  const text = `${now.slice(0, MINUTE_CHARACTERS)}, ${counted(fired_total, "event")}`;
  if (waits_for !== null) progress.show(`${text}; ${waits_for}`);
  else if (to === null) progress.show(text, fired_total, events ?? 0);
  else progress.show(text, Date.parse(now) - Date.parse(from), Date.parse(to) - Date.parse(from));
}

/** Polls the progress of work until it ends, if progress is shown. */
async function watchProgress<T>(
  { client }: RunningWorld,
  { progress }: Work,
  show: (at: WorkProgress, progress: Progress) => void,
  work: Promise<T>,
): Promise<T> {
  if (!progress.isShown) return work;
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const look = async () => {
    // The work itself reports errors of the emulator.
    const at = await client.progress().catch(() => undefined);
    if (isOver) return;
    if (at) show(at, progress);
    timer = setTimeout(look, EVERY_MS);
  };
  timer = setTimeout(look, EVERY_MS);
  return work.finally(() => {
    isOver = true;
    clearTimeout(timer);
  });
}
