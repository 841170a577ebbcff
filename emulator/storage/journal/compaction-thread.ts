import { workerData } from "node:worker_threads";
import { compact } from "./compaction.ts";

const { folder, upTo } = workerData as { folder: string; upTo: number };
compact(folder, upTo);
