import type { AnyCommand } from "./command.ts";
import { command as clock } from "./commands/clock.ts";
import { command as env } from "./commands/env.ts";
import { command as exports } from "./commands/export.ts";
import { command as fault } from "./commands/fault.ts";
import { command as limits } from "./commands/limits.ts";
import { command as logs } from "./commands/logs.ts";
import { command as reset } from "./commands/reset.ts";
import { command as s3 } from "./commands/s3.ts";
import { command as snapshot } from "./commands/snapshot.ts";
import { command as status } from "./commands/status.ts";
import { command as stop } from "./commands/stop.ts";
import { command as traces } from "./commands/traces.ts";
import { command as verifyExport } from "./commands/verify-export.ts";
import { command as wait } from "./commands/wait.ts";
import { command as webhooks } from "./commands/webhooks.ts";
import { command as why } from "./commands/why.ts";
import { command as world } from "./commands/world.ts";
import { runCommandLine } from "./main.ts";
import type { Question } from "./question-names.ts";

const COMMANDS: Readonly<Record<Question, AnyCommand>> = {
  clock,
  env,
  export: exports,
  fault,
  limits,
  logs,
  reset,
  s3,
  snapshot,
  status,
  stop,
  traces,
  "verify-export": verifyExport,
  wait,
  webhooks,
  why,
  world,
};

/** Runs a command that calls a running emulator; `answered` is called when it has succeeded. */
export async function runQuestion(onAnswer: () => void): Promise<void> {
  const loadedCommands = Object.entries(COMMANDS).map(([name, command]) => [name, async () => ({ command })]);
  await runCommandLine(Object.fromEntries(loadedCommands));
  if (process.exitCode === 0) onAnswer();
}
