import { CONSOLE_PATH } from "../../subjects/control-prefix.ts";

/** The address of this page: an origin, and the base path of its world. */
const { origin, pathname } = window.location;

/** The base path of the world, without a final slash; empty for the world main. */
export const basePath = pathname.slice(0, Math.max(0, pathname.indexOf(CONSOLE_PATH)));

/** The address that clients use for this world. */
export const worldUrl = origin + basePath;

/** The name of the world. */
export const worldName = basePath === "" ? "main" : decodeURIComponent(basePath.replace(/^\/w\//, ""));

/** The base path of a world of this process. */
export function pathOf(world: string): string {
  return `/w/${encodeURIComponent(world)}`;
}

/** The console of another world of this process. */
export function consoleOf(world: string): string {
  return `${world === "main" ? "" : pathOf(world)}${CONSOLE_PATH}`;
}
