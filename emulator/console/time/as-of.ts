import { asOf } from "../model/client.ts";
import { addressWith, go, route } from "../model/router.ts";

/** Shows every view as of a turn, or as of now, and updates the address. Back returns from history to the present. */
export function showAsOf(turn: number | null): void {
  go(addressWith({ as_of: turn, turn: null }), asOf.value !== null || turn === null);
}

/** The address selects the turn, so that it can be sent to a colleague. */
export function followAddress(): void {
  const turn = Number(route.value.query.get("as_of"));
  asOf.value = Number.isSafeInteger(turn) && turn > 0 ? turn : null;
}
