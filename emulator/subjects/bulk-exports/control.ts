import { integer, optional } from "../../../contracts/spec/fields.ts";
import { control } from "../control-operation.ts";
import { detailOf, listExports } from "./overview.ts";
import { requireExport } from "./require-export.ts";

/** Control operations that show the exports of all workspaces. */
export const EXPORT_OPERATIONS = [
  control({
    method: "GET",
    path: "/exports",
    summary: "The newest exports of all workspaces with their runs, oldest first.",
    query: { limit: optional(integer({ minimum: 1, maximum: 10_000, default: 100 })) },
    run: ({ world }, { query }) => listExports(world.reader, query.limit ?? 100),
  }),
  control({
    method: "GET",
    path: "/exports/{export_id}",
    summary: "One export with its runs: attempts, files, and pending events.",
    run({ world }, { path }) {
      return detailOf(world, requireExport(world.reader, (path.export_id ?? "").toLowerCase()));
    },
  }),
] as const;
