import { CONTROL_PATH } from "../../client/control-client.ts";
import { ErrorReply, NoReply } from "../../client/send.ts";
import { type Call, perform } from "./actions.ts";
import { pageHeaders } from "./client.ts";
import { worldUrl } from "./world-address.ts";

/** The import of a snapshot file under its own name. */
export function importOf(file: string): Call {
  const headers = { "content-type": "application/gzip" };
  return { method: "POST", path: `${CONTROL_PATH}/snapshots/file`, headers, file };
}

/** Imports a snapshot file; `outcome` has the result, as for every action. */
export function importFile(file: File): Promise<unknown> {
  const call = importOf(file.name);
  return perform(`Import ${file.name}`, call, async () => {
    const headers = { ...pageHeaders(call.method), ...call.headers };
    const reply = await fetch(worldUrl + call.path, { method: call.method, headers, body: file }).catch(
      () => {
        throw new NoReply(worldUrl);
      },
    );
    if (!reply.ok) throw new ErrorReply(call.method, call.path, reply.status, await reply.json());
    return reply.json();
  });
}
