import { printable } from "../contracts/report/printable.ts";
import type { Invocation } from "./command.ts";

/** Shows the progress of long work on a terminal: a bar, the elapsed and remaining time, the rate, and the current step. */
export interface Progress {
  /** False in a pipe, in CI and with --quiet. */
  readonly isShown: boolean;
  /** Shows the current step, with the number of finished and total items if they are known. */
  show(text: string, done?: number, total?: number): void;
  /** Erases the line and stops drawing it. */
  clear(): void;
  /** For the message of a command that was stopped: `12 of 171 cases were done`, or the current step. */
  account(): string;
}

const SECOND_MS = 1000;
const REDRAW_MS = 100;
const BAR_CELLS = 24;
const USUAL_COLUMNS = 80;
const ERASE = "\r\u001b[2K";
const OFF = new Set([undefined, "", "0", "false"]);

/** The terminal that shows a line at present. */
let drawnOn: ProgressStream | undefined;

/** Erases the progress line before other output; it is drawn again within a second. */
export function makeRoom(): void {
  drawnOn?.write(ERASE);
  drawnOn = undefined;
}

type ProgressStream = Pick<NodeJS.WriteStream, "isTTY" | "columns" | "write">;

/** Where and by which clock (milliseconds) progress is shown. */
interface ProgressOptions {
  readonly stream?: ProgressStream;
  readonly now?: () => number;
}

/** Shows one line on standard error once the work takes longer than a second; `unit` is the counted noun, such as `cases`. */
export function openProgress(
  { flags, env }: Pick<Invocation, "flags" | "env">,
  unit?: string,
  { stream = process.stderr, now = performance.now.bind(performance) }: ProgressOptions = {},
): Progress {
  const isTerminal = stream.isTTY === true && env.TERM !== "dumb";
  const isShown = isTerminal && flags.quiet !== true && OFF.has(env.CI);
  const openedAt = now();
  let at: At = { text: "beginning", done: 0, total: 0, since: openedAt, before: 0 };
  let isOpen = isShown;
  let nextDraw = openedAt + SECOND_MS;

  function draw(): void {
    const drawnAt = now();
    if (!isOpen || drawnAt < nextDraw) return;
    nextDraw = drawnAt + REDRAW_MS;
    const line = lineOf(at, unit, drawnAt, openedAt).slice(0, (stream.columns || USUAL_COLUMNS) - 1);
    stream.write(ERASE + (env.NO_COLOR ? line : line.replace(/^\[(#+)/, "[\u001b[32m$1\u001b[0m")));
    drawnOn = stream;
  }

  function clear(): void {
    if (!isOpen) return;
    isOpen = false;
    clearInterval(timer);
    process.off("exit", clear);
    makeRoom();
  }

  const timer = isShown ? setInterval(draw, SECOND_MS).unref() : undefined;
  if (isShown) process.on("exit", clear);
  return {
    isShown,
    show(text, done = 0, total = 0) {
      const isNewPhase = at.total > 0 && (total !== at.total || done < at.done);
      const { since, before } = isNewPhase ? { since: now(), before: done } : at;
      at = { text: printable(text), done, total, since, before };
      draw();
    },
    clear,
    account: () => {
      if (!unit) return `it was ${at.text}`;
      return at.total > 0 ? `${at.done} of ${at.total} ${unit} were done` : `no ${unit} were done`;
    },
  };
}

interface At {
  readonly text: string;
  readonly done: number;
  readonly total: number;
  /** When this phase began, and how much was done by then. */
  readonly since: number;
  readonly before: number;
}

function lineOf(
  { text, done, total, since, before }: At,
  unit: string | undefined,
  now: number,
  openedAt: number,
): string {
  const spent = timeOf(now - openedAt);
  if (total === 0) return `${text}, ${spent}`;
  const filled = Math.round((BAR_CELLS * Math.min(done, total)) / total);
  const bar = `[${"#".repeat(filled).padEnd(BAR_CELLS, ".")}] ${Math.floor((100 * done) / total)} %`;
  const count = unit === undefined ? "" : `  ${done}/${total} ${unit}`;
  const perMs = (done - before) / (now - since);
  const rate = unit === undefined ? "" : `, ${(perMs * SECOND_MS).toFixed(1)}/s`;
  const remaining = done > before ? `${rate}, about ${timeOf((total - done) / perMs)} left` : "";
  return `${bar}${count}  ${spent}${remaining}  ${text}`;
}

/** Wall-clock time as text. */
function timeOf(ms: number): string {
  const seconds = Math.round(ms / SECOND_MS);
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
