import { growing } from "../harness/growing.mjs";

export const figures = [growing({ kind: "worlds", figure: "1,000 worlds", items: 1_000, per: "world" })];
