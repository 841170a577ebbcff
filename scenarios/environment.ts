/** A world for one scenario: fresh, with its clock frozen. */
export interface Environment {
  readonly url: string;
  readonly euUrl: string;
  readonly s3Url: string;
  readonly seed: number;
  request(asked: ScenarioRequest): Promise<ScenarioReply>;
  /** Opens an exported file that is in memory. */
  readonly readParquet: ReadParquet;
  close(): Promise<void>;
}

/** A request as a scenario words it. */
export interface ScenarioRequest {
  readonly region: "us" | "eu";
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** A reply as it came; names of headers in lower case. */
export interface ScenarioReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** What a scenario wants to be played on. */
export interface EnvironmentOptions {
  readonly seed: number | undefined;
  readonly now: string | undefined;
  readonly settings: Readonly<Record<string, unknown>>;
  /** True for one that works with what all worlds of an emulator share. */
  readonly isAlone: boolean;
}

/** Reads a Parquet file that is in memory, in the values in which rows are compared; a broken one throws. */
export type ReadParquet = (bytes: Uint8Array) => Promise<ParquetTable>;

/** A file's columns in their order, and its rows some at a time. */
export interface ParquetTable {
  readonly columns: readonly { readonly name: string }[];
  readonly rowCount: number;
  batches(): AsyncIterable<readonly Readonly<Record<string, unknown>>[]>;
}

/** Gives each scenario a fresh environment. */
export interface Environments {
  /** How many may be open at the same time; undefined for any number. */
  readonly maxOpen?: number;
  /** True when the world of a scenario is still there when it was played. */
  readonly keepsWorlds?: boolean;
  open(setting: EnvironmentOptions): Promise<Environment>;
  /** Closes what is still open, and opens no more. */
  close(): Promise<void>;
}

/** The environment cannot be what the scenario wants. */
export class EnvironmentError extends Error {
  override readonly name = "EnvironmentError";
}

/** What came back, as a scenario looks at it. */
export async function replyOf(reply: Response): Promise<ScenarioReply> {
  return { status: reply.status, headers: Object.fromEntries(reply.headers), text: await reply.text() };
}
