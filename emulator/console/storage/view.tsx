import type { BucketView } from "../../subjects/object-storage/buckets.ts";
import { control } from "../model/actions.ts";
import { useReply } from "../model/looks.ts";
import { addressOf, route } from "../model/router.ts";
import { Action } from "../parts/action.tsx";
import { Empty } from "../parts/empty.tsx";
import { Loaded } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { Bucket } from "./bucket.tsx";
import { Keys } from "./keys.tsx";

/** The embedded object store: buckets, folders, objects, and key pairs with their permissions. */
export function StorageView() {
  const { id, query } = route.value;
  if (id !== null) return <Bucket name={id} prefix={query.get("prefix") ?? ""} />;
  return (
    <>
      <h1>Storage</h1>
      <Buckets />
      <h2>Key pairs</h2>
      <Keys />
    </>
  );
}

const COLUMNS: readonly Column<BucketView>[] = [
  { name: "Bucket", show: ({ name }) => <a href={addressOf("storage", name)}>{name}</a> },
  { name: "Objects", number: true, show: ({ objects }) => objects.toLocaleString("en") },
  { name: "Uploads", number: true, show: ({ uploads }) => uploads.toLocaleString("en") },
  { name: "Created", show: ({ created_at }) => <Time at={created_at} /> },
  {
    name: "Actions",
    show: ({ name }) => (
      <Action
        label={`Delete the bucket ${name}`}
        kind="danger"
        call={control("DELETE", `/s3/buckets/${encodeURIComponent(name)}`)}
      >
        Delete
      </Action>
    ),
  },
];

function Buckets() {
  const buckets = useReply<readonly BucketView[]>("The buckets", "/s3/buckets", (list) =>
    list.map(({ name, objects }) => ({ name, objects })),
  );
  return (
    <Loaded resource={buckets}>
      {(list) =>
        list.length === 0 ? (
          <Empty>No buckets. Create one with POST /_emulator/v1/s3/buckets.</Empty>
        ) : (
          <Table label="Buckets" columns={COLUMNS} rows={list} keyOf={({ name }) => name} />
        )
      }
    </Loaded>
  );
}
