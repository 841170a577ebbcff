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
  { name: "Value", show: ({ assumption }) => <strong class="key">{valueText(assumption.value)}</strong> },
  {
    name: "Alternatives",
    show: ({ assumption }) => (
      <span class="key">{assumption.alternatives?.map((each) => valueText(each)).join(", ")}</span>
    ),
  },
  { name: "Why", show: ({ assumption }) => <span class="key">{assumption.reason}</span> },
];

/** The effective configuration, and all assumptions about what the specification leaves open. */
export function SettingsView() {
  const [searchText, setSearchText] = useState("");
  const config = useResource("config", () => present.config<Config>());
  return (
    <>
      <h1>Settings</h1>
      <Loaded resource={config}>
        {({ assumptions, ...rest }) => {
          const rows = Object.entries(assumptions)
            .map(([id, assumption]) => ({ id, assumption }))
            .filter((row) => JSON.stringify(row).toLowerCase().includes(searchText.toLowerCase()));
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
              <TextField name="Find" value={searchText} set={setSearchText} />
              <Table label="Assumptions" columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function valueText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
