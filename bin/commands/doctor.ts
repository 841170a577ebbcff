import { existsSync } from "node:fs";
import { holderOf } from "../../emulator/runtime/process/folder-lock.ts";
import { type Command, type Invocation, TARGET_FLAGS } from "../command.ts";
import { configurationOf, locatorFolder } from "../configuration.ts";
import {
  checkClock,
  checkDependencies,
  checkFiles,
  checkFolder,
  checkNode,
  checkPorts,
  checkRunning,
  type Finding,
} from "../doctor/findings.ts";
import { legacyFindings } from "../doctor/legacy.ts";
import { findLocator, readWorld, urlFlag } from "../running.ts";
import { printResult, withProgress } from "../terminal.ts";

export const command: Command = {
  summary:
    "check for problems that keep the emulator from working and print how to fix them; changes nothing",
  operands: [],
  flags: {
    ...TARGET_FLAGS,
    port: { value: "<n>", help: "port to check instead of the configured one" },
    world: { value: "<id>", help: "world that --legacy checks (default main)" },
    legacy: {
      help: "list only those requests that a world of a running emulator has received and the service refuses after 2027-01-31, with replacements",
    },
  },
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const findings = await (invocation.flags.legacy === true ? checkLegacy : checkAll)(invocation);
  const ok = findings.every((finding) => finding.ok);
  printResult(invocation, { ok, findings }, findings.map(lineOf));
  return ok ? 0 : 1;
}

async function checkLegacy(invocation: Invocation): Promise<readonly Finding[]> {
  const { configuration } = await configurationOf(invocation);
  const { client } = await readWorld(invocation);
  return legacyFindings(await client.recording(), configuration.settings.assumptions);
}

async function checkAll(invocation: Invocation): Promise<readonly Finding[]> {
  const resolved = await configurationOf(invocation);
  const url = urlFlag(invocation) ?? (await findLocator(invocation))?.url;
  const folder = locatorFolder(resolved, invocation.cwd);
  const access = await checkFolder(folder);
  const isFree = access.ok && existsSync(folder) && (await holderOf(folder)) === undefined;
  const fileChecks = isFree ? checkFiles(folder) : Promise.resolve([]);
  return [
    checkNode(process.versions.node),
    access,
    ...(await withProgress(invocation, `reading ${folder}`, fileChecks, "nothing was changed")),
    ...(await checkPorts(resolved.configuration, url)),
    ...(url === undefined ? [] : await checkRunning(url)),
    ...(await checkDependencies()),
    checkClock(Date.now()),
  ];
}

function lineOf({ ok, what, fix }: Finding): string {
  return ok ? `ok       ${what}` : `problem  ${what}; ${fix}`;
}
