import { useState } from "preact/hooks";
import type { Verification } from "../../subjects/control-operation.ts";
import { explained } from "../model/actions.ts";
import { client } from "../model/client.ts";
import { type Column, Table } from "../parts/table.tsx";

type Problem = Verification["problems"][number];

const COLUMNS: readonly Column<Problem>[] = [
  { name: "Kind", show: ({ kind }) => <code>{kind}</code> },
  { name: "File or row", show: ({ key }) => <span class="mono key">{key}</span> },
  { name: "What is wrong", show: ({ detail }) => <span class="key">{detail}</span> },
];

/** Has every file of an export read back and compared with the stored rows. */
export function Verify({ id }: { readonly id: string }) {
  const [state, setState] = useState<Verification | string | null>(null);
  const verify = async () => {
    setState("Reading every file back …");
    setState(await client.exports.verify(id).catch(explained));
  };
  return (
    <section aria-label="Verification" aria-live="polite">
      <button type="button" class="button" onClick={verify}>
        Verify the files
      </button>
      {typeof state === "string" && <p>{state}</p>}
      {state !== null && typeof state !== "string" && (
        <>
          <p class={`status ${state.ok ? "good" : "bad"}`}>
            <span aria-hidden="true">{state.ok ? "●" : "✕"}</span>{" "}
            {state.ok ? "As the traces are" : `${state.problems.length} problems`}: {state.rows} rows in{" "}
            {state.files} files
          </p>
          {!state.ok && (
            <Table
              label="Problems"
              columns={COLUMNS}
              rows={state.problems}
              keyOf={({ kind, key, detail }) => `${kind} ${key} ${detail}`}
            />
          )}
        </>
      )}
    </section>
  );
}
