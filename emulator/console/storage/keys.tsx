import type { CredentialView } from "../../subjects/object-storage/credentials.ts";
import { control } from "../model/actions.ts";
import { useReply } from "../model/looks.ts";
import { Action } from "../parts/action.tsx";
import { Empty } from "../parts/empty.tsx";
import { Loaded } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";

const PERMISSIONS = ["put", "get", "delete", "list", "abort"] as const;

const COLUMNS: readonly Column<CredentialView>[] = [
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
export function Keys() {
  const keys = useReply<readonly CredentialView[]>("The key pairs", "/s3/credentials", (list) =>
    list.map(({ access_key_id, allow, deny }) => ({ access_key_id, allow, deny })),
  );
  return (
    <Loaded resource={keys}>
      {(list) =>
        list.length === 0 ? (
          <Empty>No key pairs.</Empty>
        ) : (
          <Table
            label="Key pairs"
            columns={COLUMNS}
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
