// Journeys of the AWS CLI, s3cmd and rclone, as Debian ships them, and of Python packages, with the settings that
// `emulator env --for` prints. Reports the clients that are missing; in CI that is a failure.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { startEmulator } from "../support/start-emulator.mjs";
import { makeFiles } from "./folder.mjs";
import { journeyOf, read } from "./journeys.mjs";
import { findPrograms } from "./programs.mjs";
import { findPython, PYTHON_CHECKS } from "./python.mjs";
import { settingsOf } from "./settings.mjs";

const STEP_MS = 300_000;

let [passed, failed] = [0, 0];

const folder = mkdtempSync(join(tmpdir(), "s3-clients-"));
const emulator = await startEmulator();
try {
  const { url } = emulator.ready;
  const place = { folder, url, operationsOn: operationsIn(url) };
  await ifAvailable("S3 CLIENTS", findPrograms, (programs) =>
    travel({ ...place, ...makeFiles(folder) }, programs),
  );
  await ifAvailable(
    "PYTHON PACKAGES",
    () => findPython(folder),
    (python) => checkPython(place, python),
  );
} finally {
  await emulator.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
if (failed > 0) process.exitCode = 1;

async function ifAvailable(clients, find, use) {
  let programs;
  try {
    programs = find();
  } catch (error) {
    process.stderr.write(`THE JOURNEYS OF ${clients} WERE NOT RUN: ${error.message}\n`);
    if (process.env.CI === "true") process.exitCode = 1;
    return;
  }
  await use(programs);
}

/** The names of the operations on an object that the journal has. */
function operationsIn(url) {
  return async (ref) => {
    const [, text] = await read(`${url}/_emulator/v1/journal`);
    const causes = text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line).cause);
    return causes.filter((cause) => cause?.ref === ref).map(({ name }) => name);
  };
}

async function travel(place, programs) {
  for (const [name, path] of programs) {
    const { env, lines, words } = settingsOf(name, place);
    // A program that is not the first of its name on the path.
    const at = path.includes("/") ? { ...env, PATH: `${dirname(path)}:${env.PATH}` } : env;
    const run = (...more) => runClient(lines, [name, ...words, ...more], at);
    for (const [title, step] of journeyOf(name, { ...place, run })) {
      // Each step needs the one before.
      if (!(await passes(`${name} ${title}`, step))) break;
    }
  }
}

async function checkPython(place, python) {
  for (const [name, code] of PYTHON_CHECKS) {
    const { env, lines } = settingsOf(name, place);
    await passes(`${name} ${python.versionOf(name)} in Python`, () =>
      runClient(lines, [python.path, "-c", code], env),
    );
  }
}

async function passes(title, step) {
  try {
    await step();
    passed += 1;
    process.stdout.write(`ok     ${title}\n`);
    return true;
  } catch (error) {
    failed += 1;
    process.stdout.write(`FAILED ${title}\n${error.message}\n`);
    return false;
  }
}

/** Runs a client in a shell, after the lines of its settings. Returns its output; throws if it fails. */
function runClient(lines, words, env) {
  const script = `eval "$LINES"; "$@"`;
  const { status, stdout, stderr, error } = spawnSync("sh", ["-c", script, "sh", ...words], {
    env: { ...env, LINES: lines },
    encoding: "utf8",
    timeout: STEP_MS,
  });
  if (error) throw error;
  assert.equal(status, 0, `${words.join(" ")}\n${stdout}${stderr}`);
  return `${stdout}${stderr}`;
}
