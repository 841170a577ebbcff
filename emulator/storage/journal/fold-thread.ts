import { workerData } from "node:worker_threads";
import { type FoldOrder, fold } from "./fold.ts";

fold(workerData as FoldOrder);
