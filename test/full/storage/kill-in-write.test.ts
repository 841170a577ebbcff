import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { expect, test } from "vitest";
import type { TraceScope } from "../../../emulator/subjects/traces/port.ts";
import {
  DAY,
  idOf,
  openTraceStore,
  readAll,
  SCOPE,
  type TestRows,
  temporaryFolder,
  wholeDay,
} from "../../storage/rows/open-store.ts";
import { environmentToKillInWrite } from "../../support/torn-write.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const NEXT_DAY = "2025-03-02";
/** A third of them has each part of a write and each tenant once. */
const ROUNDS = 16;
const BATCH = 20;
const IDS = 100;
const TENANTS = [SCOPE, { ...SCOPE, tenantId: idOf(1000) }] as const;

/** Which version of which row the nth one is: each turn writes rows of two days and moves some to the other one. */
function rowOf(n: number) {
  return { id: n % IDS, day: n % 3 ? DAY : NEXT_DAY, total_tokens: n };
}

/** A program that writes turn after turn, and prints each one that is stored. */
const WRITER = `
  import { instant, openTraceStore, SCOPE, sampleRow } from "./sample.ts";
  const [folder, tenantId, first] = process.argv.slice(2);
  const store = openTraceStore({ folder });
  for (let n = Number(first); ; n += ${BATCH}) {
    store.write({ ...SCOPE, tenantId }, Array.from({ length: ${BATCH} }, (_, at) => {
      const version = n + at;
      const day = version % 3 ? "${DAY}" : "${NEXT_DAY}";
      return sampleRow(version % ${IDS}, { total_tokens: version, start_time: instant(version % 7, day) });
    }));
    process.stdout.write((n + ${BATCH}) + "\\n");
  }
`;

function buildWriter(): string {
  const program = temporaryFolder();
  // The helpers of the rows import the test runner, which a plain program has not.
  const sample = readFileSync(new URL("../../storage/rows/open-store.ts", import.meta.url), "utf8")
    .replace(/import \{ onTestFinished \}.*\n/, "const onTestFinished = (_) => {};\n")
    .replaceAll("../../../", ROOT);
  writeFileSync(join(program, "sample.ts"), sample);
  writeFileSync(join(program, "writer.ts"), WRITER);
  const built = join(program, "writer.mjs");
  buildSync({
    entryPoints: [join(program, "writer.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    nodePaths: [join(ROOT, "node_modules")],
    outfile: built,
  });
  return built;
}

/** Runs the writer until it is killed in a write; answers how many rows were acknowledged. */
async function write(
  writer: string,
  words: readonly (string | number)[],
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const child = spawn(process.execPath, [writer, ...words.map(String)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...env },
  });
  let text = "";
  for await (const piece of child.stdout.setEncoding("utf8")) text += piece;
  return Math.max(0, ...text.split("\n").map(Number));
}

/** Each row must be there as the last of these versions has it, and nothing else. */
function expectRows(store: TestRows, scope: TraceScope, versions: readonly number[]): void {
  const newest = new Map(versions.map((n) => [rowOf(n).id, rowOf(n)]));
  for (const { id, total_tokens } of newest.values())
    expect(store.read(scope, idOf(id))?.total_tokens).toBe(total_tokens);
  for (const day of [DAY, NEXT_DAY]) {
    const window = { ...wholeDay(store.mark(), day), ...scope };
    const rows = readAll(store.location, window).map(({ total_tokens }) => total_tokens);
    const expected = [...newest.values()].filter((row) => row.day === day);
    expect(rows.sort()).toStrictEqual(expected.map(({ total_tokens }) => total_tokens).sort());
  }
}

test("a turn over two days is there whole or not at all, wherever in a write its process is killed", async () => {
  const writer = buildWriter();
  const folder = temporaryFolder();
  const versions: [number[], number[]] = [[], []];
  let survivors = 0;
  // Data and index of two tails and a journal line are five writes a turn.
  for (let round = 0; round < ROUNDS; round += 1) {
    const [written, other] = round % 2 ? ([1, 0] as const) : ([0, 1] as const);
    const words = [folder, TENANTS[written].tenantId, survivors];
    const env = environmentToKillInWrite(1 + ((round * 7) % 19), (round % 4) / 3);
    const acknowledged = await write(writer, words, env);
    const store = openTraceStore({ folder });
    const mark = store.mark();
    expect(mark % BATCH).toBe(0);
    expect(mark).toBeGreaterThanOrEqual(Math.max(survivors, acknowledged));
    expect(mark).toBeLessThanOrEqual(Math.max(survivors, acknowledged) + BATCH);
    for (let n = survivors; n < mark; n += 1) versions[written].push(n);
    // What was lost of this tenant is looked at only after the other one's next turns have taken its numbers.
    expectRows(store, TENANTS[other], versions[other]);
    survivors = mark;
    store.close();
    store.manifests.close(false);
  }
  expect(survivors).toBeGreaterThan((10 * BATCH * ROUNDS) / 24);
  const store = openTraceStore({ folder });
  TENANTS.forEach((scope, at) => {
    expectRows(store, scope, versions[at] ?? []);
  });
});
