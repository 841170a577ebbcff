import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { counted } from "../../contracts/report/counted.ts";
import { parseStorable } from "../../contracts/spec/exact-json.ts";
import type { ErrorReply } from "../../emulator/client/send.ts";
import { fileAdvice } from "../../emulator/runtime/process/file-advice.ts";
import { clientCommand, type Work } from "../client-command.ts";
import { CALLER_FLAGS, CommandFailure, UsageError } from "../command.ts";
import type { RunningWorld } from "../running.ts";
import { textOf } from "../values.ts";

type Rows = ReturnType<typeof readRows>;

/** `traces send`: sends the rows of a file as a tracing client does. */
export const sendTraces = clientCommand({
  summary:
    'send the trace rows of a file: JSON objects, one per line; or, with the suffix .json, an array of rows or a body of POST /runs/batch such as {"post":[{…}]}',
  operands: ["<file>"],
  unit: "rows",
  flags: {
    project: { value: "<name>", help: "project of rows without session_name and session_id" },
    ...CALLER_FLAGS,
  },
  prepare(invocation) {
    const [name = ""] = invocation.operands;
    const project = textOf(invocation, "project");
    const rows = readRows(resolve(invocation.cwd, name), name).map((row) =>
      project === undefined || row.session_name != null || row.session_id != null
        ? row
        : { ...row, session_name: project },
    );
    return (world, work) => sendAll(world, work, rows, name);
  },
  lines: ({ rows, requests }) => [`${counted(rows, "row")} sent in ${counted(requests, "request")}`],
});

async function sendAll({ api }: RunningWorld, { progress, onStop }: Work, rows: Rows, name: string) {
  let [sentCount, requests] = [0, 0];
  let isStopped = false;
  onStop(() => {
    isStopped = true;
  });
  for (const post of batchesOf(rows)) {
    if (isStopped) throw new CommandFailure(`rows 1 to ${sentCount} of ${rows.length} were ingested`);
    await api("POST", "/runs/batch", { post }).catch((error: ErrorReply) => {
      throw explained(error, name, sentCount, post.length);
    });
    sentCount += post.length;
    requests += 1;
    progress.show(`sent ${sentCount} of ${counted(rows.length, "row")}`, sentCount, rows.length);
  }
  return { rows: sentCount, requests };
}

/** Batches before the refused one are already ingested. */
function explained(error: ErrorReply, name: string, sentCount: number, size: number): Error {
  if (error.description === undefined) return error;
  const before = sentCount === 0 ? "no rows were ingested" : `rows 1 to ${sentCount} were ingested`;
  const message = `${name}: rows ${sentCount + 1} to ${sentCount + size}: ${error.description}; ${before}`;
  return sentCount === 0 && error.status === 422 ? new UsageError(message) : new CommandFailure(message);
}

type Row = Readonly<Record<string, unknown>>;

/** Rows of a file: a JSON object a line, an array of them, or a batch body (`{"post":[…]}`). Throws `UsageError`. */
function readRows(path: string, name: string): readonly Row[] {
  const text = textOfFile(path, name);
  const values = name.endsWith(".json") ? arrayIn(text, name) : linesIn(text, name);
  if (values.length === 0) throw new UsageError(`${name}: has no rows; give at least one`);
  for (const [index, value] of values.entries())
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new UsageError(`${name}: row ${index + 1} is not a JSON object`);
  return values as readonly Row[];
}

function textOfFile(path: string, name: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`${name}: ${fileAdvice(error)}`);
  }
}

function linesIn(text: string, name: string): readonly unknown[] {
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    return [parseJson(line, `${name}: line ${index + 1}`)];
  });
}

function arrayIn(text: string, name: string): readonly unknown[] {
  const value = parseJson(text, name);
  if (Array.isArray(value)) return value;
  const { post } = (value ?? {}) as { readonly post?: unknown };
  if (Array.isArray(post)) return post;
  throw new UsageError(`${name}: the file has neither an array of rows nor an object with the array "post"`);
}

function parseJson(text: string, where: string): unknown {
  try {
    return parseStorable(text, "the text");
  } catch (error) {
    throw new UsageError(`${where} is not valid JSON (${(error as Error).message})`);
  }
}

const BATCH_ROWS = 500;
const BATCH_CHARS = 4_000_000;

/** Rows cut into batches that stay well below the limit of a request's body. */
function* batchesOf(rows: readonly Row[]): Generator<readonly Row[]> {
  let batch: Row[] = [];
  let chars = 0;
  for (const row of rows) {
    const size = JSON.stringify(row).length;
    if (batch.length > 0 && (batch.length >= BATCH_ROWS || chars + size > BATCH_CHARS)) {
      yield batch;
      [batch, chars] = [[], 0];
    }
    batch.push(row);
    chars += size;
  }
  if (batch.length > 0) yield batch;
}
