import type { ClockState } from "../kernel/commit.ts";
import type { Instant } from "../kernel/instant.ts";
import type { CredentialRequest } from "../subjects/object-storage/credentials.ts";
import type { Settings } from "../subjects/settings.ts";

/** All that `start` needs to know, resolved from defaults, configuration file, environment, flags and options. */
export interface Configuration {
  /** US origin; EU = port + 1, S3 = port + 2; 0 takes three free ports. */
  readonly port: number;
  readonly host: string;
  /** Host names that the control surface answers to beside loopback names. */
  readonly allowedHosts: readonly string[];
  /** Null keeps everything in memory and bodies in a temporary folder that goes with the process. */
  readonly dataFolder: string | null;
  /** A snapshot file that a fresh world begins with. */
  readonly importFile: string | null;
  /** A file that the world `main` is written to at the end. */
  readonly exportFile: string | null;
  /** A file with the secrets that the imported one goes without. */
  readonly secretsFile: string | null;
  readonly seed: number;
  /** Virtual start; null is the wall clock's now. */
  readonly now: Instant | null;
  readonly clock: ClockState;
  /** Whether a request that waits for a run moves time that stands still. */
  readonly followWaits: boolean;
  readonly settings: Settings;
  readonly seedData: SeedData;
}

/** What a fresh world is given beside the standard workspace, key pair and bucket. */
export interface SeedData {
  readonly buckets: readonly string[];
  /** NDJSON files or JSON bodies of trace runs to ingest, absolute paths. */
  readonly traces: readonly { readonly file: string; readonly project: string }[];
  readonly projects: readonly string[];
  readonly destinations: readonly Readonly<Record<string, unknown>>[];
  /** Key pairs of the embedded object store; one of the standard pair's name changes that. */
  readonly keys: readonly SeedKey[];
}

/** As `POST /_emulator/v1/s3/credentials` takes it. */
export type SeedKey = CredentialRequest;

/** What a running emulator says of itself: the ready line, the ready file and the locator file. */
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
