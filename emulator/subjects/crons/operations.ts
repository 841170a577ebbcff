import type { Handlers } from "../handler.ts";
import { replyWithHeaders } from "../reply.ts";
import { changeCron, createCron } from "./create.ts";
import { removeCron } from "./fire.ts";
import { countCrons, cronOf, cronView, searchCrons } from "./search.ts";

/** Handlers of the cron operations (§4.8). */
export const CRON_HANDLERS = {
  createThreadCron: (turn, { workspace, path, body }) =>
    cronView(turn.ports.settings, createCron(turn, workspace, path.thread_id, body)),

  createCron: (turn, { workspace, body }) =>
    cronView(turn.ports.settings, createCron(turn, workspace, null, body)),

  searchCrons(turn, { workspace, body }) {
    const { items, headers } = searchCrons(turn, workspace, body);
    return replyWithHeaders(items, headers);
  },

  countCrons: (turn, { workspace, body }) => countCrons(turn, workspace, body),

  getCron: (turn, { workspace, path }) =>
    cronView(turn.ports.settings, cronOf(turn, workspace, path.cron_id)),

  updateCron: (turn, { workspace, path, body }) =>
    cronView(turn.ports.settings, changeCron(turn, cronOf(turn, workspace, path.cron_id), body)),

  deleteCron(turn, { workspace, path }) {
    removeCron(turn, cronOf(turn, workspace, path.cron_id));
  },
} satisfies Partial<Handlers>;
