import type { FaultTarget } from "../../../contracts/spec/faults.ts";
import { asOf } from "../model/client.ts";
import { count } from "../model/count.ts";
import { isFilm, type Turn, turnsNow } from "../model/live.ts";
import { addressOf } from "../model/router.ts";
import { Json } from "../parts/json.tsx";
import { Time } from "../parts/time.tsx";
import { Origins } from "../parts/turn-link.tsx";
import { WhyLink } from "../parts/why-link.tsx";
import { ForkFrom } from "../worlds/fork-from.tsx";
import { showAsOf } from "./as-of.ts";
import { select, selectedTurn } from "./state.ts";

/** The journal entry of the selected turn, and the other turns about the same subject. */
export function TurnDetail() {
  const turns = turnsNow();
  const shownTurn = selectedTurn.value ?? (isFilm.value ? asOf.value : null);
  const turn = turns.find((each) => each.turn === shownTurn);
  if (!turn) return <MissingTurn number={selectedTurn.value} turns={turns} />;
  const { cause } = turn;
  const ref = cause.ref;
  const related = ref === undefined ? [] : turns.filter((each) => each.cause.ref === ref);
  return (
    <aside class="card detail" aria-label={`Turn ${turn.turn}`}>
      <header class="row">
        <h2>Turn {turn.turn}</h2>
        <span class="spacer" />
        <button type="button" class="button" onClick={() => select(null)}>
          Close
        </button>
      </header>
      <p>
        <Time at={turn.now} /> · {cause.type} <strong>{cause.name}</strong>
        {typeof cause.detail?.scheduled_by === "string" && (
          <span class="muted"> scheduled by {cause.detail.scheduled_by}</span>
        )}
      </p>
      {related.length > 1 && (
        <p class="muted">
          {count(related.length, "turn")} about this subject:{" "}
          {related.slice(0, 12).map((each) => (
            <button type="button" class="link" key={each.turn} onClick={() => select(each.turn)}>
              {each.turn}
            </button>
          ))}
        </p>
      )}
      {!isFilm.value && <TurnLinks turn={turn} />}
      <Json value={turn} />
    </aside>
  );
}

/** Where the turn leads to. */
function TurnLinks({ turn }: { readonly turn: Turn }) {
  const { cause } = turn;
  const { ref } = cause;
  const first = firstOfInstant(turnsNow(), turn);
  return (
    <>
      <p class="row">
        <Origins {...turn} />
        {ref !== undefined && <WhyLink id={ref} />}
        {(turn.put ?? []).filter(isExport).map((name) => (
          <a key={name} href={addressOf("exports", name.slice(EXPORT.length))}>
            Export {name.slice(EXPORT.length, EXPORT.length + 8)}
          </a>
        ))}
      </p>
      <p class="row">
        <button type="button" class="button" onClick={() => showAsOf(turn.turn)}>
          Show the world as of this turn
        </button>
        {first > 1 && (
          <ForkFrom
            turn={first - 1}
            label={`Fork before ${first === turn.turn ? "this turn" : `turn ${first}, with which its instant begins,`} and arm a fault`}
            view={addressOf("faults", null, { as_of: null, ...faultAt(cause) })}
          />
        )}
      </p>
    </>
  );
}

/** A link may name a turn that the journal has dropped since. */
function MissingTurn({ number, turns }: { readonly number: number | null; readonly turns: readonly Turn[] }) {
  const [first] = turns;
  if (number === null || !first || number > first.turn) return null;
  return (
    <p class="problem" role="alert">
      Turn {number} is no longer kept: the journal begins with turn {first.turn}. To keep more, raise
      limits.journal_turns.
    </p>
  );
}

/**
 * The first event or effect of this instant, up to this turn. A fork from between them would fire the rest immediately,
 * before a fault can be armed in it.
 */
function firstOfInstant(turns: readonly Turn[], turn: Turn): number {
  let first = turn;
  for (const each of turns.filter((candidate) => candidate.turn <= turn.turn).reverse()) {
    if (each.now !== turn.now || (each.cause.type !== "event" && each.cause.type !== "effect")) break;
    first = each;
  }
  return first.turn;
}

/** A fault rule that matches the subject of a turn. */
function faultAt({ type, name, ref }: Turn["cause"]): { readonly target: string; readonly match: string } {
  const ruleFor = (target: FaultTarget, match: object) => ({ target, match: JSON.stringify(match) });
  if (type === "request") return ruleFor("http", { op: name });
  if (name.startsWith("webhook.")) return ruleFor("webhook", {});
  if (/^export(_run\.|\.write_file)/.test(name)) return ruleFor("worker", { run: ref });
  return ruleFor("worker", name.startsWith("export.") ? { export_id: ref } : {});
}

const EXPORT = "bulk_exports/";

function isExport(name: string): boolean {
  return name.startsWith(EXPORT);
}
