import type { ReplyBodyOf } from "../contracts/spec/operations.ts";
import { openObjectStore } from "../contracts/targets/object-store.ts";
import type { ControlClient } from "../emulator/client/control-client.ts";
import type { Environment } from "./environment.ts";
import { isSelector } from "./expectations.ts";
import { differences, shownValue } from "./matching.ts";
import { valueAt } from "./paths.ts";
import type { Variables } from "./variables.ts";

/** The context of an `expect` step. */
export interface Observation {
  readonly environment: Pick<Environment, "s3Url" | "readParquet">;
  readonly variables: Variables;
  readonly control: ControlClient;
  api<T>(path: string): Promise<T>;
  /** Created at the first access to the object store. */
  objects?: ReturnType<typeof openObjectStore>;
}

/** A separate key pair, so that a scenario which deletes the standard one can still be checked. */
const READER_KEY = {
  access_key_id: "scenario-reader",
  secret_access_key: "scenario-reader-secret",
  allow: ["get", "list"],
} as const;

type Reader = (
  observation: Observation,
  selector: Readonly<Record<string, unknown>>,
) => Promise<Readonly<Record<string, unknown>>>;

/** The sources of an expectation; each reads the values to compare with its members. */
const SOURCES: Readonly<Record<string, Reader>> = {
  objects: async (observation, { bucket = "traces", prefix = "" }) => {
    const keys = await (await objectsOf(observation)).list(String(bucket), String(prefix));
    return { keys, count: keys.length };
  },
  parquet: (observation, { export: id }) => exportedRows(observation, String(id)),
  verify: async ({ control }, { export: id }) => ({ ...(await control.exports.verify(String(id))) }),
  deliveries: async ({ control }, { where }) => matchingItems(await control.webhooks.deliveries(), where),
  journal: async ({ control }, { where }) => matchingItems(await control.journal(), where),
  variables: async ({ variables }) => variables,
};

/** The differences between the world and an expectation. */
export async function worldDifferences(
  observation: Observation,
  expected: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): Promise<string[]> {
  const differenceLines: string[] = [];
  for (const [source, selector] of Object.entries(expected)) {
    const actual = await SOURCES[source]?.(observation, selector);
    const members = Object.entries(selector).filter(([name]) => !isSelector(source, name));
    for (const [name, member] of members)
      differenceLines.push(...differences(member, valueAt(actual, name), `${source}.${name}`));
  }
  return differenceLines;
}

function matchingItems(list: readonly unknown[], where: unknown) {
  const matches = where === undefined ? list : list.filter((item) => differences(where, item).length === 0);
  return { list: matches, count: matches.length };
}

/** All rows of the files listed in an export's runs, as columns. */
async function exportedRows(observation: Observation, id: string) {
  const path = `/api/v1/bulk-exports/${id}/runs`;
  const runs = await observation.api<ReplyBodyOf<"listBulkExportRuns">>(path);
  if (!Array.isArray(runs)) throw new Error(`GET ${path}: ${shownValue(runs)}`);
  const files = runs.flatMap(({ metadata }) => metadata.files);
  const objects = await objectsOf(observation);
  const columns = new Set<string>();
  const values: Record<string, unknown[]> = {};
  let rows = 0;
  for (const file of files) {
    const slash = file.indexOf("/");
    const bytes = await objects.get(file.slice(0, slash), file.slice(slash + 1));
    const parquet = await observation.environment.readParquet(bytes);
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

async function objectsOf(observation: Observation): Promise<NonNullable<Observation["objects"]>> {
  if (observation.objects) return observation.objects;
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = READER_KEY;
  await observation.control.objectStorage.createCredential(READER_KEY);
  observation.objects = openObjectStore(observation.environment.s3Url, {
    region: "us-east-1",
    accessKeyId,
    secretAccessKey,
  });
  return observation.objects;
}
