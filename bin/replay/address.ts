import { dirname, resolve } from "node:path";
import { readLocator } from "../../emulator/runtime/process/locator.ts";
import { UsageError } from "../command.ts";

/** The address of a running emulator, and a world of it if one is given. */
export interface TargetAddress {
  readonly url: string;
  readonly world: string | undefined;
}

/** Parses an address (`/w/<world>` at its end names a world), or reads it from a locator file or its folder. */
export function targetAddressOf(
  value: string | boolean,
  world: string | boolean | undefined,
  flag: string,
  cwd: string,
): TargetAddress {
  const requestedWorld = world === undefined ? undefined : String(world);
  const text = String(value);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return { url: locatedAt(text, flag, cwd), world: requestedWorld };
  const [, inPath] = /^(?:\/w\/([^/]+))?\/?$/.exec(url.pathname) ?? [undefined, ""];
  if (inPath === "")
    throw new UsageError(`${flag}: "${text}" has a path that is not /w/<world>; give ${url.origin}`);
  if (inPath !== undefined && requestedWorld !== undefined && inPath !== requestedWorld)
    throw new UsageError(`--world: ${flag} names the world ${inPath} already; remove --world`);
  return { url: url.origin, world: requestedWorld ?? inPath };
}

function locatedAt(text: string, flag: string, cwd: string): string {
  const path = resolve(cwd, text);
  const locator = readLocator(path.endsWith("locator.json") ? dirname(path) : path);
  if (locator !== undefined) return locator.url;
  throw new UsageError(
    `${flag}: "${text}" is neither an address such as http://127.0.0.1:4700 nor the data folder of a running emulator`,
  );
}

/** The address of its world; the world `main` needs no path. */
export function addressOf({ url, world = "main" }: TargetAddress): string {
  return world === "main" ? url : `${url}/w/${encodeURIComponent(world)}`;
}

/** The flags that select it again. */
export function flagsFor({ url, world }: TargetAddress): readonly string[] {
  return [`--target ${url}`, ...(world === undefined ? [] : [`--world ${world}`])];
}
