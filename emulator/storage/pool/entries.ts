import type { InitialSettings } from "../../kernel/commit.ts";
import type { MissingSecrets } from "../../subjects/snapshot-secrets.ts";
import type { Manifest } from "./names.ts";

/** What is kept of a world. */
export interface WorldEntry {
  readonly manifest: Manifest;
  /** The world or snapshot that it began with; null for one that began empty. */
  readonly from: string | null;
  /** How it begins whenever it begins anew, if not as the configuration says. */
  readonly beginning?: InitialSettings;
  /** Set until it holds all that it begins with: a process that starts in between begins it once more. */
  readonly isFilling?: true;
}

/** A snapshot: a world that was put aside, and what a world that goes on from it has to know. */
export interface SnapshotEntry {
  readonly manifest: Manifest;
  /** The world that it is of. */
  readonly of: string;
  /** Virtual time, and the number of the last turn. */
  readonly now: string;
  readonly turn: number;
  /** What it has no secrets for; only of one that was imported. */
  readonly missing?: MissingSecrets;
}
