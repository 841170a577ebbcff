import type { Instant } from "../../kernel/instant.ts";

/** A change of the status of an export or a run. */
export interface Move {
  readonly turn: number;
  readonly at: Instant;
  readonly status: string;
}

/** Statuses without an end. */
const OPEN = new Set(["running", "pending", "created"]);

/** The changes of the statuses of exports or runs, by id. */
export function createMoves() {
  const byId = new Map<string, Move[]>();
  /** The ids of all moves, in order. */
  let order: { readonly turn: number; readonly id: string }[] = [];
  let lastChange = 0;
  return {
    byId: byId as ReadonlyMap<string, readonly Move[]>,
    /** The last turn with which a bar has changed, or was dropped. */
    get lastChange() {
      return lastChange;
    },
    add(id: string, move: Move): void {
      const moves = byId.get(id);
      if (moves) moves.push(move);
      else byId.set(id, [move]);
      order.push({ turn: move.turn, id });
      lastChange = move.turn;
    },
    dropBefore(turn: number, lastTurn: number): void {
      const count = order.findIndex((move) => move.turn >= turn);
      const dropped = count === -1 ? order : order.slice(0, count);
      if (dropped.length === 0) return;
      order = order.slice(dropped.length);
      lastChange = lastTurn;
      for (const { id } of dropped) {
        const moves = byId.get(id);
        moves?.shift();
        if (moves?.length === 0) byId.delete(id);
      }
    },
    /** A bar for each id, from its first move to the last; open where the last status is not final. */
    bars() {
      return Array.from(byId, ([id, moves]) => {
        const [first, last] = [moves[0] as Move, moves.at(-1) as Move];
        const to = OPEN.has(last.status.toLowerCase()) ? null : last.at;
        return { id, from: first.at, to, status: last.status };
      });
    },
  };
}
