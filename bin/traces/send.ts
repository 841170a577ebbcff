import { resolve } from "node:path";
import type { ErrorReply } from "../../emulator/client/send.ts";
import { asking, type Work } from "../asking.ts";
import { CALLER_FLAGS, CommandFailure, UsageError } from "../command.ts";
import type { RunningWorld } from "../running.ts";
import { textOf } from "../values.ts";
import { counted } from "../verdict.ts";
import { batchesOf, readRows } from "./rows.ts";

type Rows = ReturnType<typeof readRows>;

/** `traces send`: sends the rows of a file as a tracing client does. */
export const sendTraces = asking({
  summary:
    'send the trace rows of a file: JSON objects, one per line; or, with the suffix .json, an array of rows or a body of POST /runs/batch such as {"post":[{…}]}',
  operands: ["<file>"],
  flags: {
    project: { value: "<name>", help: "project of rows without session_name and session_id" },
    ...CALLER_FLAGS,
  },
  ask(invocation) {
    const [name = ""] = invocation.operands;
    const project = textOf(invocation, "project");
    const rows = readRows(resolve(invocation.cwd, name), name).map((row) =>
      project === undefined || row.session_name != null || row.session_id != null
        ? row
        : { ...row, session_name: project },
    );
    return (world, work) => sendAll(world, work, rows, name);
  },
  lines: ({ rows, requests }) => [`${counted(rows, "row")} sent in ${counted(requests, "request")}`],
});

async function sendAll({ api }: RunningWorld, { progress, onStop }: Work, rows: Rows, name: string) {
  let [sent, requests] = [0, 0];
  let isStopped = false;
  onStop(() => {
    isStopped = true;
  });
  for (const post of batchesOf(rows)) {
    if (isStopped) throw new CommandFailure(`rows 1 to ${sent} of ${rows.length} were ingested`);
    await api("POST", "/runs/batch", { post }).catch((error: ErrorReply) => {
      throw explained(error, name, sent, post.length);
    });
    sent += post.length;
    requests += 1;
    progress.show(`sent ${sent} of ${counted(rows.length, "row")}`, sent, rows.length);
  }
  return { rows: sent, requests };
}

/** Batches before the refused one are already ingested. */
function explained(error: ErrorReply, name: string, sent: number, size: number): Error {
  if (error.description === undefined) return error;
  const before = sent === 0 ? "no rows were ingested" : `rows 1 to ${sent} were ingested`;
  const message = `${name}: rows ${sent + 1} to ${sent + size}: ${error.description}; ${before}`;
  return sent === 0 && error.status === 422 ? new UsageError(message) : new CommandFailure(message);
}
