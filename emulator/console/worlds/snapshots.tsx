import { useState } from "preact/hooks";
import { CONTROL_PATH } from "../../client/control-client.ts";
import type { SnapshotView } from "../../subjects/control-operation.ts";
import { control } from "../model/actions.ts";
import { revision } from "../model/live.ts";
import { worldName, worldUrl } from "../model/place.ts";
import { importFile, importOf } from "../model/upload.ts";
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
  { name: "Actions", show: ({ name }) => <Uses name={name} /> },
];

/** Saved states: made, loaded, removed, and carried from one emulator to another as files. */
export function Snapshots({ list }: { readonly list: readonly SnapshotView[] }) {
  const [name, setName] = useState("midway");
  const [file, setFile] = useState("midway.tar.gz");
  const take = async (file: File) => {
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
            done={() => {
              revision.value += 1;
            }}
          />
        </div>
      </section>
      <div class="row">
        <FileDrop name="Import a snapshot" hint="drop its file here" accept=".gz,.tgz" take={take} />
        <CopyMenu label="Import a snapshot" call={importOf(file)} />
      </div>
    </>
  );
}

function Uses({ name }: { readonly name: string }) {
  const path = `/snapshots/${encodeURIComponent(name)}`;
  const reread = () => {
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
        done={reread}
      >
        Remove
      </Action>
    </span>
  );
}
