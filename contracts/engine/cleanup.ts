import { createRouter, segmentsOf } from "../spec/path.ts";
import type { Send, WireReply, WireRequest } from "./http-message.ts";
import { isMembers, jsonOf } from "./json.ts";

/** The call that undoes a creation; `member` names the identifier in the reply of the creation. */
interface Undo {
  readonly member: string;
  readonly method: string;
  readonly path: (id: string) => string;
  readonly body?: string;
}

const removal = (member: string, base: string): Undo => ({
  member,
  method: "DELETE",
  path: (id) => `${base}/${encodeURIComponent(id)}`,
});

/** By the paths whose POST makes something, in the order in which what was made goes. */
const UNDOS: readonly (readonly [paths: readonly string[], undo: Undo])[] = [
  [["/_emulator/v1/faults"], removal("id", "/_emulator/v1/faults")],
  [["/_emulator/v1/agent/scripts"], removal("id", "/_emulator/v1/agent/scripts")],
  [
    ["/api/v1/bulk-exports"],
    {
      member: "id",
      method: "PATCH",
      path: (id) => `/api/v1/bulk-exports/${encodeURIComponent(id)}`,
      body: '{"status":"Cancelled"}',
    },
  ],
  [
    ["/runs/crons", "/thread/{thread_id}/runs/crons", "/threads/{thread_id}/runs/crons"],
    removal("cron_id", "/runs/crons"),
  ],
  [["/threads"], removal("thread_id", "/threads")],
  [["/api/v1/bulk-exports/destinations"], removal("id", "/api/v1/bulk-exports/destinations")],
  [["/sessions", "/api/v1/sessions"], removal("id", "/api/v1/sessions")],
  [["/_emulator/v1/s3/credentials"], removal("access_key_id", "/_emulator/v1/s3/credentials")],
];

const ROUTER = createRouter(() =>
  UNDOS.flatMap(([paths, undo], rank) =>
    paths.map((path) => ({ methods: ["POST"], path, row: { rank, undo } })),
  ),
);

/** Records what a case creates and removes it afterwards, so that a shared server is left unchanged. */
export interface Cleanup {
  record(request: WireRequest, reply: WireReply): void;
  run(send: Send): Promise<void>;
}

/** Failing calls are ignored: what they remove may be gone already. */
export function createCleanup(): Cleanup {
  const calls: { readonly rank: number; readonly request: WireRequest }[] = [];
  return {
    record(request, { status, text }) {
      if (status >= 300) return;
      const [route] = ROUTER.all(request.method, segmentsOf(request.path.split("?")[0] ?? ""));
      if (!route) return;
      const { rank, undo } = route;
      const body = jsonOf(text);
      if (!isMembers(body) || typeof body[undo.member] !== "string") return;
      const { region, headers } = request;
      const path = undo.path(body[undo.member] as string);
      calls.push({ rank, request: { region, method: undo.method, path, headers, body: undo.body } });
    },
    async run(send) {
      // Faults first: they could make the other calls fail.
      for (const { request } of calls.sort((a, b) => a.rank - b.rank))
        await send(request).catch(() => undefined);
    },
  };
}
