import type { CausedTurn, Causes } from "../../subjects/causes.ts";
import { count } from "../model/count.ts";
import { useReply } from "../model/looks.ts";
import { Loaded } from "../parts/states.tsx";
import { Time } from "../parts/time.tsx";
import { Origins, TurnLink } from "../parts/turn-link.tsx";

/** The turns that caused a record, an object or a trace row, back to a request; and those that followed from it. */
export function Chain({ id }: { readonly id: string }) {
  const causes = useReply<Causes>(
    "The causes",
    `/why/${encodeURIComponent(id)}?effects=1`,
    ({ found, chain }) => ({
      found,
      chain: chain.map(({ cause: { type, name } }) => ({ cause: { type, name } })),
    }),
  );
  return <Loaded resource={causes}>{(value) => <Turns causes={value} />}</Loaded>;
}

function Turns({ causes: { found, chain, complete, effects = [], effects_total = 0 } }: { causes: Causes }) {
  return (
    <section class="card" aria-label={`Why is there ${found}?`}>
      <h2 class="mono key">{found}</h2>
      <p class="muted">The last turn that changed it, and what led to that:</p>
      <ol class="way">
        {chain.map((turn) => (
          <Cause key={turn.turn} turn={turn} />
        ))}
      </ol>
      {!complete && <p class="muted">The history begins after the first cause.</p>}
      {effects_total > 0 && (
        <details>
          <summary>{count(effects_total, "turn")} followed from its first turn</summary>
          <ol class="way">
            {effects.map((turn) => (
              <Cause key={turn.turn} turn={turn} />
            ))}
          </ol>
        </details>
      )}
    </section>
  );
}

function Cause({ turn }: { readonly turn: CausedTurn }) {
  const { cause, because, now, notes = [] } = turn;
  return (
    <li>
      <strong>
        {cause.type} {cause.name}
      </strong>{" "}
      <TurnLink turn={turn.turn} /> <Time at={now} />
      <div class="row">
        {because && (
          <span class="muted">
            answers {because.kind}
            {because.of_turn !== null && (
              <>
                {" "}
                of <TurnLink turn={because.of_turn} />
              </>
            )}
          </span>
        )}
        <Origins turn={turn.turn} cause={cause} notes={notes} />
      </div>
    </li>
  );
}
