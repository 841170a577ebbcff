import { growing } from "../harness/growing.mjs";

export const figures = [
  growing({
    kind: "events",
    figure: "100 k waiting events",
    items: 100_000,
    quickItems: 20_000,
    per: "event",
  }),
];
