import { ingesting } from "../harness/ingesting.mjs";

export const figures = [
  ingesting({
    figure: "multipart ingest of 100 rows of 2.7 KB a call",
    path: "/runs/multipart",
    kind: "multipart",
    sides: ["data folder", "busboy"],
    needs: { busboy: "busboy" },
    targets: [{ against: "busboy", faster: 0.7 }],
  }),
];
