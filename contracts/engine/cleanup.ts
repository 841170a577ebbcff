import type { Send, WireReply, WireRequest } from "./http-message.ts";
import { isMembers, jsonOf } from "./json.ts";

/** The call that undoes a creation; `member` names the identifier in the reply of the creation. */
interface Undo {
  readonly createPath: RegExp;
  readonly member: string;
  readonly method: string;
  readonly path: (id: string) => string;
  readonly body?: string;
}

const removal = (createPath: RegExp, member: string, base: string): Undo => ({
  createPath,
  member,
  method: "DELETE",
  path: (id) => `${base}/${encodeURIComponent(id)}`,
});

const UNDOS: readonly Undo[] = [
  removal(/^\/_emulator\/v1\/faults$/, "id", "/_emulator/v1/faults"),
  removal(/^\/_emulator\/v1\/agent\/scripts$/, "id", "/_emulator/v1/agent/scripts"),
  {
    createPath: /^\/api\/v1\/bulk-exports$/,
    member: "id",
    method: "PATCH",
    path: (id) => `/api/v1/bulk-exports/${encodeURIComponent(id)}`,
    body: '{"status":"Cancelled"}',
  },
  removal(/^\/(threads?\/[^/]+\/)?runs\/crons$/, "cron_id", "/runs/crons"),
  removal(/^\/threads$/, "thread_id", "/threads"),
  removal(/^\/api\/v1\/bulk-exports\/destinations$/, "id", "/api/v1/bulk-exports/destinations"),
  removal(/^(\/api\/v1)?\/sessions$/, "id", "/api/v1/sessions"),
  removal(/^\/_emulator\/v1\/s3\/credentials$/, "access_key_id", "/_emulator/v1/s3/credentials"),
];

/** Records what a case creates and removes it afterwards, so that a shared server is left as it was found. */
export interface Cleanup {
  record(request: WireRequest, reply: WireReply): void;
  run(send: Send): Promise<void>;
}

/** Failing calls are ignored: what they remove may be gone already. */
export function createCleanup(): Cleanup {
  const calls: { readonly rank: number; readonly request: WireRequest }[] = [];
  return {
    record(request, { status, text }) {
      if (request.method !== "POST" || status >= 300) return;
      const path = request.path.split("?")[0] ?? "";
      const rank = UNDOS.findIndex(({ createPath }) => createPath.test(path));
      const undo = UNDOS[rank];
      const body = jsonOf(text);
      if (!undo || !isMembers(body) || typeof body[undo.member] !== "string") return;
      const { region, headers } = request;
      const undoRequest = { region, method: undo.method, path: undo.path(body[undo.member] as string) };
      calls.push({
        rank,
        request: { ...undoRequest, headers, ...(undo.body !== undefined && { body: undo.body }) },
      });
    },
    async run(send) {
      // Faults first: they could make the other calls fail.
      for (const { request } of calls.sort((a, b) => a.rank - b.rank))
        await send(request).catch(() => undefined);
    },
  };
}
