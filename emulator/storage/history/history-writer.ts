import type { Sealing } from "../journal/sealing.ts";
import type { HistoryWriter } from "../journal/world-journal.ts";
import { ownerOf } from "../pool/names.ts";
import type { Pool } from "../pool/pool.ts";
import type { SavedHistory } from "./history.ts";
import { bodiesIn, writeHistory } from "./history-file.ts";

/** An unchanged history stays in its file. `saved` is called only when the history is written, because it is slow. */
export function historyWriter(
  pool: Pool,
  sealing: Sealing,
  saved: () => SavedHistory | undefined = () => undefined,
): HistoryWriter {
  return ({ history, others }, file) => {
    const changed = saved();
    if (!changed) return { history, owners: others };
    writeHistory(pool, file, changed, sealing);
    const { turn, now } = changed.first.image;
    return { history: { file, turn, now }, owners: bodiesIn(changed.segments).map(ownerOf) };
  };
}
