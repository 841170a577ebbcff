import { growing } from "../harness/growing.mjs";

export const figures = [
  growing({
    kind: "objects",
    figure: "1 M objects of a bucket",
    items: 1_000_000,
    quickItems: 20_000,
    per: "object",
  }),
];
