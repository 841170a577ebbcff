import { useState } from "preact/hooks";
import { CONTROL_PATH } from "../../client/control-client.ts";
import type { ObjectList } from "../../subjects/object-storage/contents.ts";
import { count } from "../model/count.ts";
import { useReply } from "../model/resource.ts";
import { addressOf, route } from "../model/router.ts";
import { worldUrl } from "../model/world-address.ts";
import { More, SearchField } from "../parts/list.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { WhyLink } from "../parts/why-link.tsx";

const PAGE_ROWS = 100;

interface BucketProps {
  readonly name: string;
  readonly prefix: string;
}

type Entry = { readonly folder: string } | ObjectList["objects"][number];

/** A folder of a bucket: folders first, then objects. */
export function Bucket({ name, prefix }: BucketProps) {
  const [limit, setLimit] = useState(PAGE_ROWS);
  const text = route.value.query.get("text") ?? "";
  const parameters = new URLSearchParams({ prefix, text, limit: String(limit) });
  // A search includes the folders below.
  if (text === "") parameters.set("delimiter", "/");
  const folder = `/s3/buckets/${encodeURIComponent(name)}/objects`;
  const path = `${folder}?${parameters}`;
  const resource = useReply<ObjectList>(path, `${folder} ${prefix}`);
  return (
    <>
      <Crumbs name={name} prefix={prefix} />
      <h1>{prefix === "" ? name : prefix.split("/").at(-2)}</h1>
      <Loaded resource={resource}>
        {({ prefixes, objects, truncated, total, matching }) => {
          const entries: readonly Entry[] = [...prefixes.map((each) => ({ folder: each })), ...objects];
          if (total === 0) return <Empty>This folder is empty.</Empty>;
          const first = truncated ? `first ${entries.length.toLocaleString("en")} entries; ` : "";
          const matches = text === "" ? "" : `${matching.toLocaleString("en")} matching of `;
          return (
            <>
              <div class="row list-bar">
                <SearchField label="Objects" />
                <span class="muted" role="status">
                  {first + matches + count(total, "object")}, with those in folders
                </span>
              </div>
              <Table
                label="Objects"
                columns={columnsOf(name, prefix)}
                rows={entries}
                keyOf={(entry) => ("folder" in entry ? entry.folder : entry.key)}
              />
              {truncated && <More shown={0} of={PAGE_ROWS} act={() => setLimit(limit + PAGE_ROWS)} />}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function Crumbs({ name, prefix }: { readonly name: string; readonly prefix: string }) {
  const parts = prefix.split("/").filter((part) => part !== "");
  return (
    <nav class="crumbs" aria-label="Path">
      <a href={addressOf("storage")}>Storage</a> / <a href={addressOf("storage", name)}>{name}</a>
      {parts.map((part, index) => {
        const to = `${parts.slice(0, index + 1).join("/")}/`;
        return (
          <span key={to}>
            {" / "}
            <a href={addressOf("storage", name, { prefix: to })}>{part}</a>
          </span>
        );
      })}
    </nav>
  );
}

function columnsOf(bucket: string, prefix: string): readonly Column<Entry>[] {
  return [
    { name: "Name", show: (entry) => <Name entry={entry} bucket={bucket} prefix={prefix} /> },
    {
      name: "Bytes",
      number: true,
      show: (entry) => ("size" in entry ? entry.size.toLocaleString("en") : ""),
    },
    { name: "Type", show: (entry) => ("size" in entry ? entry.content_type : "") },
    { name: "Changed", show: (entry) => ("size" in entry ? <Time at={entry.last_modified} /> : "") },
    { name: "Cause", show: (entry) => ("size" in entry ? <WhyLink id={`${bucket}/${entry.key}`} /> : "") },
    {
      name: "Actions",
      show: (entry) => ("size" in entry ? <Download bucket={bucket} name={entry.key} /> : ""),
    },
  ];
}

function Name({ entry, bucket, prefix }: { entry: Entry; bucket: string; prefix: string }) {
  if ("folder" in entry)
    return (
      <a href={addressOf("storage", bucket, { prefix: entry.folder })}>{entry.folder.slice(prefix.length)}</a>
    );
  const name = entry.key.slice(prefix.length);
  if (!entry.key.endsWith(".parquet")) return <span class="mono">{name}</span>;
  return (
    <a class="mono" href={addressOf("file", bucket, { key: entry.key })}>
      {name}
    </a>
  );
}

function Download({ bucket, name }: { readonly bucket: string; readonly name: string }) {
  const path = `/s3/buckets/${encodeURIComponent(bucket)}/object?key=${encodeURIComponent(name)}`;
  return (
    <a
      href={worldUrl + CONTROL_PATH + path}
      download={name.split("/").at(-1)}
      aria-label={`Download ${name}`}
    >
      Download
    </a>
  );
}
