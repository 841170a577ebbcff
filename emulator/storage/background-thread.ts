import { parentPort, workerData } from "node:worker_threads";
import { type BackgroundOrder, perform } from "./unneeded-files.ts";

parentPort?.postMessage(perform(workerData as BackgroundOrder));
