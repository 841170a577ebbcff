import { integer, optional } from "../../contracts/spec/fields.ts";
import { undocumentedOf } from "../http/undocumented-members.ts";
import { formatInstant } from "../kernel/instant.ts";
import { Refusal } from "../kernel/refusal.ts";
import { FILTER, LIST_QUERY, listOf } from "../subjects/control-list.ts";
import { control } from "../subjects/control-operation.ts";
import { CONTROL_PREFIX } from "../subjects/control-prefix.ts";
import type { RequestSummary } from "../subjects/recording.ts";
import type { World } from "../subjects/turn.ts";

/** A recorded request in lists, with the members that the specification does not define. */
export type RequestView = ReturnType<ReturnType<typeof requestViewer>>;

/** Operations that show the recorded requests of a world. */
export const REQUEST_OPERATIONS = [
  control({
    method: "GET",
    path: "/requests",
    summary:
      "List the latest recorded requests with their turns, the newest at the end; without headers and bodies. `show` selects `api` (the default: all except those to the control API), `refused`, `beyond` (with members that the specification does not define) or `all`.",
    query: {
      ...LIST_QUERY,
      ...{ show: FILTER, method: FILTER, status: FILTER },
      turn: optional(integer({ minimum: 1, title: "only the request of this turn" })),
    },
    run({ recording, world }, { query: { show, turn, ...query } }) {
      const requests = recording.summaries().map(requestViewer(world));
      const isShown =
        turn === undefined ? SHOWN[show ?? "api"] : (request: RequestView) => request.turn === turn;
      return listOf(requests.filter(isShown ?? SHOWN.all), query, {
        filters: { method: ({ method }) => method, status: ({ status }) => String(status) },
        show: (request) => request,
      });
    },
  }),
  control({
    method: "GET",
    path: "/requests/{number}",
    summary: "Show one recorded request with its reply: a line of the recording; credentials are masked.",
    run({ recording }, { path }) {
      const request = recording.find(Number(path.number));
      if (request) return request;
      throw new Refusal(
        404,
        "not_found",
        `No recorded request has the number ${path.number}.`,
        "GET /_emulator/v1/requests lists them; limits.recorded_requests sets how many are retained.",
      );
    },
  }),
] as const;

const SHOWN: Readonly<Record<string, (request: RequestView) => boolean>> & {
  readonly all: (request: RequestView) => boolean;
} = {
  all: () => true,
  api: ({ path }) => !path.startsWith(CONTROL_PREFIX),
  beyond: ({ beyond }) => Object.keys(beyond).length > 0,
  refused: ({ status }) => status >= 400,
};

/** A request and its turn have the same instant, method and path, and both lists have the same order. */
export function requestViewer(world: World) {
  const turns = new Map<string, { readonly turn: number; readonly beyond: Beyond }[]>();
  for (const { turn, now, cause } of world.journal.upTo(world.lastTurn)) {
    const { type, detail = {} } = cause;
    if (type !== "request") continue;
    const at = typeof now === "number" ? formatInstant(now) : now;
    const key = `${at} ${detail.method} ${detail.path}`;
    const sameKey = turns.get(key);
    const entry = { turn, beyond: beyondOf(cause) };
    if (sameKey) sameKey.push(entry);
    else turns.set(key, [entry]);
  }
  return (request: RequestSummary) => {
    const { turn = null, beyond = {} } =
      turns.get(`${request.at} ${request.method} ${request.path}`)?.shift() ?? {};
    return { ...request, turn, beyond };
  };
}

type Beyond = Readonly<Record<string, readonly string[]>>;

function beyondOf(cause: Parameters<typeof undocumentedOf>[0]): Beyond {
  const { request = [], reply = [] } = undocumentedOf(cause) ?? {};
  const unread = (cause.detail?.unknown_fields ?? []) as readonly string[];
  const lists = { unknown_fields: unread, sent_beyond: request, answered_beyond: reply };
  return Object.fromEntries(Object.entries(lists).filter(([, names]) => names.length > 0));
}
