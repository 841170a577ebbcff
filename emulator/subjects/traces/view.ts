import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import type { ReplyBodyOf } from "../../../contracts/spec/operations.ts";
import type { Settings } from "../settings.ts";
import { columnsOf } from "./roll-up.ts";
import { threadOf } from "./thread.ts";

/** A trace row in wire form. */
export function runView(row: TraceRow, { assumptions }: Settings): ReplyBodyOf<"readRun"> {
  const runFields = {
    // First, because on Node 20 a member after a spread of so many takes some microseconds.
    thread_id: threadOf(row),
    app_path: `/projects/p/${row.session_id}/r/${row.id}`,
    ...columnsOf(row),
  };
  if (assumptions["query.run_times"] !== "none") return runFields;
  const plain = <T extends string | null>(time: T) => (time === null ? time : time.slice(0, -1)) as T;
  return {
    ...runFields,
    start_time: plain(row.start_time),
    end_time: plain(row.end_time),
    first_token_time: plain(row.first_token_time),
  };
}
