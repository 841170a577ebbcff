import { growing } from "../harness/growing.mjs";

export const figures = [
  growing({
    kind: "rows",
    figure: "10 M rows",
    items: 10_000_000,
    quickItems: 1_000_000,
    per: "row",
    targets: [{ atMost: 60, quantity: "bytes" }],
  }),
];
