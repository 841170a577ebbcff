import type { AdvanceResult } from "../../client/views.ts";
import { instantMs } from "../../kernel/instant.ts";
import { count } from "../model/count.ts";
import { addressOf } from "../model/router.ts";
import { spanOf } from "../parts/time.tsx";

/** The reply of an advance in words; undefined for the reply of another request. */
export function happened(reply: unknown) {
  if (!isAdvance(reply)) return undefined;
  const { fired_total, from, to, ended = [], settled } = reply;
  const ms = instantMs(to) - instantMs(from);
  if (fired_total === 0 && ms === 0) return <span>nothing is due, so the clock stays where it is.</span>;
  return (
    <span>
      done. {count(fired_total, "event")} in {spanOf(ms)}
      {ended.map((group, index) => (
        <span key={`${group.kind} ${group.status}`}>
          {index === 0 ? ": " : ", "}
          <a href={addressOf(`${group.kind}s`, group.count === 1 ? group.refs[0] : null)}>
            {count(group.count, group.kind)} {group.status.toLowerCase()}
          </a>
        </span>
      ))}
      {settled ? "." : ". An effect is still in flight."}
    </span>
  );
}

function isAdvance(reply: unknown): reply is AdvanceResult {
  return typeof reply === "object" && reply !== null && "fired_total" in reply;
}
