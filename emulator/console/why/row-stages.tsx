import type { ComponentChildren } from "preact";
import type { RowExplanation } from "../../subjects/bulk-exports/explain.ts";
import { addressOf } from "../model/router.ts";
import { Status } from "../parts/status.tsx";
import { Time, Window } from "../parts/time.tsx";

/** `passed` is null if the row did not reach the stage. */
interface Stage {
  readonly name: string;
  readonly passed: boolean | null;
  readonly detail: ComponentChildren;
}

/** The stages of a row in order, up to the first that it did not pass. */
export function RowStages({ explanation }: { readonly explanation: RowExplanation }) {
  const { included, why } = explanation;
  const verdict =
    included === null ? "Not yet decided" : included ? "It is in the export" : "It is not in the export";
  return (
    <section class="card" aria-label="The checks of the row">
      <p class={`status ${included === null ? "wait" : included ? "good" : "bad"}`}>
        <span aria-hidden="true">{included === null ? "○" : included ? "●" : "✕"}</span> {verdict}
      </p>
      <p>{why}</p>
      <ol class="way">
        {untilStop(stagesOf(explanation)).map(({ name, passed, detail }) => (
          <li key={name} class={passed === null ? "open" : passed ? "passed" : "stopped"}>
            <strong>
              <span aria-hidden="true">{passed === null ? "○" : passed ? "✓" : "✕"}</span> {name}
              <span class="hidden">
                {passed === null ? ": not reached" : passed ? ": passed" : ": stopped here"}
              </span>
            </strong>
            <div>{detail}</div>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Marks the stages after the one that rejected the row as not reached. */
function untilStop(stages: readonly Stage[]): readonly Stage[] {
  const stop = stages.findIndex(({ passed }) => passed === false);
  return stages.map((stage, at) =>
    stop === -1 || at <= stop ? stage : { ...stage, passed: null, detail: "" },
  );
}

function stagesOf(explanation: RowExplanation): readonly Stage[] {
  const { row, project, window, filter, late, partition, file } = explanation;
  return [
    {
      name: "Row",
      passed: row !== null,
      detail: row ? (
        <>
          begins at <Time at={row.start_time} />
        </>
      ) : (
        "The workspace has no such row."
      ),
    },
    {
      name: "Project",
      passed: project?.matches ?? null,
      detail: project && <code>{projectText(project.session_id)}</code>,
    },
    {
      name: "Window",
      passed: window?.matches ?? null,
      detail: window && <Window from={window.start_time} to={window.end_time} />,
    },
    {
      name: "Filter",
      passed: filter?.matches ?? null,
      detail: filter && (
        <>
          <code>{filter.expression ?? "none"}</code>
          {filter.clause !== undefined && (
            <p>
              The clause <code>{filter.clause}</code> decides, since {filter.because}.
            </p>
          )}
        </>
      ),
    },
    {
      name: "In time",
      passed: late === null ? null : !late,
      detail: late === true && "Its current version was written after its run had started to read (§3.3).",
    },
    {
      name: "Partition",
      passed: partition === null ? null : partition.status !== "FAILED",
      detail: partition && (
        <>
          {partition.start_time.slice(0, 10)} <Status status={partition.status} />
        </>
      ),
    },
    { name: "File", passed: file === null ? null : true, detail: file !== null && <FileLink path={file} /> },
  ];
}

/** Links `<bucket>/<key>` to the rows of the file. */
function FileLink({ path }: { readonly path: string }) {
  const slash = path.indexOf("/");
  return (
    <a class="mono key" href={addressOf("file", path.slice(0, slash), { key: path.slice(slash + 1) })}>
      {path}
    </a>
  );
}

function projectText(sessionId: string | null): string {
  return sessionId ?? "all experiments";
}
