import { type StatsFs, statfsSync } from "node:fs";
import { Refusal } from "../../kernel/refusal.ts";
import type { HttpRequest } from "../../subjects/message.ts";

/**
 * Says of each request whether the disk has room for what it may store. The gateways refuse those that add to
 * the world before any of it is written: a write that fails in a turn ends the world.
 */
export interface FreeSpaceGuard {
  /** The request unchanged, or with a problem when the disk has no space for it. */
  withStorageProblem(request: HttpRequest): HttpRequest;
  /** Throws the `Refusal` when so many bytes of an object would use up what is kept for the world. */
  requireSpace(bytes: number): void;
  /** Whether what adds to a world is refused at present, however small it is. */
  isFull(): boolean;
}

type DiskSpace = Pick<StatsFs, "bavail" | "blocks" | "bsize">;

/** Room that is kept for what the world does by itself: events, exports, the end of the process. */
const RESERVE_BYTES = 16 * 1024 * 1024;
/** Of a small disk no more than this is kept. */
const RESERVE_PART = 0.1;
/** With so much room the disk is looked at only once in a while. */
const PLENTY_BYTES = 1024 * 1024 * 1024;
const PLENTY_MS = 1000;
/** A body becomes a record or row, its index, and what follows from it. */
const WRITTEN_PER_BODY_BYTE = 3;

/** Watches the free space of the disk with a folder. */
export function createFreeSpaceGuard(
  folder: string,
  measure: (folder: string) => DiskSpace = statfsSync,
): FreeSpaceGuard {
  let plentyUntil = Number.NEGATIVE_INFINITY;

  function freeBytes(): number {
    const { bavail, blocks, bsize } = measure(folder);
    const free = bavail * bsize;
    if (free >= PLENTY_BYTES) plentyUntil = performance.now() + PLENTY_MS;
    return free - Math.min(RESERVE_BYTES, blocks * bsize * RESERVE_PART);
  }

  function lacks(bytes: number): boolean {
    return (bytes >= RESERVE_BYTES || performance.now() >= plentyUntil) && freeBytes() < bytes;
  }

  return {
    withStorageProblem: (request) =>
      lacks(request.body.length * WRITTEN_PER_BODY_BYTE)
        ? { ...request, storageProblem: refusalFor(folder) }
        : request,
    requireSpace(bytes) {
      if (lacks(bytes)) throw refusalFor(folder);
    },
    isFull: () => lacks(0),
  };
}

function refusalFor(folder: string): Refusal {
  return new Refusal(
    413,
    "disk_full",
    `The disk with ${folder} is full, so requests that add data are refused. Existing data is safe.`,
    "Free disk space (POST /_emulator/v1/reset empties the world), then repeat the request.",
  );
}
