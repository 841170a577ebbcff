import { existsSync, readFileSync } from "node:fs";
import { emptyState } from "../../kernel/commit.ts";
import type { Secrets } from "../../subjects/turn.ts";
import { parseSummed } from "../checksum.ts";
import { readPast } from "../history/past-file.ts";
import { readHead } from "../journal/read-head.ts";
import type { StoredState } from "../journal/state.ts";
import {
  type Kind,
  type KnownHeads,
  type LogLine,
  logPath,
  noWorlds,
  readLog,
  takeLine,
} from "../pool/heads-log.ts";
import type { Head } from "../pool/names.ts";
import type { Pool } from "../pool/pool.ts";
import { keyPath, openSecrets } from "../secrets.ts";
import { StoreError } from "../store-error.ts";
import type { Findings } from "./findings.ts";

const NO_STATE = emptyState(0, 0, { mode: "frozen", rate: 1 });
const LINE_FEED = 0x0a;

/** A world or a snapshot as far as it can be read. */
export interface FoundHead {
  readonly kind: Kind;
  readonly name: string;
  readonly head: Head;
  /** Undefined when not even its first state can be read. */
  readonly stored: StoredState | undefined;
  /** Whether that is all that was written. */
  readonly isWhole: boolean;
  /** Whether its history, as a closed process leaves it, is all there. */
  readonly hasPast: boolean;
}

/** Runs an act; a `StoreError` of it is a finding, and answers undefined. */
export function tried<T>(findings: Findings, act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof StoreError) || error.code === "other_format") throw error;
    findings.problem(error);
    return undefined;
  }
}

/** The key of a data folder; undefined when it is lost. */
export function findSecrets(pool: Pool, findings: Findings): Secrets | undefined {
  return tried(findings, () => {
    const secrets = openSecrets(pool.root);
    for (const isCopy of [false, true])
      try {
        readLog(pool, secrets, isCopy);
      } catch (error) {
        // The list has findings of its own.
        if (error instanceof StoreError && error.message.includes(keyPath(pool.root))) throw error;
      }
    return secrets;
  });
}

/** The worlds and snapshots of a data folder, of whatever can be read of the list of them. */
export function findHeads(pool: Pool, findings: Findings): KnownHeads {
  const list = tried(findings, () => readLog(pool, undefined));
  const copy = tried(findings, () => readLog(pool, undefined, true));
  const found = list ?? copy ?? knownIn(pool.root);
  if (!list && copy) findings.rebuilt(`${logPath(pool.root)}, from its copy`);
  else if (!copy && list) findings.rebuilt(`${logPath(pool.root, true)}`);
  else if (!list) findings.lost("changes of the list of worlds");
  found.next = Math.max(found.next, 1 + Math.max(0, ...pool.owners()));
  return found;
}

/** What the whole lines of the list and of its copy say. */
function knownIn(root: string): KnownHeads {
  const known = noWorlds();
  for (const path of [logPath(root, true), logPath(root)]) {
    const all = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
    for (let start = 0; start < all.length; ) {
      const stop = all.indexOf(LINE_FEED, start);
      if (stop < 0) break;
      const line = parseSummed(all, start, stop);
      if (line) takeLine(known, line as LogLine);
      start = stop + 1;
    }
  }
  return known;
}

/** Reads every world and snapshot as far as it goes. */
export function readFound(pool: Pool, known: KnownHeads, findings: Findings): FoundHead[] {
  const all = [
    ...[...known.world].map(([name, { head }]) => ({ kind: "world" as const, name, head })),
    ...[...known.snapshot].map(([name, { head }]) => ({ kind: "snapshot" as const, name, head })),
  ];
  return all.map((each) => {
    let isWhole = true;
    const onDamage = (error: StoreError): void => {
      isWhole = false;
      findings.problem(error);
    };
    const stored = tried(findings, () => {
      return readHead(pool, each.head, NO_STATE, { onDamage });
    });
    const { past } = each.head;
    const hasPast = !past || tried(findings, () => readPast(pool.path(past.file))) !== undefined;
    return { ...each, stored, isWhole: isWhole && stored !== undefined, hasPast };
  });
}
