import type { Configuration, ReadyLine } from "../../config/configuration.ts";
import { packageVersion } from "../../config/package-version.ts";
import { MAIN } from "../../http/world-choice.ts";
import { formatInstant } from "../../kernel/instant.ts";
import { CONSOLE_PATH } from "../../subjects/control-prefix.ts";
import { isLoopback } from "../../subjects/local-hosts.ts";
import type { World } from "../../subjects/turn.ts";

/** The ports that the servers listen on. */
export type PortNumbers = Record<"us" | "eu" | "s3", number>;

/** Where clients find the servers of a process; until they listen, every port is 0. */
export interface ServerAddresses {
  /** The servers listen now. */
  setPorts(ports: PortNumbers): void;
  /** Addresses of a world: those of the process, and for any other than `main` the base path that names it. */
  of(id: string): Pick<ReadyLine, "url" | "eu_url" | "s3_url">;
  /** Without it the console may only read; undefined where other machines do not reach the servers. */
  readonly consoleToken: string | undefined;
  /** Where a person finds the console of the world main, with the token where it takes one. */
  consoleUrl(): string;
  /** What an emulator says of a world once it is ready to serve. */
  readyLine(id: string, world: Pick<World, "seed" | "now">): ReadyLine;
  /** Whether an endpoint is a world's own object store: none named, or the S3 port on a loopback name. */
  isEmbedded(endpointUrl: string | null, id: string): boolean;
}

/** An address that stands for all of a machine's leads nowhere; calls of this machine come in here. */
const OWN_ADDRESS: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** The addresses of servers on the host that the configuration binds them to. */
export function createServerAddresses({ host: bound }: Configuration): ServerAddresses {
  const host = OWN_ADDRESS[bound] ?? bound;
  const isLocal = isLoopback(bound.includes(":") ? `[${bound}]` : bound);
  // Loaded only where it is needed: it takes a part of each start.
  const random = () => process.getBuiltinModule("node:crypto").randomBytes(16).toString("hex");
  const consoleToken = isLocal ? undefined : random();
  let ports: PortNumbers = { us: 0, eu: 0, s3: 0 };

  function of(id: string) {
    const base = id === MAIN ? "" : `/w/${id}`;
    const origin = (port: number) => `http://${host.includes(":") ? `[${host}]` : host}:${port}${base}`;
    return { url: origin(ports.us), eu_url: origin(ports.eu), s3_url: origin(ports.s3) };
  }

  return {
    setPorts(next) {
      ports = next;
    },
    of,
    consoleToken,
    consoleUrl: () =>
      `${of(MAIN).url}${CONSOLE_PATH}${consoleToken === undefined ? "" : `#token=${consoleToken}`}`,
    readyLine: (id, { seed, now }) => ({
      ready: true,
      ...of(id),
      pid: process.pid,
      version: packageVersion(),
      seed,
      now: formatInstant(now),
    }),
    isEmbedded(endpointUrl, id) {
      if (endpointUrl === null) return true;
      if (!URL.canParse(endpointUrl)) return false;
      const { hostname, port, pathname } = new URL(endpointUrl);
      if (!isLoopback(hostname) || Number(port) !== ports.s3) return false;
      const path = pathname.replace(/\/$/, "");
      // The port alone is every world's own store; a base path has to name this world.
      return path === "" || path === `/w/${id}` || !path.startsWith("/w/");
    },
  };
}
