import type { InitialSettings } from "../../kernel/commit.ts";
import type { MissingSecrets } from "../../subjects/snapshot-secrets.ts";
import type { Manifest } from "./names.ts";

/** A world in the list of worlds. */
export interface WorldEntry {
  readonly manifest: Manifest;
  /** The world or snapshot that it was forked from; null for one that began empty. */
  readonly from: string | null;
  /** The settings that it begins with after each reset, if they differ from the configuration. */
  readonly beginning?: InitialSettings;
  /** Set until the world has all its initial data. A process that starts before then fills it again. */
  readonly isFilling?: true;
}

/** A snapshot in the list of worlds. */
export interface SnapshotEntry {
  readonly manifest: Manifest;
  /** The world that it was taken of. */
  readonly of: string;
  /** Virtual time, and the number of the last turn. */
  readonly now: string;
  readonly turn: number;
  /** The secrets that an imported snapshot lacks. */
  readonly missing?: MissingSecrets;
}
