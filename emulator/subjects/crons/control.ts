import { hideIn, hideWith } from "../../../contracts/spec/secrets.ts";
import { control } from "../control-operation.ts";
import { CRONS } from "./records.ts";
import { cronView } from "./search.ts";

const hide = hideWith("…");

/** Shows the crons of all workspaces. */
export const CRON_OPERATIONS = [
  control({
    method: "GET",
    path: "/agent/crons",
    summary: "List the crons of all workspaces, oldest first.",
    run: ({ world }) =>
      [...world.reader.list(CRONS)].map((cron) => {
        const { payload: _, ...shown } = cronView(world.ports.settings, cron);
        const metadata = hideIn<unknown>(cron.metadata, hide);
        return { ...shown, metadata, region: cron.region, tenant_id: cron.tenant_id };
      }),
  }),
] as const;
