import { ingesting } from "../harness/ingesting.mjs";

export const figures = [
  ingesting({
    figure: "ingest of 100 rows of 2.7 KB a call",
    path: "/runs/batch",
    kind: "batch",
    sides: ["data folder", "in memory", "parse and append"],
    targets: [
      { against: "parse and append", faster: 0.6 },
      { of: "in memory", against: "data folder", faster: 1.1 },
    ],
  }),
];
