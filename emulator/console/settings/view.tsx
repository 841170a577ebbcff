import { useState } from "preact/hooks";
import type { Assumption } from "../../../contracts/spec/assumption.ts";
import { present } from "../model/client.ts";
import { useResource } from "../model/resource.ts";
import { TextField } from "../parts/field.tsx";
import { Json } from "../parts/json.tsx";
import { Loaded } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";

interface Config {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly assumptions: Readonly<Record<string, Assumption & { readonly value: unknown }>>;
}

interface Row {
  readonly id: string;
  readonly assumption: Config["assumptions"][string];
}

const COLUMNS: readonly Column<Row>[] = [
  { name: "§", show: ({ assumption }) => assumption.section },
  { name: "Assumption", show: ({ id }) => <code>{id}</code> },
  { name: "Value", show: ({ assumption }) => <strong class="key">{shown(assumption.value)}</strong> },
  {
    name: "Alternatives",
    show: ({ assumption }) => (
      <span class="key">{assumption.alternatives?.map((each) => shown(each)).join(", ")}</span>
    ),
  },
  { name: "Why", show: ({ assumption }) => <span class="key">{assumption.reason}</span> },
];

/** The effective configuration, and every choice that was made where the specification is silent. */
export function SettingsView() {
  const [wanted, setWanted] = useState("");
  const config = useResource("config", () => present.config<Config>());
  return (
    <>
      <h1>Settings</h1>
      <Loaded of={config}>
        {({ assumptions, ...rest }) => {
          const rows = Object.entries(assumptions)
            .map(([id, assumption]) => ({ id, assumption }))
            .filter((row) => JSON.stringify(row).toLowerCase().includes(wanted.toLowerCase()));
          return (
            <>
              <details class="card run">
                <summary>
                  <strong>Configuration</strong> <span class="muted">secrets masked</span>
                </summary>
                <Json value={rest} />
              </details>
              <h2>
                Assumptions <span class="muted">{rows.length}</span>
              </h2>
              <TextField name="Find" value={wanted} set={setWanted} />
              <Table label="Assumptions" columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
