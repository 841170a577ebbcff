import { refuse } from "./refused.ts";

/** The parts of a raw request target; `new URL` would resolve `..` (law 12). */
export interface Target {
  /** Exactly as sent, since the signature covers it. */
  readonly rawPath: string;
  readonly rawQuery: string;
  /** The part of the path that names the world; usually empty. */
  readonly basePath: string;
  /** Empty where there is none. */
  readonly bucket: string;
  readonly key: string;
  readonly query: ReadonlyMap<string, string>;
}

/** Splits a request target into its raw path and raw query. */
export function splitTarget(url: string): { readonly rawPath: string; readonly rawQuery: string } {
  const mark = url.indexOf("?");
  if (mark === -1) return { rawPath: url, rawQuery: "" };
  return { rawPath: url.slice(0, mark), rawQuery: url.slice(mark + 1) };
}

/** Finds bucket and key in the path, or the bucket in the host name (`traces.localhost`). */
export function readTarget(
  url: string,
  host: string,
  basePath: string,
  hostSuffixes: readonly string[],
): Target {
  const { rawPath, rawQuery } = splitTarget(url);
  const parts = { rawPath, rawQuery, basePath, query: readQuery(rawQuery) };
  const inside = rawPath.slice(basePath.length).replace(/^\//, "");
  const hosted = bucketOfHost(host, hostSuffixes);
  if (hosted !== undefined) return { ...parts, bucket: hosted, key: decode(inside) };
  const slash = inside.indexOf("/");
  const bucket = decode(slash === -1 ? inside : inside.slice(0, slash));
  const key = slash === -1 ? "" : decode(inside.slice(slash + 1));
  return { ...parts, bucket, key };
}

/** The bucket that a host name such as `traces.localhost` names. */
export function bucketOfHost(host: string, suffixes: readonly string[]): string | undefined {
  const name = host.replace(/:\d+$/, "").toLowerCase();
  const suffix = suffixes.find((candidate) => name.endsWith(`.${candidate}`));
  return suffix && name.slice(0, -suffix.length - 1);
}

/** Decodes a path. A plus sign stays a plus sign. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refuse("InvalidURI", undefined, { URI: text.slice(0, 200) });
  }
}

function readQuery(rawQuery: string): ReadonlyMap<string, string> {
  const query = new Map<string, string>();
  for (const [name, value] of queryPairs(rawQuery)) {
    query.set(decode(name.replaceAll("+", " ")), decode(value.replaceAll("+", " ")));
  }
  return query;
}

/** The pairs of a raw query, still encoded. */
export function queryPairs(rawQuery: string): readonly (readonly [string, string])[] {
  return rawQuery
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const equals = pair.indexOf("=");
      return equals === -1 ? [pair, ""] : [pair.slice(0, equals), pair.slice(equals + 1)];
    });
}
