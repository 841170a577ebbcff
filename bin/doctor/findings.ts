import { accessSync, constants, existsSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { dirname } from "node:path";
import type { Configuration } from "../../emulator/config/configuration.ts";
import { holderOf, lockFolder } from "../../emulator/runtime/process/folder-lock.ts";
import { isAlive, readLocator } from "../../emulator/runtime/process/locator.ts";
import { findDamage } from "../../emulator/storage/find-damage.ts";
import { StoreError } from "../../emulator/storage/store-error.ts";
import { isReady, worldAt } from "../running.ts";

/** One check, its result and the fix. */
export interface Finding {
  readonly ok: boolean;
  readonly what: string;
  readonly fix?: string;
}

const OLDEST_NODE = [20, 19] as const;
const PROBE_TIMEOUT_MS = 5_000;
const EARLIEST_PLAUSIBLE_MS = Date.UTC(2026, 0, 1);
const LATEST_PLAUSIBLE_MS = Date.UTC(2100, 0, 1);

/** Packages that are loaded on first use, so that a missing one would be noticed late. */
const LAZY_PACKAGES: Readonly<Record<string, () => Promise<unknown>>> = {
  yaml: () => import("yaml"),
  hyparquet: () => import("hyparquet"),
  "hyparquet-writer": () => import("hyparquet-writer"),
  "@hpcc-js/wasm-zstd": () => import("@hpcc-js/wasm-zstd"),
  "@aws-sdk/client-s3": () => import("@aws-sdk/client-s3"),
};

/** Whether this version of Node can run the emulator. */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const ok = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  return { ok, what: `Node ${version}`, fix: `install Node ${OLDEST_NODE.join(".")} or later` };
}

/** Whether a data folder can be created or written, and which process has locked it. */
export async function checkFolder(folder: string): Promise<Finding> {
  const existing = nearestExisting(folder);
  try {
    if (!statSync(existing).isDirectory())
      return { ok: false, what: `${existing} is a file`, fix: "choose another folder with --data" };
    accessSync(existing, constants.W_OK);
  } catch {
    return {
      ok: false,
      what: `${folder} cannot be written`,
      fix: "change its owner, or choose another with --data",
    };
  }
  if (existing !== folder) return { ok: true, what: `data folder ${folder} can be made` };
  const holder = await holderOf(folder);
  const locator = readLocator(folder);
  if (holder !== undefined && (locator === undefined || !isAlive(locator)))
    return {
      ok: false,
      what: `${folder} is locked by ${holder}, which has no address`,
      fix: `wait 15 s, or end that process`,
    };
  return {
    ok: true,
    what: `data folder ${folder} can be written${holder === undefined ? "" : `, in use by ${holder}`}`,
  };
}

/** Whether the three ports are free, or in use by the running emulator. */
export async function checkPorts(
  { port, host }: Configuration,
  runningUrl: string | undefined,
): Promise<Finding[]> {
  if (port === 0) return [{ ok: true, what: "free ports are chosen at the start" }];
  if (runningUrl !== undefined && new URL(runningUrl).port === String(port)) return [];
  const fix = "stop the program that uses it, or choose another --port (0: free ports)";
  const states = await Promise.all([port, port + 1, port + 2].map((each) => portProblem(each, host)));
  return states.map((problem, index) => ({
    ok: problem === undefined,
    what: `port ${port + index} ${problem === undefined ? "is free" : `cannot be taken (${problem})`}`,
    fix,
  }));
}

/** Whether an emulator answers at this address, and is ready. */
export async function checkRunning(url: string): Promise<Finding[]> {
  const answers = await worldAt(url, PROBE_TIMEOUT_MS)
    .client.status()
    .then(
      () => true,
      () => false,
    );
  const ready = await isReady(url, PROBE_TIMEOUT_MS);
  const fix = "see its output, or start it with `emulator start`";
  return [
    { ok: answers, what: `an emulator ${answers ? "answers" : "does not answer"} at ${url}`, fix },
    { ok: ready, what: `${url} is ${ready ? "" : "not "}ready`, fix },
  ];
}

/** Loads every package that is otherwise loaded on first use. */
export async function checkDependencies(): Promise<Finding[]> {
  return Promise.all(
    Object.entries(LAZY_PACKAGES).map(async ([name, load]) => {
      const problem = await load().then(
        () => undefined,
        (error: NodeJS.ErrnoException) => error.code ?? error.name,
      );
      const what = problem === undefined ? `${name} loads` : `${name} does not load (${problem})`;
      return { ok: problem === undefined, what, fix: "install again with `npm ci`" };
    }),
  );
}

/** S3 signatures and certificates need a correct wall clock. */
export function checkClock(now: number): Finding {
  const ok = now > EARLIEST_PLAUSIBLE_MS && now < LATEST_PLAUSIBLE_MS;
  return { ok, what: `wall clock at ${new Date(now).toISOString()}`, fix: "set the machine's clock" };
}

function nearestExisting(folder: string): string {
  let existing = folder;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  return existing;
}

function portProblem(port: number, host: string): Promise<string | undefined> {
  return new Promise((settle) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => settle(error.code ?? error.name));
    server.listen(port, host, () => server.close(() => settle(undefined)));
  });
}

const MAX_LISTED_PROBLEMS = 20;
const FIX =
  "start the emulator, then load a snapshot (`emulator snapshot load <name>`), reset the world (`emulator reset`) or remove it (`emulator world rm <id>`)";

/** Reads all files of a data folder that no process holds. */
export async function checkFiles(folder: string): Promise<Finding[]> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  const lock = await lockFolder(folder, () => undefined);
  try {
    const problems = await findDamage(folder);
    if (problems.length === 0) return [{ ok: true, what: `the checksums of all files in ${folder} match` }];
    const more = problems.length - MAX_LISTED_PROBLEMS;
    return [
      ...problems
        .slice(0, MAX_LISTED_PROBLEMS)
        .map((what) => ({ ok: false, what: what.replace(/\.$/, ""), fix: FIX })),
      ...(more > 0 ? [{ ok: false, what: `${more} more files or places are damaged`, fix: FIX }] : []),
    ];
  } catch (error) {
    if (error instanceof StoreError) return [{ ok: false, what: error.message, fix: error.hint ?? FIX }];
    throw error;
  } finally {
    await lock.release();
  }
}
