import type { Verification } from "../../subjects/control-operation.ts";
import { control } from "../model/actions.ts";
import { count } from "../model/count.ts";
import { RequestButton } from "../parts/request-button.tsx";
import { type Column, Table } from "../parts/table.tsx";

type Problem = Verification["problems"][number];

const COLUMNS: readonly Column<Problem>[] = [
  { name: "Kind", show: ({ kind }) => <code>{kind}</code> },
  { name: "File or row", show: ({ key }) => <span class="mono key">{key}</span> },
  { name: "What is wrong", show: ({ detail }) => <span class="key">{detail}</span> },
];

/** Reads every file of an export and compares it with the stored rows. */
export function Verify({ id }: { readonly id: string }) {
  const path = `/exports/${encodeURIComponent(id)}/verify`;
  return (
    <RequestButton<Verification> label="Verify the files" call={control("GET", path)}>
      {({ ok, rows, files, problems }) => (
        <>
          <p class={`status ${ok ? "good" : "bad"}`}>
            <span aria-hidden="true">{ok ? "●" : "✕"}</span>{" "}
            {ok ? "Files match the traces" : count(problems.length, "problem")}: {count(rows, "row")} in{" "}
            {count(files, "file")}
          </p>
          {!ok && (
            <Table
              label="Problems"
              columns={COLUMNS}
              rows={problems}
              keyOf={({ kind, key, detail }) => `${kind} ${key} ${detail}`}
            />
          )}
        </>
      )}
    </RequestButton>
  );
}
