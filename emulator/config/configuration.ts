import type { Instant } from "../kernel/instant.ts";
import type { CredentialRequest } from "../subjects/object-storage/credentials.ts";
import type { Settings } from "../subjects/settings.ts";

/** The resolved configuration: defaults, configuration file, environment, flags and options. */
export interface Configuration {
  /** US origin; EU = port + 1, S3 = port + 2; 0 takes three free ports. */
  readonly port: number;
  readonly host: string;
  /** Host names at which control requests are accepted, in addition to loopback names. */
  readonly allowedHosts: readonly string[];
  readonly corsOrigins: readonly string[];
  /** Null: state in memory, bodies in a temporary folder that is removed with the process. */
  readonly dataFolder: string | null;
  /** A snapshot file that initialises a fresh world. */
  readonly importFile: string | null;
  /** A file to which the world `main` is exported at exit. */
  readonly exportFile: string | null;
  /** A file with the secrets that the imported one goes without. */
  readonly secretsFile: string | null;
  readonly seed: number;
  /** Virtual start; null: current time of the wall clock. */
  readonly now: Instant | null;
  readonly clock: ClockChoice;
  /** Whether a request that waits for a run advances a frozen clock. */
  readonly followWaits: boolean;
  /** Whether worlds note which open choices of the specification are read. */
  readonly noteChoices: boolean;
  readonly settings: Settings;
  readonly seedData: SeedData;
}

/** The clock to start with. Null: as the stored world has it; a new world without a time of its own follows the wall clock. */
export interface ClockChoice {
  readonly mode: "wall" | "flowing" | "frozen" | null;
  readonly rate: number | null;
}

/** Seed data of a fresh world, in addition to the standard workspace, key pair and bucket. */
export interface SeedData {
  readonly buckets: readonly string[];
  /** NDJSON files or JSON bodies of trace runs to ingest, absolute paths. */
  readonly traces: readonly { readonly file: string; readonly project: string }[];
  readonly projects: readonly string[];
  readonly destinations: readonly Readonly<Record<string, unknown>>[];
  /** Key pairs of the embedded object store; one with the standard id replaces the standard pair. */
  readonly keys: readonly SeedKey[];
}

/** In the form of the body of `POST /_emulator/v1/s3/credentials`. */
export type SeedKey = CredentialRequest;

/** Facts about a running emulator, in the ready line, the ready file and the locator file. */
export interface ReadyLine {
  readonly ready: true;
  readonly url: string;
  readonly eu_url: string;
  readonly s3_url: string;
  readonly pid: number;
  readonly version: string;
  readonly seed: number;
  readonly now: string;
}
