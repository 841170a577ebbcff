import type { BucketView } from "../../subjects/object-storage/buckets.ts";
import type { CredentialView } from "../../subjects/object-storage/credentials.ts";
import { control } from "../model/actions.ts";
import { useReply } from "../model/resource.ts";
import { addressOf, route } from "../model/router.ts";
import { Action } from "../parts/action.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { Bucket } from "./bucket.tsx";

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
  const buckets = useReply<readonly BucketView[]>("/s3/buckets");
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

const PERMISSIONS = ["put", "get", "delete", "list", "abort"] as const;

const KEY_COLUMNS: readonly Column<CredentialView>[] = [
  { name: "Access key", show: ({ access_key_id }) => <span class="mono">{access_key_id}</span> },
  { name: "Bucket", show: ({ bucket }) => bucket ?? "all" },
  {
    name: "May",
    show: (key) => (
      <span class="row">
        {PERMISSIONS.map((permission) => (
          <Permission key={permission} keyPair={key} permission={permission} />
        ))}
      </span>
    ),
  },
  { name: "Expires", show: ({ expires_at }) => <Time at={expires_at} /> },
];

/** The key pairs; a permission is a switch that takes effect at once. */
function Keys() {
  const keys = useReply<readonly CredentialView[]>("/s3/credentials");
  return (
    <Loaded resource={keys}>
      {(list) =>
        list.length === 0 ? (
          <Empty>No key pairs.</Empty>
        ) : (
          <Table
            label="Key pairs"
            columns={KEY_COLUMNS}
            rows={list}
            keyOf={({ access_key_id }) => access_key_id}
          />
        )
      }
    </Loaded>
  );
}

interface PermissionProps {
  readonly keyPair: CredentialView;
  readonly permission: (typeof PERMISSIONS)[number];
}

function Permission({ keyPair: { access_key_id, allow, deny }, permission }: PermissionProps) {
  const isAllowed = allow.includes(permission) && !deny.includes(permission);
  const others = deny.filter((name) => name !== permission);
  const body = isAllowed
    ? { deny: [...others, permission] }
    : { deny: others, allow: [...new Set([...allow, permission])] };
  return (
    <Action
      label={`${isAllowed ? "Deny" : "Allow"} ${permission} to ${access_key_id}`}
      call={control("PATCH", `/s3/credentials/${encodeURIComponent(access_key_id)}`, body)}
    >
      <span aria-hidden="true">{isAllowed ? "●" : "⊘"}</span> {permission}
    </Action>
  );
}
