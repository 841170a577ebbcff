import { asOf } from "../model/client.ts";
import { addressWith, go, route } from "../model/router.ts";
import { selected } from "./state.ts";

/** Whether the emulator answers as of an earlier turn; as long as it does not, the turn is selected in the list. */
const HAS_PAST = false as boolean;

/** Shows every view as of a turn, or as of now; the address says so. */
export function showAsOf(turn: number | null): void {
  selected.value = turn;
  if (HAS_PAST) go(addressWith({ as_of: turn }), true);
}

/** The address decides what is shown, so that it can be sent to a colleague. */
export function followAddress(): void {
  const turn = Number(route.value.query.get("as_of"));
  asOf.value = HAS_PAST && Number.isSafeInteger(turn) && turn > 0 ? turn : null;
}
