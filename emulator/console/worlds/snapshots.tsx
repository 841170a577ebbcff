import { useState } from "preact/hooks";
import { CONTROL_PATH } from "../../client/control-client.ts";
import type { SnapshotView } from "../../subjects/control-operation.ts";
import { control } from "../model/actions.ts";
import { revision } from "../model/live.ts";
import { importFile, importOf } from "../model/upload.ts";
import { worldName, worldUrl } from "../model/world-address.ts";
import { Action, CopyMenu } from "../parts/action.tsx";
import { TextField } from "../parts/field.tsx";
import { FileDrop } from "../parts/file-drop.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";

const COLUMNS: readonly Column<SnapshotView>[] = [
  { name: "Snapshot", show: ({ name }) => name },
  { name: "Of", show: ({ of }) => of },
  { name: "Turn", number: true, show: ({ turn }) => turn },
  { name: "At", show: ({ now }) => <Time at={now} /> },
  { name: "Actions", show: ({ name }) => <SnapshotActions name={name} /> },
];

/** Snapshots, with actions to save, load, remove, download and import them. */
export function Snapshots({ list }: { readonly list: readonly SnapshotView[] }) {
  const [name, setName] = useState("midway");
  const [file, setFile] = useState("midway.tar.gz");
  const importSnapshot = async (file: File) => {
    setFile(file.name);
    await importFile(file);
    revision.value += 1;
  };
  return (
    <>
      <h2>Snapshots</h2>
      {list.length > 0 && (
        <Table label="Snapshots" columns={COLUMNS} rows={list} keyOf={(each) => each.name} />
      )}
      <section class="card form" aria-label="New snapshot">
        <h2 class="wide">New snapshot</h2>
        <TextField name="Name" value={name} set={setName} />
        <div class="row">
          <Action
            label={`Save ${worldName} as a snapshot`}
            kind="main"
            call={control("POST", "/snapshots", { name })}
            onDone={() => {
              revision.value += 1;
            }}
          />
        </div>
      </section>
      <div class="row">
        <FileDrop
          name="Import a snapshot"
          hint="drop its file here"
          accept=".gz,.tgz"
          onFile={importSnapshot}
        />
        <CopyMenu label="Import a snapshot" call={importOf(file)} />
      </div>
    </>
  );
}

function SnapshotActions({ name }: { readonly name: string }) {
  const path = `/snapshots/${encodeURIComponent(name)}`;
  const refresh = () => {
    revision.value += 1;
  };
  return (
    <span class="row">
      <Action label={`Load ${name} into ${worldName}`} call={control("POST", `${path}/load`, {})}>
        Load
      </Action>
      <a class="button" href={`${worldUrl}${CONTROL_PATH}${path}/file`} aria-label={`Download ${name}`}>
        Download
      </a>
      <Action
        label={`Remove the snapshot ${name}`}
        kind="danger"
        call={control("DELETE", path)}
        onDone={refresh}
      >
        Remove
      </Action>
    </span>
  );
}
