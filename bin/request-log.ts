import type { LogLine, LogOptions } from "../emulator/runtime/request-log.ts";
import type { Flags, Invocation } from "./command.ts";
import { print } from "./terminal.ts";
import { wordOf } from "./values.ts";

const LEVELS = ["off", "requests", "all"] as const;
const FORMATS = ["text", "json"] as const;

export const LOG_FLAGS: Flags = {
  log: {
    value: LEVELS.join("|"),
    help: "print a line for each request to the API; all: also for control requests and due events (default: requests on a terminal, else off)",
  },
  "log-format": {
    value: FORMATS.join("|"),
    help: "format of the log lines; json: also of the ready line (default text; json with --json)",
  },
};

/** Whether all that `start` prints is JSON, a value a line. Throws `UsageError`. */
export function isJsonOutput(invocation: Invocation): boolean {
  return invocation.flags.json === true || formatOf(invocation) === "json";
}

function formatOf(invocation: Invocation): (typeof FORMATS)[number] {
  const usual = invocation.flags.json === true ? "json" : "text";
  return wordOf(invocation, "log-format", FORMATS) ?? usual;
}

/** The log of `start`; undefined without one. Throws `UsageError`. */
export function logOptionsOf(invocation: Invocation): LogOptions | undefined {
  const { flags } = invocation;
  const isJson = formatOf(invocation) === "json";
  const isWatched = process.stdout.isTTY === true && flags.json !== true;
  const level = wordOf(invocation, "log", LEVELS) ?? (isWatched ? "requests" : "off");
  if (level === "off" || flags.quiet === true) return undefined;
  return { level, write: (line) => print(isJson ? JSON.stringify(line) : textOf(line)) };
}

function textOf(line: LogLine): string {
  const where = `${line.now} ${line.world ?? "-"}`;
  if ("turn" in line) return `${where}     ${line.turn}`;
  const { status, method, path, reason, faults = [], warning } = line;
  return [
    `${where} ${status} ${method} ${path}`,
    ...(reason === undefined ? [] : [reason]),
    ...faults,
    ...(warning === undefined ? [] : [`warning: ${warning}`]),
  ].join("; ");
}
