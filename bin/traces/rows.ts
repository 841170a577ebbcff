import { readFileSync } from "node:fs";
import { fileAdvice } from "../../emulator/storage/file-advice.ts";
import { UsageError } from "../command.ts";

type Row = Readonly<Record<string, unknown>>;

/** Rows of a file: a JSON object a line, an array of them, or a batch body (`{"post":[…]}`). Throws `UsageError`. */
export function readRows(path: string, name: string): readonly Row[] {
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
    return [parsed(line, `${name}: line ${index + 1}`)];
  });
}

function arrayIn(text: string, name: string): readonly unknown[] {
  const value = parsed(text, name);
  if (Array.isArray(value)) return value;
  const { post } = (value ?? {}) as { readonly post?: unknown };
  if (Array.isArray(post)) return post;
  throw new UsageError(`${name}: the file has neither an array of rows nor an object with the array "post"`);
}

function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${where} is not valid JSON (${(error as Error).message})`);
  }
}

const BATCH_ROWS = 500;
const BATCH_CHARS = 4_000_000;

/** Rows cut into batches that stay well below the limit of a request's body. */
export function* batchesOf(rows: readonly Row[]): Generator<readonly Row[]> {
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
