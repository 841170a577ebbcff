// Replacements for the helpers of the tracing client's suite, for a copy that has only the tests.

import { setTimeout as pause } from "node:timers/promises";
import { test } from "vitest";

const POLL_MS = 200;
/** The service indexes for minutes what the emulator stores at once. */
const MAX_WAIT_MS = 10_000;

/** Requirements on a server: all tests run. */
export const requiresClickhouse = { test };
export const requiresBetaDataset = { test };
export const requiresV2 = { test };

export const skipIfTransientError = (run) => run();
export const skipOnRateLimit = (run) => run();

/** Asks until the answer is true; an error counts as no. */
export async function waitUntil(isSo, timeoutMs = MAX_WAIT_MS) {
  for (const end = Date.now() + Math.min(timeoutMs, MAX_WAIT_MS); ; await pause(POLL_MS)) {
    if (await isSo().catch(() => false)) return;
    if (Date.now() > end) throw new Error(`It was not so in time: ${isSo}`);
  }
}

export const waitUntilRunFound = (client, id, withOutputs = false) =>
  waitUntil(async () => {
    const run = await client.readRun(id);
    return !withOutputs || Object.keys(run.outputs ?? {}).length > 0;
  });

export const waitUntilProjectFound = (client, projectName) =>
  waitUntil(() => client.readProject({ projectName }).then(() => true));

export const pollRunsUntilCount = (client, projectName, count, timeoutMs) =>
  waitUntil(async () => (await toArray(client.listRuns({ projectName }))).length === count, timeoutMs);

export async function resolveTraceId(client, runId) {
  return (await client.readRun(runId)).trace_id;
}

export async function toArray(items) {
  const results = [];
  for await (const item of items) results.push(item);
  return results;
}

export async function deleteProject(client, projectName) {
  if (await client.hasProject({ projectName })) await client.deleteProject({ projectName });
}

export async function deleteDataset(client, datasetName) {
  if (await client.hasDataset({ datasetName })) await client.deleteDataset({ datasetName });
}

/** Addresses that are signed for each reply are not compared. */
export const sanitizePresignedUrls = (value) =>
  JSON.parse(JSON.stringify(value, (key, each) => (key.endsWith("s3_urls") ? null : each)));

/** The payloads of ten runs of a project. */
export function createRunsFactory(project_name) {
  return Array.from({ length: 10 }, (_, index) => ({
    id: crypto.randomUUID(),
    project_name,
    name: `run ${index}`,
    run_type: "chain",
    inputs: { index },
    outputs: { index },
  }));
}
