import { parentPort, workerData } from "node:worker_threads";
import type { BackgroundOrder } from "./background.ts";
import { fold } from "./journal/fold.ts";
import { sweepOwners } from "./sweep.ts";

const order = workerData as BackgroundOrder;
parentPort?.postMessage("target" in order ? fold(order) : sweepOwners(order));
