import type { FaultTarget } from "../../../contracts/spec/faults.ts";
import { count } from "../model/count.ts";
import { useResource } from "../model/resource.ts";
import { addressOf } from "../model/router.ts";
import { readTurns, type Turn } from "../model/turns.ts";
import { Json } from "../parts/json.tsx";
import { Time } from "../parts/time.tsx";
import { Origins } from "../parts/turn-link.tsx";
import { WhyLink } from "../parts/why-link.tsx";
import { ForkFrom } from "../worlds/fork-from.tsx";
import { showAsOf } from "./as-of.ts";
import { select, selectedTurn } from "./state.ts";

/** The journal entry of the selected turn, and the other turns about the same subject. */
export function TurnDetail() {
  const shownTurn = selectedTurn.value;
  const facts = useResource(`turn ${shownTurn}`, () => factsOf(shownTurn)).value;
  if (!facts) return null;
  if (!facts.turn) return <MissingTurn number={selectedTurn.value} first={facts.firstTurn} />;
  const { turn, related, first } = facts;
  const { cause } = turn;
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
      {related && related.matching > 1 && (
        <p class="muted">
          {count(related.matching, "turn")} about this subject:{" "}
          {related.items.map((each) => (
            <button type="button" class="link" key={each.turn} onClick={() => select(each.turn)}>
              {each.turn}
            </button>
          ))}
        </p>
      )}
      <TurnLinks turn={turn} first={first} />
      <Json value={turn} />
    </aside>
  );
}

const MAX_RELATED_TURNS = 12;

async function factsOf(number: number | null) {
  if (number === null) return undefined;
  const { items, first_turn: firstTurn } = await readTurns({ turn: number, limit: 1 });
  const turn = items.find((each) => each.turn === number);
  const ref = turn?.cause.ref;
  return {
    turn,
    firstTurn,
    related: ref === undefined ? undefined : await readTurns({ ref, offset: 0, limit: MAX_RELATED_TURNS }),
    first: turn ? await firstOfInstant(turn) : number,
  };
}

/** Where the turn leads to; `first` is the turn with which its instant begins. */
function TurnLinks({ turn, first }: { readonly turn: Turn; readonly first: number }) {
  const { cause } = turn;
  const { ref } = cause;
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
function MissingTurn({ number, first }: { readonly number: number | null; readonly first: number }) {
  if (number === null || number > first) return null;
  return (
    <p class="problem" role="alert">
      Turn {number} is no longer kept: the journal begins with turn {first}. To keep more, raise
      limits.journal_turns.
    </p>
  );
}

/**
 * The first event or effect of this instant, up to this turn. A fork from between them would fire the rest immediately,
 * before a fault can be armed in it.
 */
async function firstOfInstant(turn: Turn): Promise<number> {
  const isPart = ({ now, cause: { type } }: Turn) =>
    now === turn.now && (type === "event" || type === "effect");
  let first = turn.turn;
  for (let isAll = !isPart(turn); !isAll; ) {
    const { items } = await readTurns({ turn: first, limit: 2 * TURNS_AT_ONCE });
    const before = items.filter((each) => each.turn < first).reverse();
    const end = before.findIndex((each) => !isPart(each));
    isAll = end !== -1 || before.length === 0;
    first = before.slice(0, end === -1 ? undefined : end).at(-1)?.turn ?? first;
  }
  return first;
}

const TURNS_AT_ONCE = 25;

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
