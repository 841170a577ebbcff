import { setTimeout as pause } from "node:timers/promises";
import { childEnvironment } from "../../emulator/client/child-environment.ts";
import { shellWord } from "../../emulator/client/shell.ts";
import type { ServingEmulator } from "../../emulator/runtime/start.ts";
import type { Conditions, Played, PlayedWorld } from "../../scenarios/conditions.ts";
import { EnvironmentError, replyOf } from "../../scenarios/environment.ts";
import { createRunner } from "../../scenarios/runner.ts";
import { trialsHere } from "../../scenarios/trials.ts";
import { type Invocation, settingFlags, UsageError } from "../command.ts";
import { configurationOf } from "../configuration.ts";
import { runWithEmulator, startForCommand } from "../defect-exit.ts";
import { exploreSubjects } from "../replay/explore.ts";
import { jobsOf } from "../replay/play.ts";
import { wayOf } from "../replay/way.ts";
import { type RunningChild, startChild } from "./child.ts";

/** Only the last characters of the output of a command are retained. */
const RETAINED_CHARACTERS = 16_384;
const SHOWN_LINES = 20;
/** A command that takes that many times as long as in its baseline is ended, but never before `MIN_LIMIT_MS`. */
const PATIENCE = 20;
const MIN_LIMIT_MS = 120_000;
/** How long the rest of the output of an ended command is read. */
const CLOSE_MS = 1_000;

/** `exec --vary` and `--sweep`: runs a command again in other ways, each time with a fresh emulator. */
export async function exploreCommand(invocation: Invocation): Promise<number> {
  const { operands, cwd, flags } = invocation;
  if (flags.data !== undefined)
    throw new UsageError(
      "--data: it cannot be combined with --vary or --sweep, which start a fresh emulator for each run; remove it",
    );
  const way = wayOf(invocation, true);
  // Reports invalid flags once, not in each run.
  await configurationOf(invocation);
  const name = operands.map(shellWord).join(" ");
  const settingWords = Object.keys(settingFlags()).flatMap((flag) => {
    const value = flags[flag];
    return value === undefined
      ? []
      : [value === true ? `--${flag}` : `--${flag} ${shellWord(String(value))}`];
  });
  const runs = openRuns(invocation);
  const subject = {
    name,
    file: cwd,
    play: runs.play,
    again: (trial: string) =>
      ["npx emulator exec", ...settingWords, way.flag, `--only ${shellWord(trial)}`, "--", name].join(" "),
  };
  const subjects = [subject];
  const trials = trialsHere(subjects, way.exploration);
  return exploreSubjects(invocation, way, { subjects, trials, jobs: jobsOf(invocation, 1) }, runs.close);
}

/** Runs of a command, each with an emulator of its own. */
function openRuns(invocation: Invocation) {
  const children = new Set<RunningChild>();
  const plays = new Set<Promise<unknown>>();
  let isClosed = false;
  let limitMs = Number.POSITIVE_INFINITY;

  function start(running: ServingEmulator): RunningChild {
    if (isClosed) throw new EnvironmentError("the runs were interrupted");
    const child = startChild(invocation, childEnvironment(running.ready), ["ignore", "pipe", "pipe"]);
    children.add(child);
    return child;
  }

  async function run<Found>({ settings = {}, begin, end }: Conditions<Found>): Promise<Played<Found>> {
    const flags = { port: "0", ephemeral: true, ...invocation.flags };
    const { configuration } = await configurationOf({ ...invocation, flags }, true, settings);
    const running = await startForCommand(configuration);
    let result: Found | undefined;
    let child: CommandRun | undefined;
    let why: string | undefined;
    await runWithEmulator(running, configuration, async (defectExit) => {
      const world = worldOf(running);
      await begin?.(world);
      const startedAt = performance.now();
      const startedChild = start(running);
      child = await outcomeOf(startedChild, limitMs).finally(() => children.delete(startedChild));
      if (limitMs === Number.POSITIVE_INFINITY)
        limitMs = Math.max(MIN_LIMIT_MS, PATIENCE * (performance.now() - startedAt));
      const ending = end(world).catch((error: unknown) => {
        if (!(error instanceof EnvironmentError)) throw error;
        why = error.message;
        return undefined;
      });
      result = await Promise.race([ending, defectExit.then(() => undefined)]);
      return 0;
    });
    const problem = child && { label: child.how, differences: child.lastLines };
    return {
      failure: child?.isOk ? undefined : problem,
      found: result,
      ...(why !== undefined && { problem: why }),
    };
  }

  return {
    play<Found>(conditions: Conditions<Found>): Promise<Played<Found>> {
      const playing = run(conditions);
      plays.add(playing);
      return playing.finally(() => plays.delete(playing));
    },
    /** Ends the commands, and waits until their emulators are closed. */
    async close() {
      isClosed = true;
      for (const child of children) child.signal("SIGTERM");
      await Promise.allSettled(plays);
    },
  };
}

function worldOf({ ready }: ServingEmulator): PlayedWorld {
  return createRunner({
    async request({ region, method, path, headers, body }) {
      const origin = region === "eu" ? ready.eu_url : ready.url;
      return replyOf(await fetch(origin + path, { method, headers, ...(body !== undefined && { body }) }));
    },
  });
}

/** How a command ended, and the last that it printed. */
interface CommandRun {
  readonly isOk: boolean;
  readonly how: string;
  readonly lastLines: readonly string[];
}

async function outcomeOf(child: RunningChild, limitMs: number): Promise<CommandRun> {
  let output = "";
  let isLate = false;
  let timer: NodeJS.Timeout | undefined;
  const { stdout, stderr } = child.process;
  const whenClosed = new Promise((settle) => child.process.once("close", settle));
  for (const stream of [stdout, stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-RETAINED_CHARACTERS);
    });
  if (limitMs !== Number.POSITIVE_INFINITY)
    timer = setTimeout(() => {
      isLate = true;
      child.kill();
    }, limitMs);
  const code = await child.exitCode;
  clearTimeout(timer);
  // Processes that the command left would keep its pipes open; only those outside its group survive this.
  child.kill();
  await Promise.race([whenClosed, pause(CLOSE_MS, undefined, { ref: false })]);
  const how = isLate ? `ended after ${Math.round(limitMs / 1000)} s without a result` : `exit code ${code}`;
  const lines = output
    .trimEnd()
    .split("\n")
    .filter((line) => line !== "");
  return { isOk: code === 0 && !isLate, how, lastLines: lines.slice(-SHOWN_LINES) };
}
