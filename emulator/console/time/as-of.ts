import { instantMs } from "../../kernel/instant.ts";
import { asOf } from "../model/client.ts";
import { pastInstant } from "../model/clock.ts";
import { addressWith, go, route } from "../model/router.ts";
import { readTurn } from "../model/turns.ts";

/** Shows every view as of a turn, or as of now, and updates the address. Back returns from history to the present. */
export function showAsOf(turn: number | null): void {
  go(addressWith({ as_of: turn, turn: null }), asOf.value !== null || turn === null);
}

/** The address selects the turn, so that it can be sent to a colleague. */
export function followAddress(): void {
  const turn = Number(route.value.query.get("as_of"));
  const isTurn = Number.isSafeInteger(turn) && turn > 0;
  if (isTurn && turn !== asOf.peek()) void readInstant(turn);
  asOf.value = isTurn ? turn : null;
}

async function readInstant(turn: number): Promise<void> {
  pastInstant.value = null;
  const entry = await readTurn({ turn }).catch(() => undefined);
  if (entry && asOf.peek() === turn) pastInstant.value = instantMs(entry.now);
}
