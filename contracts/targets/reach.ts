import type { Reach } from "../engine/target.ts";
import { openReceiver } from "./receiver.ts";

/** The machine that the harness runs on. */
export const REACH: Reach = {
  receiver: () => openReceiver(),
  async parquet(bytes) {
    const { readParquet } = await import("./parquet.ts");
    return readParquet(bytes);
  },
  async fuzz(row, seed, count) {
    const { fuzzedRequests } = await import("./fuzz.ts");
    return fuzzedRequests(row, seed, count);
  },
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  now: Date.now,
};
