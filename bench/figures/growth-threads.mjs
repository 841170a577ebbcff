import { growing } from "../harness/growing.mjs";

export const figures = [growing({ kind: "threads", figure: "10 k threads", items: 10_000, per: "thread" })];
