import { readParquetFile } from "../emulator/storage/parquet/read-file.ts";
import { isSelector } from "./expectations.ts";
import { differences, shownValue } from "./matching.ts";
import { createObjectReader, type ObjectReader, READER_KEY } from "./object-reader.ts";
import { valueAt } from "./paths.ts";
import type { Variables } from "./variables.ts";

/** What an `expect` step looks at, and how. */
export interface Observation {
  readonly s3Url: string;
  readonly variables: Variables;
  control<T>(method: string, path: string, body?: unknown): Promise<T>;
  api<T>(path: string): Promise<T>;
  /** Kept from the first look at the object store on. */
  reader?: ObjectReader;
}

type Reader = (
  observation: Observation,
  selector: Readonly<Record<string, unknown>>,
) => Promise<Readonly<Record<string, unknown>>>;

/** Where an expectation can look; each gives the values that the members of the expectation are compared with. */
const SOURCES: Readonly<Record<string, Reader>> = {
  objects: async (observation, { bucket = "traces", prefix = "" }) => {
    const keys = await (await objectReaderOf(observation)).list(String(bucket), String(prefix));
    return { keys, count: keys.length };
  },
  parquet: (observation, { export: id }) => exportedRows(observation, String(id)),
  verify: (observation, { export: id }) => observation.control("GET", `/exports/${String(id)}/verify`),
  deliveries: async (observation, { where }) =>
    listed(await observation.control("GET", "/webhooks/deliveries?limit=10000"), where),
  journal: async (observation, { where }) => listed(await observation.control("GET", "/journal"), where),
  variables: async ({ variables }) => variables,
};

/** How the world differs from an expectation. */
export async function worldDifferences(
  observation: Observation,
  expected: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): Promise<string[]> {
  const found: string[] = [];
  for (const [source, selector] of Object.entries(expected)) {
    const actual = await SOURCES[source]?.(observation, selector);
    const members = Object.entries(selector).filter(([name]) => !isSelector(source, name));
    for (const [name, member] of members)
      found.push(...differences(member, valueAt(actual, name), `${source}.${name}`));
  }
  return found;
}

function listed(list: readonly unknown[], where: unknown) {
  const found = where === undefined ? list : list.filter((item) => differences(where, item).length === 0);
  return { list: found, count: found.length };
}

interface ExportRun {
  readonly metadata: { readonly files: readonly string[] };
}

/** All rows of the files that an export's runs name, column by column. */
async function exportedRows(observation: Observation, id: string) {
  const path = `/api/v1/bulk-exports/${id}/runs`;
  const runs = await observation.api<readonly ExportRun[]>(path);
  if (!Array.isArray(runs)) throw new Error(`GET ${path}: ${shownValue(runs)}`);
  const files = runs.flatMap(({ metadata }) => metadata.files);
  const reader = await objectReaderOf(observation);
  const columns = new Set<string>();
  const values: Record<string, unknown[]> = {};
  let rows = 0;
  for (const file of files) {
    const slash = file.indexOf("/");
    const parquet = await readParquetFile(await reader.read(file.slice(0, slash), file.slice(slash + 1)));
    rows += parquet.rowCount;
    for (const { name } of parquet.columns) columns.add(name);
    for await (const batch of parquet.batches())
      for (const row of batch)
        for (const [name, value] of Object.entries(row)) {
          values[name] ??= [];
          values[name].push(value);
        }
  }
  return { files: files.length, rows, columns: [...columns], values };
}

async function objectReaderOf(observation: Observation): Promise<ObjectReader> {
  if (observation.reader) return observation.reader;
  await observation.control("POST", "/s3/credentials", READER_KEY);
  observation.reader = createObjectReader(observation.s3Url);
  return observation.reader;
}
