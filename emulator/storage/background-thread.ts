import { parentPort, workerData } from "node:worker_threads";
import { type BackgroundOrder, perform } from "./background-work.ts";

parentPort?.postMessage(perform(workerData as BackgroundOrder));
