import { growing } from "../harness/growing.mjs";

export const figures = [
  growing({
    kind: "runs",
    figure: "100 k runs of one thread",
    items: 100_000,
    quickItems: 20_000,
    per: "run",
  }),
];
