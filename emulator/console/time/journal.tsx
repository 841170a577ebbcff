import { useEffect, useState } from "preact/hooks";
import { TURN_KINDS, type TurnFilter, type TurnPage } from "../../control/turns/pages.ts";
import { asOf } from "../model/client.ts";
import { useResource } from "../model/resource.ts";
import { route } from "../model/router.ts";
import { readTurns, type Turn } from "../model/turns.ts";
import { Filter, SearchField } from "../parts/list.tsx";
import { Term } from "../parts/term.tsx";
import { shortTime } from "../parts/time.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { select, selectedTurn } from "./state.ts";
import { TurnDetail } from "./turn-detail.tsx";

/** The turns with a search, and the selected one. */
export function Journal() {
  const turns = useTurnPage();
  const { matching, total } = turns.page;
  return (
    <div class="split">
      <section class="card grow" aria-label="Journal">
        <header class="row">
          <h2>
            <Term of="turn">Turns</Term>
          </h2>
          <SearchField label="Turns" />
          <Filter name="kind" text="Kind" values={TURN_KINDS} />
          <span class="muted" role="status">
            {matching === total
              ? total.toLocaleString("en")
              : `${matching.toLocaleString("en")} matching of ${total.toLocaleString("en")}`}
          </span>
        </header>
        <TurnList {...turns} />
      </section>
      <TurnDetail />
    </div>
  );
}

const ROW_HEIGHT = 28;

const GLYPHS: Readonly<Record<Turn["cause"]["type"], string>> = {
  request: "→",
  event: "◷",
  effect: "↩",
  control: "⚙",
  object_storage: "▤",
  start: "◆",
};

const PAGE_TURNS = 100;
/** A page begins at a multiple of this, so that scrolling seldom reads another one. */
const STEP_TURNS = 25;
const NO_TURNS: TurnPage<Turn> = { items: [], offset: 0, matching: 0, total: 0, first_turn: 0 };

/** The kind and the text of the address: in the cause, the subject, the notes or the error. */
function filterOfAddress(): TurnFilter {
  const { query } = route.value;
  const kind = TURN_KINDS.find((each) => each === query.get("kind"));
  return { kind, text: query.get("text") || undefined };
}

/** The page of the matching turns around the visible rows; at the end, the newest turns. */
function useTurnPage() {
  const [offset, setOffset] = useState<number | null>(null);
  const filter = filterOfAddress();
  const turn = selectedTurn.value ?? asOf.value;
  const key = JSON.stringify(filter);
  const read = useResource(
    "turns",
    async () => ({
      key,
      page: await readTurns({ ...filter, limit: PAGE_TURNS, ...(offset !== null && { offset }) }),
    }),
    `${key} ${offset}`,
  );
  const selected = useResource(`position of turn ${turn} ${key}`, async () =>
    turn === null ? undefined : readTurns({ ...filter, turn, limit: 1 }),
  ).value;
  // The turns of another filter are at other places.
  const page = read.value?.key === key ? read.value.page : { ...(read.value?.page ?? NO_TURNS), items: [] };
  const index = page.items.findIndex((each) => each.turn === turn);
  const isFound = selected?.items[0]?.turn === turn;
  const selectedIndex = index !== -1 ? index + page.offset : isFound ? (selected?.offset ?? -1) : -1;
  const onRange = (first: number, end: number) => {
    const begin = Math.max(0, Math.floor((first - STEP_TURNS) / STEP_TURNS) * STEP_TURNS);
    setOffset(end >= page.matching ? null : begin);
  };
  return { page, filter, selectedIndex, onRange };
}

/** Every matching turn with its cause, oldest first; scrolls with the playhead. */
function TurnList({ page, filter, selectedIndex, onRange }: ReturnType<typeof useTurnPage>) {
  useEffect(() => {
    // The list keeps the row in its box; a panel that opens next to or over the list must not hide it.
    document.querySelector(".turn.selected")?.scrollIntoView({ block: "nearest" });
  }, [selectedTurn.value]);
  const onKey = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 };
    const by = steps[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const from = selectedIndex === -1 ? page.matching - 1 : selectedIndex;
    const offset = Math.max(0, Math.min(page.matching - 1, from + by));
    const next = page.items[offset - page.offset];
    if (next) select(next.turn);
    else
      void readTurns({ ...filter, offset, limit: 1 }).then(({ items }) => items[0] && select(items[0].turn));
  };
  return (
    <VirtualList
      label="Turns"
      count={page.matching}
      rowHeight={ROW_HEIGHT}
      focus={selectedIndex === -1 ? null : selectedIndex}
      onKey={onKey}
      onRange={onRange}
      row={(index) => <Row turn={page.items[index - page.offset]} isSelected={index === selectedIndex} />}
    />
  );
}

function Row({ turn, isSelected }: { turn: Turn | undefined; isSelected: boolean }) {
  if (!turn) return null;
  const { cause, refused, notes = [] } = turn;
  return (
    <button
      type="button"
      tabIndex={-1}
      class={`turn${isSelected ? " selected" : ""}${refused ? " refused" : ""}`}
      aria-current={isSelected}
      onClick={() => select(isSelected ? null : turn.turn)}
    >
      <span class="turn-number mono">{turn.turn}</span>
      <span class="mono turn-time">{shortTime(turn.now)}</span>
      <span class={`turn-cause ${cause.type}`}>
        <span aria-hidden="true">{GLYPHS[cause.type]}</span> {cause.name}
      </span>
      <span class="turn-ref mono">{cause.ref ?? String(cause.detail?.path ?? "")}</span>
      <span class="turn-notes">
        {refused && `${refused.status} ${refused.message}`}
        {notes.map(({ kind, detail }) => noteText(kind, detail)).join(" · ")}
      </span>
    </button>
  );
}

function noteText(kind: string, detail: Readonly<Record<string, unknown>> = {}): string {
  if ("from" in detail && "to" in detail) return `${kind.split(".")[0]} ${detail.from} → ${detail.to}`;
  return kind;
}
