import { asOf } from "../model/client.ts";
import { addressWith, go, route } from "../model/router.ts";
import { selected } from "./state.ts";

/** Shows every view as of a turn, or as of now; the address says so. */
export function showAsOf(turn: number | null): void {
  selected.value = turn;
  go(addressWith({ as_of: turn }), true);
}

/** The address decides what is shown, so that it can be sent to a colleague. */
export function followAddress(): void {
  const turn = Number(route.value.query.get("as_of"));
  asOf.value = Number.isSafeInteger(turn) && turn > 0 ? turn : null;
}
