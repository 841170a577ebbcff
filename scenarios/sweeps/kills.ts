import type { ControlClient } from "../../emulator/client/control-client.ts";
import type { Disturbance } from "./disturbance.ts";

/** The turns of a journal that fall into a move of the clock: events, and the results of the effects that they request. */
export function movedTurns(journal: Awaited<ReturnType<ControlClient["journal"]>>): readonly number[] {
  const turns: number[] = [];
  let isMoving = false;
  for (const { turn, cause } of journal) {
    const { type } = cause;
    isMoving = type === "event" || (isMoving && type === "effect");
    if (isMoving) turns.push(turn);
  }
  return turns;
}

/** Webhooks in flight are sent again after a kill, so that an inbox has other messages (docs/understand/variations-and-sweeps.md). */
const INBOX = /\/_emulator\/v1\/webhooks\/inbox\//;

/** The process is killed after this turn, and started again. */
export function killAfter(turn: number): Disturbance {
  return {
    name: `killed after turn ${turn}`,
    section: "7.3",
    tolerance: "none",
    scope: "kill",
    notKept: INBOX,
    differs: `the process is killed after turn ${turn}, and started again`,
    means: "after a restart everything resumes, each turn complete or not at all (§7.3)",
    conditions: { killAfterTurn: turn },
  };
}
