import { changeCron, createCron } from "../domain/crons/create.ts";
import { CRONS } from "../domain/crons/records.ts";
import { countCrons, cronOf, cronView, searchCrons } from "../domain/crons/search.ts";
import type { Handlers } from "./handler.ts";
import { dressed } from "./reply.ts";

type Rows =
  | "createThreadCron"
  | "createCron"
  | "searchCrons"
  | "countCrons"
  | "getCron"
  | "updateCron"
  | "deleteCron";

/** Plans to start runs by the clock (§4.8). */
export const CRON_HANDLERS: Pick<Handlers, Rows> = {
  createThreadCron: (turn, { workspace, path, body }) =>
    cronView(turn.ports.settings, createCron(turn, workspace, path.thread_id, body)),

  createCron: (turn, { workspace, body }) =>
    cronView(turn.ports.settings, createCron(turn, workspace, null, body)),

  searchCrons(turn, { workspace, body }) {
    const { items, headers } = searchCrons(turn, workspace, body);
    return dressed(items, headers);
  },

  countCrons: (turn, { workspace, body }) => countCrons(turn, workspace, body),

  getCron: (turn, { workspace, path }) =>
    cronView(turn.ports.settings, cronOf(turn, workspace, path.cron_id)),

  updateCron: (turn, { workspace, path, body }) =>
    cronView(turn.ports.settings, changeCron(turn, cronOf(turn, workspace, path.cron_id), body)),

  deleteCron(turn, { workspace, path }) {
    turn.remove(CRONS, cronOf(turn, workspace, path.cron_id).cron_id);
  },
};
