import { RUN_STATUSES, STRATEGIES } from "../../../contracts/facts/agent.ts";
import { EXPORT_MOVES, EXPORT_STATUS_NAMES } from "../../../contracts/spec/lifecycle.ts";
import { rewriteExportStatus } from "../routes.ts";
import { mistakes, type Row } from "../row.ts";
import { rewriteText } from "../wire.ts";

/** A word of the replies of the agent server. */
const renamed = (member: string, word: string) =>
  rewriteText(["*", /^\/threads?\//], (text) =>
    text.replaceAll(`"${member}":"${word}"`, `"${member}":"${word}-other"`),
  );

/** Each status and strategy under another name. */
export const STATUS_MISTAKES: readonly Row[] = [
  ...EXPORT_STATUS_NAMES.flatMap((status) => {
    const about = EXPORT_MOVES.filter(({ to }) => to === status).map(({ requirement }) => requirement);
    return mistakes({
      [`${["3.1-1", ...about].join(" ")}: ${status} has another name`]: rewriteExportStatus(
        status,
        `${status}_OTHER`,
      ),
    });
  }),
  ...RUN_STATUSES.flatMap((status) =>
    mistakes({ [`2.1-2 2.1-1: the status ${status} has another name`]: renamed("status", status) }),
  ),
  ...STRATEGIES.flatMap((strategy) =>
    mistakes({
      [`2.1-3: the strategy ${strategy} has another name`]: renamed("multitask_strategy", strategy),
    }),
  ),
];
