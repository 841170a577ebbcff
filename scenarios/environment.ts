/** The world of one scenario: fresh, with its clock frozen. */
export interface Environment {
  readonly url: string;
  readonly euUrl: string;
  readonly s3Url: string;
  readonly seed: number;
  request(request: ScenarioRequest): Promise<ScenarioReply>;
  /** Reads an exported Parquet file in memory. */
  readonly readParquet: ReadParquet;
  close(): Promise<void>;
}

export interface ScenarioRequest {
  readonly region: "us" | "eu";
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** A reply as received; header names in lower case. */
export interface ScenarioReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface EnvironmentOptions {
  readonly seed: number | undefined;
  readonly now: string | undefined;
  readonly settings: Readonly<Record<string, unknown>>;
  /** True if it uses what all worlds of an emulator share, such as snapshots. */
  readonly isAlone: boolean;
  /** Its process is killed after the first turn from this number on that falls into a move of the clock. */
  readonly killAfterTurn?: number | undefined;
}

/** Reads a Parquet file in memory as comparable values; throws for a damaged file. */
export type ReadParquet = (bytes: Uint8Array) => Promise<ParquetTable>;

/** The columns of a file in order, and its rows in batches. */
export interface ParquetTable {
  readonly columns: readonly { readonly name: string }[];
  readonly rowCount: number;
  batches(): AsyncIterable<readonly Readonly<Record<string, unknown>>[]>;
}

/** Opens a fresh environment for each scenario. */
export interface Environments {
  /** Maximum number open at the same time; undefined for no limit. */
  readonly maxOpen?: number;
  /** True if the world of a scenario remains after it was played. */
  readonly keepsWorlds?: boolean;
  open(setting: EnvironmentOptions): Promise<Environment>;
  /** Closes all open environments and refuses new ones. */
  close(): Promise<void>;
}

/** The environment cannot meet the requirements of the scenario. */
export class EnvironmentError extends Error {
  override readonly name = "EnvironmentError";
}

/** A reply in the form that expectations are compared with. */
export async function replyOf(reply: Response): Promise<ScenarioReply> {
  return { status: reply.status, headers: Object.fromEntries(reply.headers), text: await reply.text() };
}

/** The same reply; throws `EnvironmentError` if it reports that the world of this name no longer exists. */
export function refuseGone(reply: ScenarioReply, world: string): ScenarioReply {
  const messages = [`The world ${world} does not exist.`, `The world ${world} was removed.`];
  if (reply.status === 404 && messages.some((text) => reply.text.includes(text)))
    throw new EnvironmentError(`its world ${world} was removed while it was played`);
  return reply;
}
