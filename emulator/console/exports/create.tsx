import { useState } from "preact/hooks";
import type { WorkspaceView } from "../../control/workspaces.ts";
import { formatInstant } from "../../kernel/instant.ts";
import type { Call } from "../model/actions.ts";
import { apiHeaders, apiKey, setApiKey } from "../model/api-key.ts";
import { client } from "../model/client.ts";
import { clock, now } from "../model/clock.ts";
import { useResource } from "../model/resource.ts";
import { addressOf, go } from "../model/router.ts";
import { Action } from "../parts/action.tsx";
import { ChoiceField, Field, TextField } from "../parts/field.tsx";
import { Loaded } from "../parts/states.tsx";
import { FirstSteps } from "./first-steps.tsx";

const DAY_MS = 86_400_000;

/** The values of the form, as typed. */
interface Draft {
  readonly project: string;
  readonly destination: string;
  readonly start: string;
  readonly end: string;
  readonly interval: string;
  readonly filter: string;
  readonly fields: string;
  readonly version: string;
  readonly compression: string;
}

/** Creates an export with `POST /api/v1/bulk-exports`, like any client. */
export function CreateExport() {
  const workspaces = useResource("workspaces", () =>
    client.call<readonly WorkspaceView[]>("GET", "/workspaces"),
  );
  return (
    <>
      <nav class="crumbs" aria-label="Path">
        <a href={addressOf("exports")}>Exports</a> / new
      </nav>
      <h1>New export</h1>
      <Loaded resource={workspaces}>
        {(list) => {
          const readyWorkspace = list.find(
            ({ projects, destinations }) => projects.length > 0 && destinations.length > 0,
          );
          if (!readyWorkspace) return <FirstSteps workspaces={list} />;
          // The default window ends on the day of the clock, which may not be loaded yet.
          return clock.value === null ? <p class="muted">Reading …</p> : <Form workspace={readyWorkspace} />;
        }}
      </Loaded>
    </>
  );
}

function Form({ workspace }: { readonly workspace: WorkspaceView }) {
  const today = Math.floor(now.value / DAY_MS) * DAY_MS;
  const [draft, setDraft] = useState<Draft>({
    project: workspace.projects[0]?.id ?? "",
    destination: workspace.destinations[0]?.id ?? "",
    start: dayOf(today - 7 * DAY_MS),
    end: dayOf(today + DAY_MS),
    interval: "",
    filter: "",
    fields: "",
    version: "",
    compression: "",
  });
  const set = (name: keyof Draft) => (value: string) => setDraft({ ...draft, [name]: value });
  const projects = workspace.projects.map(({ id, name }) => [id, name] as const);
  const destinations = workspace.destinations.map(
    ({ id, display_name, bucket_name }) => [id, `${display_name} (${bucket_name})`] as const,
  );
  return (
    <section class="card form" aria-label="Fields">
      <ChoiceField name="Project" value={draft.project} set={set("project")} options={projects} />
      <ChoiceField
        name="Destination"
        value={draft.destination}
        set={set("destination")}
        options={destinations}
      />
      <TextField name="From" value={draft.start} set={set("start")} hint="ISO 8601, UTC" />
      <TextField name="To" value={draft.end} set={set("end")} hint="leave it empty for a schedule" />
      <TextField
        name="Every (hours)"
        value={draft.interval}
        set={set("interval")}
        hint="1 to 168: a schedule, which has no end"
      />
      <ChoiceField name="Format" value={draft.version} set={set("version")} options={FORMATS} />
      <ChoiceField name="Compression" value={draft.compression} set={set("compression")} options={CODECS} />
      <TextField
        name="Columns"
        value={draft.fields}
        set={set("fields")}
        hint="names with commas; empty for all"
      />
      <FilterField value={draft.filter} set={set("filter")} />
      <TextField name="API key" value={apiKey.value} set={setApiKey} />
      <div class="row">
        <Action
          label="Create the export"
          kind="main"
          call={callOf(draft, workspace)}
          onDone={(reply) => go(addressOf("exports", (reply as { readonly id: string }).id))}
        />
      </div>
    </section>
  );
}

const DEFAULT = ["", "default"] as const;
const FORMATS = [DEFAULT, ["v1", "v1"], ["v2_beta", "v2_beta"]] as const;
const CODECS = [
  DEFAULT,
  ["none", "none"],
  ["snappy", "snappy"],
  ["gzip", "gzip"],
  ["zstandard", "zstandard"],
] as const;

function callOf(draft: Draft, { tenant_id }: WorkspaceView): Call {
  const fields = draft.fields
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const body = {
    bulk_export_destination_id: draft.destination,
    session_id: draft.project,
    start_time: draft.start,
    ...(draft.end !== "" && draft.interval === "" && { end_time: draft.end }),
    ...(draft.interval !== "" && { interval_hours: Number(draft.interval) }),
    ...(draft.filter !== "" && { filter: draft.filter }),
    ...(fields.length > 0 && { export_fields: fields }),
    ...(draft.version !== "" && { format_version: draft.version }),
    ...(draft.compression !== "" && { compression: draft.compression }),
  };
  return { method: "POST", path: "/api/v1/bulk-exports", headers: apiHeaders(tenant_id), body };
}

function dayOf(instant: number): string {
  return `${formatInstant(instant).slice(0, 19)}Z`;
}

interface FilterCheck {
  readonly ok: boolean;
  readonly problem: { readonly position: number; readonly message: string; readonly hint?: string } | null;
}

interface FilterFieldProps {
  readonly value: string;
  readonly set: (value: string) => void;
}

/** A filter (§2.5), checked while it is typed with the parser that exports use. */
function FilterField({ value, set }: FilterFieldProps) {
  return (
    <div class="wide">
      <Field name="Filter" hint={'for example and(eq(run_type, "llm"), gt(latency, 2))'}>
        <textarea
          rows={3}
          value={value}
          spellcheck={false}
          class="mono"
          onInput={(event) => set(event.currentTarget.value)}
        />
      </Field>
      {value !== "" && <CheckResult filter={value} />}
    </div>
  );
}

function CheckResult({ filter }: { readonly filter: string }) {
  const { value } = useResource(`filter ${filter}`, () =>
    client.call<FilterCheck>("POST", "/filters/check", { filter }),
  );
  if (!value) return <p class="muted">Checking …</p>;
  if (!value.problem)
    return (
      <p class="status good" role="status">
        <span aria-hidden="true">●</span> A filter that exports take.
      </p>
    );
  const { position, message, hint } = value.problem;
  return (
    <p class="problem" role="status">
      <span aria-hidden="true">✕</span> At character {position + 1}: {message} {hint}
      <code class="excerpt">
        {filter.slice(0, position)}
        <mark>{filter.slice(position, position + 1) || " "}</mark>
        {filter.slice(position + 1)}
      </code>
    </p>
  );
}
