import { useState } from "preact/hooks";
import type { RowExplanation } from "../../subjects/bulk-exports/explain.ts";
import type { ExportOverview } from "../../subjects/bulk-exports/overview.ts";
import type { CausedTurn, Causes } from "../../subjects/causes.ts";
import { client } from "../model/client.ts";
import { count } from "../model/count.ts";
import { useReply, useResource } from "../model/resource.ts";
import { addressOf, go, route } from "../model/router.ts";
import { ChoiceField, TextField } from "../parts/field.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { Time } from "../parts/time.tsx";
import { Origins, TurnLink } from "../parts/turn-link.tsx";
import { RowStages } from "./row-stages.tsx";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Why something exists: its chain of causes. And why an export contains a trace row, or does not: its stages up to the
 * one that rejected it.
 */
export function WhyView() {
  const { id, query } = route.value;
  const of = query.get("of") ?? "";
  const row = query.get("run") ?? "";
  const exports = useResource("exports", () => client.call<readonly ExportOverview[]>("GET", "/exports"));
  return (
    <>
      <h1>Why?</h1>
      {id === null && (
        <>
          <AnyId key={of} of={of} />
          {of !== "" && <Chain id={of} />}
          <h2>Is a row in an export?</h2>
        </>
      )}
      <Loaded resource={exports}>
        {(list) =>
          list.length === 0 ? (
            <Empty>No exports yet. Create an export first.</Empty>
          ) : (
            <Question exports={list.toReversed()} exportId={id ?? list.at(-1)?.id ?? ""} row={row} />
          )
        }
      </Loaded>
    </>
  );
}

function AnyId({ of }: { readonly of: string }) {
  const [id, setId] = useState(of);
  const ask = (event: Event) => {
    event.preventDefault();
    go(addressOf("why", null, { of: id.trim() }));
  };
  return (
    <form class="card form" onSubmit={ask}>
      <TextField
        name="Id"
        value={id}
        set={setId}
        hint="of a record, such as an export, a run, a thread or a fault, or of a trace row, or bucket/key of an object"
      />
      <div class="row">
        <button type="submit" class="button main" disabled={id.trim() === ""}>
          What caused it?
        </button>
      </div>
    </form>
  );
}

interface QuestionProps {
  readonly exports: readonly ExportOverview[];
  readonly exportId: string;
  readonly row: string;
}

function Question({ exports, exportId, row }: QuestionProps) {
  const [rowText, setRowText] = useState(row);
  const ask = (event: Event) => {
    event.preventDefault();
    go(addressOf("why", exportId, { run: rowText.trim() }));
  };
  const options = exports.map(
    ({ id, project, status }) => [id, `${id.slice(0, 8)} ${project ?? ""} ${status}`] as const,
  );
  return (
    <>
      <form class="card form" onSubmit={ask}>
        <ChoiceField
          name="Export"
          value={exportId}
          set={(value) => go(addressOf("why", value, { run: rowText }), true)}
          options={options}
        />
        <TextField
          name="Id of the row"
          value={rowText}
          set={setRowText}
          hint="the UUID of a trace row; ids in the rows of a file link here too"
        />
        <div class="row">
          <button type="submit" class="button main" disabled={!UUID.test(rowText.trim())}>
            Why?
          </button>
        </div>
      </form>
      {UUID.test(row) && <Answer exportId={exportId} row={row} />}
    </>
  );
}

function Answer({ exportId, row }: { readonly exportId: string; readonly row: string }) {
  const path = `/exports/${encodeURIComponent(exportId)}/explain?run=${encodeURIComponent(row)}`;
  const resource = useReply<RowExplanation>(path);
  return <Loaded resource={resource}>{(value) => <RowStages explanation={value} />}</Loaded>;
}

/** The turns that caused a record, an object or a trace row, back to a request; and those that followed from it. */
function Chain({ id }: { readonly id: string }) {
  const causes = useReply<Causes>(`/why/${encodeURIComponent(id)}?effects=1`);
  return <Loaded resource={causes}>{(value) => <Turns causes={value} />}</Loaded>;
}

function Turns({
  causes: { found, waits, chain, complete, effects = [], effects_total = 0 },
}: {
  causes: Causes;
}) {
  return (
    <section class="card" aria-label={`Why is there ${found}?`}>
      <h2 class="mono key">{found}</h2>
      {waits !== undefined && <p>{waits}</p>}
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
