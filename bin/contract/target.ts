import { PROFILES, type Profile } from "../../contracts/engine/profile.ts";
import { unknownOperations } from "../../contracts/engine/surface.ts";
import type { Target } from "../../contracts/engine/target.ts";
import { areLocal, createAddressTarget, createEmulatorTarget } from "../../contracts/index.ts";
import { worldIdsIn } from "../../contracts/targets/test-world.ts";
import { CommandFailure, type Invocation, UsageError } from "../command.ts";
import { countOf, defined, FROM_ZERO, textOf, wordOf } from "../values.ts";

type Flags = Invocation["flags"];

/** The server under test: the one given by flags, or an emulator in this process. */
export async function targetOf(invocation: Invocation): Promise<Target> {
  const { flags } = invocation;
  const image = imageOf(flags);
  if (image !== undefined) {
    refuseUnusedFlags(flags, "it is not valid with a container; remove it");
    return (await import("./container.ts")).containerTarget(image);
  }
  if (flags.target !== undefined) return at(invocation, "target");
  if (flags.compare === undefined && flags["agent-url"] !== undefined) return at(invocation, "agent-url");
  if (flags.compare === undefined) refuseUnusedFlags(flags);
  const { startEmulator } = await import("../../emulator/runtime/index.ts");
  return createEmulatorTarget(startEmulator, { profile: profileOf(flags) });
}

const OF_ONE_SERVER = new Set(
  "agent-url eu-url assistant api-key world header destination session thread implements adapter".split(" "),
);

/**
 * The server to compare with. Flags that describe one server describe the one at `--target` where that is given:
 * the key of one server must not be sent to another.
 */
export function otherOf(invocation: Invocation): Promise<Target> {
  const { flags } = invocation;
  const key = flags["compare-api-key"];
  const rest = Object.fromEntries(Object.entries(flags).filter(([name]) => !OF_ONE_SERVER.has(name)));
  const others = flags.target === undefined ? flags : rest;
  const serverFlags = { ...others, ...(key !== undefined && { "api-key": key }) };
  const keyFlag = flags.target === undefined ? "api-key" : "compare-api-key";
  return at({ ...invocation, flags: serverFlags }, "compare", keyFlag);
}

/** The server at the address in a flag, with the caller's key and workspace. */
async function at(
  { flags, env }: Invocation,
  flag: "target" | "agent-url" | "compare",
  keyFlag: "api-key" | "compare-api-key" = "api-key",
): Promise<Target> {
  const url = baseOf(flag, textOf({ flags }, flag) ?? "");
  const euUrl = addressIn(flags, "eu-url");
  const agentUrl = addressIn(flags, "agent-url");
  const addressFlags = { ...(flag !== "agent-url" && { url }), ...defined({ euUrl, agentUrl }) };
  requireDistinctUrls(url, euUrl);
  const world = textOf({ flags }, "world");
  refuseTwoWorlds(addressFlags, world);
  const apiKey = textOf({ flags }, "api-key");
  if (!areLocal(addressFlags) && apiKey === undefined)
    throw new UsageError(`--${keyFlag} is missing; give the key of the server at --${flag}`);
  const waitSeconds = countOf({ flags }, "wait", FROM_ZERO);
  return createAddressTarget({
    ...addressFlags,
    allowWrites: flags["allow-writes"] === true,
    greets: true,
    ...defined({
      apiKey,
      tenantId: textOf({ flags }, "tenant-id"),
      assistant: textOf({ flags }, "assistant"),
      // Ids for cases that cannot make their own.
      destinationId: textOf({ flags }, "destination"),
      sessionId: textOf({ flags }, "session"),
      threadId: textOf({ flags }, "thread"),
      implements: implementedIn(flags),
      adapterUrl: adapterIn(flags, addressFlags),
      world: world === undefined ? undefined : worldFor(addressFlags, world),
      headers: headersIn(flags),
      waitMs: waitSeconds === undefined ? undefined : waitSeconds * 1000,
      s3: storeOf(flags, env),
    }),
  }).catch((error: Error) => {
    throw error.name === "Unreachable" ? error : new CommandFailure(error.message);
  });
}

/** The profile to check the server against. Throws `UsageError` for any other value. */
export function profileOf(flags: Flags): Profile {
  return wordOf({ flags }, "profile", PROFILES) ?? "spec";
}

/** The image of `--target container[:<image>]`: empty for the default image, undefined for an address. */
function imageOf(flags: Flags): string | undefined {
  const match = /^container(?::(.+))?$/.exec(textOf({ flags }, "target") ?? "");
  return match ? (match[1] ?? "") : undefined;
}

const SERVER_FLAGS =
  "eu-url world assistant api-key tenant-id header destination session thread implements adapter wait s3 allow-writes".split(
    " ",
  );

/** Refuses flags that describe a remote server when the emulator is started here. Throws `UsageError`. */
function refuseUnusedFlags(
  flags: Flags,
  why = "it is only valid with --target, --agent-url or --compare; add one of them, or remove it",
): void {
  for (const name of SERVER_FLAGS) if (flags[name] !== undefined) throw new UsageError(`--${name}: ${why}`);
}

/** Each region has an address of its own (§1). */
function requireDistinctUrls(url: string, euUrl: string | undefined): void {
  if (url === euUrl)
    throw new UsageError(`--eu-url: ${euUrl} is the US address; give the address of the EU region`);
}

/** Only emulators have worlds; other services are never sent a world's path. */
function worldFor(addressFlags: Parameters<typeof areLocal>[0], world: string): string {
  if (!areLocal(addressFlags))
    throw new UsageError(
      "--world: the target must be an emulator on this machine; other servers have no worlds",
    );
  if (!/^[\w.-]+$/.test(world)) throw new UsageError(`--world: "${world}" is not a valid name of a world`);
  return world;
}

function refuseTwoWorlds(addressFlags: Parameters<typeof areLocal>[0], world: string | undefined): void {
  const [one, another] = worldIdsIn(addressFlags, world);
  if (another !== undefined)
    throw new UsageError(`--world: ${one} and ${another} are different worlds; give one`);
}

function addressIn(flags: Flags, name: string): string | undefined {
  const addressFlags = textOf({ flags }, name);
  return addressFlags === undefined ? undefined : baseOf(name, addressFlags);
}

/** A base address without a slash at its end. Throws `UsageError`. */
export function baseOf(name: string, addressFlags: string): string {
  const address = URL.canParse(addressFlags) ? new URL(addressFlags) : undefined;
  if (!address || !/^https?:$/.test(address.protocol))
    throw new UsageError(
      `--${name}: "${addressFlags}" is not an http or https address; give one such as http://127.0.0.1:4700`,
    );
  if (address.username !== "" || address.password !== "")
    throw new UsageError(
      `--${name}: user and password are not allowed in the address; give a key with --api-key`,
    );
  if (address.search !== "" || address.hash !== "")
    throw new UsageError(
      `--${name}: a base address must not have a query or a fragment; remove the part from "?" or "#" on`,
    );
  return addressFlags.replace(/\/+$/, "");
}

/** The headers of every request, names in lower case. Throws `UsageError`. */
function headersIn(flags: Flags): Readonly<Record<string, string>> | undefined {
  const lines = textOf({ flags }, "header")?.split("\n");
  if (!lines) return undefined;
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(line) ?? [];
      // The value may be a key, so it is not repeated.
      if (!name || !value) throw new UsageError('--header: give a name and a value, such as "X-Team: one"');
      return [name.toLowerCase(), value];
    }),
  );
}

/** The adapter of the server; it empties it. Throws `UsageError`. */
function adapterIn(flags: Flags, addressFlags: Parameters<typeof areLocal>[0]): string | undefined {
  const url = addressIn(flags, "adapter");
  if (url === undefined || areLocal(addressFlags) || flags["allow-writes"] === true) return url;
  throw new UsageError(
    "--adapter: an adapter may empty the server, and this server is not local; add --allow-writes to allow it",
  );
}

/** Operations that the server is said to have. Throws `UsageError` for an unknown one. */
function implementedIn(flags: Flags): readonly string[] | undefined {
  const words = textOf({ flags }, "implements")?.split("\n");
  const [unknown] = unknownOperations(words ?? []);
  if (unknown !== undefined)
    throw new UsageError(
      `--implements: "${unknown}" is not an operation or a section with operations; give 4.8 or "POST /runs/stream"`,
    );
  return words;
}

function storeOf(flags: Flags, env: Invocation["env"]) {
  const endpoint = textOf({ flags }, "s3");
  if (endpoint === undefined) return undefined;
  const accessKeyId = textOf({ flags }, "s3-access-key-id") ?? env.AWS_ACCESS_KEY_ID;
  const secretAccessKey = textOf({ flags }, "s3-secret-access-key") ?? env.AWS_SECRET_ACCESS_KEY;
  if (!accessKeyId || !secretAccessKey)
    throw new UsageError(
      "--s3: the key pair is missing; give --s3-access-key-id and --s3-secret-access-key, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    );
  const sessionToken = env.AWS_SESSION_TOKEN;
  return {
    endpoint: endpoint === "aws" ? null : baseOf("s3", endpoint),
    name: textOf({ flags }, "s3-bucket") ?? "traces",
    region: textOf({ flags }, "s3-region") ?? "us-east-1",
    accessKeyId,
    secretAccessKey,
    ...(sessionToken && { sessionToken }),
  };
}
