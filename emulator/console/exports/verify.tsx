import type { Verification } from "../../subjects/control-operation.ts";
import { control } from "../model/actions.ts";
import { count } from "../model/count.ts";
import { Ask } from "../parts/ask.tsx";
import { type Column, Table } from "../parts/table.tsx";

type Problem = Verification["problems"][number];

const COLUMNS: readonly Column<Problem>[] = [
  { name: "Kind", show: ({ kind }) => <code>{kind}</code> },
  { name: "File or row", show: ({ key }) => <span class="mono key">{key}</span> },
  { name: "What is wrong", show: ({ detail }) => <span class="key">{detail}</span> },
];

/** Has every file of an export read back and compared with the stored rows. */
export function Verify({ id }: { readonly id: string }) {
  const path = `/exports/${encodeURIComponent(id)}/verify`;
  return (
    <Ask<Verification> label="Verify the files" call={control("GET", path)}>
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
    </Ask>
  );
}
