// Journeys of the AWS CLI, s3cmd and rclone, as Debian ships them, against the built emulator. Without them
// it says so, and that is all; in CI it fails.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator } from "../support/start-emulator.mjs";
import { makeFiles } from "./folder.mjs";
import { journeyOf, read } from "./journeys.mjs";
import { findPrograms } from "./programs.mjs";
import { settingsOf } from "./settings.mjs";

const STEP_MS = 300_000;

const programs = findAll();
if (programs) {
  const folder = mkdtempSync(join(tmpdir(), "s3-clients-"));
  const emulator = await startEmulator();
  try {
    const { url, s3_url } = emulator.ready;
    await travel({ folder, s3Url: s3_url, operationsOn: operationsIn(url), ...makeFiles(folder) });
  } finally {
    await emulator.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function findAll() {
  try {
    return findPrograms();
  } catch (error) {
    process.stderr.write(`THE JOURNEYS OF S3 CLIENTS WERE NOT RUN: ${error.message}\n`);
    if (process.env.CI === "true") process.exitCode = 1;
    return undefined;
  }
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

async function travel(place) {
  let [passed, failed] = [0, 0];
  for (const [name, path] of programs) {
    const { env, words } = settingsOf(name, place);
    const run = (...more) => runClient(path, [...words, ...more], env);
    for (const [title, step] of journeyOf(name, { ...place, run })) {
      try {
        await step();
        passed += 1;
        process.stdout.write(`ok     ${name} ${title}\n`);
      } catch (error) {
        failed += 1;
        process.stdout.write(`FAILED ${name} ${title}\n${error.message}\n`);
        // What follows builds on it.
        break;
      }
    }
  }
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  if (failed > 0) process.exitCode = 1;
}

/** What it printed, its remarks included; throws when it ended with a failure. */
function runClient(path, words, env) {
  const { status, stdout, stderr, error } = spawnSync(path, words, {
    env,
    encoding: "utf8",
    timeout: STEP_MS,
  });
  if (error) throw error;
  assert.equal(status, 0, `${path} ${words.join(" ")}\n${stdout}${stderr}`);
  return `${stdout}${stderr}`;
}
