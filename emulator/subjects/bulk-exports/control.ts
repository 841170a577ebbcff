import { FILTER, LIST_QUERY } from "../control-list.ts";
import { control } from "../control-operation.ts";
import { detailOf, listExports } from "./overview.ts";
import { requireExport } from "./require-export.ts";

/** Control operations that show the exports of all workspaces. */
export const EXPORT_OPERATIONS = [
  control({
    method: "GET",
    path: "/exports",
    summary:
      "List the latest exports of all workspaces with their runs, the newest at the end. `kind` is `one-off`, `schedule` or `from a schedule`.",
    query: { ...LIST_QUERY, status: FILTER, project: FILTER, kind: FILTER },
    run: ({ world }, { query }) => listExports(world.reader, query),
  }),
  control({
    method: "GET",
    path: "/exports/{export_id}",
    summary: "Show one export with its runs: attempts, files, and pending events.",
    run({ world }, { path }) {
      return detailOf(world, requireExport(world.reader, (path.export_id ?? "").toLowerCase()));
    },
  }),
] as const;
