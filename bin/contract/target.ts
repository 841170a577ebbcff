import { createAddressTarget, createEmulatorTarget, isLocal } from "../../contracts/index.ts";
import type { Target } from "../../contracts/target.ts";
import { CommandFailure, type Invocation, UsageError } from "../command.ts";

type Flags = Invocation["flags"];

/** The server to be judged: the one that is spelled out, or an emulator in this process. */
export async function targetOf(invocation: Invocation): Promise<Target> {
  const { flags } = invocation;
  const image = imageOf(flags);
  if (image !== undefined) {
    refuseStray(flags, "does not go with a container");
    return (await import("./container.ts")).containerTarget(image);
  }
  if (flags.target !== undefined) return at(invocation, "target");
  if (flags.compare === undefined && flags["agent-url"] !== undefined) return at(invocation, "agent-url");
  if (flags.compare === undefined) refuseStray(flags);
  const { startEmulator } = await import("../../emulator/index.ts");
  return createEmulatorTarget(startEmulator);
}

/** The server that is compared with it; what describes one server describes that at `--target` where there is one. */
export function otherOf(invocation: Invocation): Promise<Target> {
  const { "agent-url": _, "eu-url": __, assistant: ___, ...rest } = invocation.flags;
  return at(invocation.flags.target === undefined ? invocation : { ...invocation, flags: rest }, "compare");
}

/** The server that a flag gives the address of, with the flags that say who calls it. */
async function at({ flags, env }: Invocation, flag: "target" | "agent-url" | "compare"): Promise<Target> {
  const url = baseOf(flag, text(flags, flag) ?? "");
  const allowWrites = flags["allow-writes"] === true;
  const apiKey = text(flags, "api-key");
  if (!isLocal(url) && apiKey === undefined)
    throw new UsageError(`--api-key: give the key of the server at --${flag}`);
  const euUrl = text(flags, "eu-url");
  const agentUrl = text(flags, "agent-url");
  const assistant = text(flags, "assistant");
  const tenantId = text(flags, "tenant-id");
  const s3 = storeOf(flags, env);
  return createAddressTarget({
    ...(flag !== "agent-url" && { url }),
    allowWrites,
    ...(apiKey !== undefined && { apiKey }),
    ...(tenantId !== undefined && { tenantId }),
    ...(euUrl !== undefined && { euUrl: baseOf("eu-url", euUrl) }),
    ...(agentUrl !== undefined && { agentUrl: baseOf("agent-url", agentUrl) }),
    ...(assistant !== undefined && { assistant }),
    ...(s3 && { s3 }),
  }).catch((error: Error) => {
    throw new CommandFailure(error.message);
  });
}

export function text(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
}

export function wholeNumber(flags: Flags, name: string): number | undefined {
  const given = text(flags, name);
  if (given === undefined) return undefined;
  if (!/^\d{1,10}$/.test(given))
    throw new UsageError(`--${name}: "${given}" will not do; give a whole number`);
  return Number(given);
}

/** The image that `--target container[:<image>]` names: empty for the usual one, undefined for an address. */
function imageOf(flags: Flags): string | undefined {
  const found = /^container(?::(.+))?$/.exec(text(flags, "target") ?? "");
  return found ? (found[1] ?? "") : undefined;
}

/** Flags that describe a server say nothing about an emulator that is started here. */
function refuseStray(flags: Flags, why = "only goes with --target"): void {
  for (const name of ["eu-url", "assistant", "api-key", "tenant-id", "s3", "allow-writes"])
    if (flags[name] !== undefined) throw new UsageError(`--${name}: ${why}`);
}

function baseOf(name: string, given: string): string {
  const isAddress = URL.canParse(given) && /^https?:$/.test(new URL(given).protocol);
  if (!isAddress) throw new UsageError(`--${name}: "${given}" is no http or https address`);
  return given.replace(/\/+$/, "");
}

function storeOf(flags: Flags, env: Invocation["env"]) {
  const endpoint = text(flags, "s3");
  if (endpoint === undefined) return undefined;
  const accessKeyId = text(flags, "s3-access-key-id") ?? env.AWS_ACCESS_KEY_ID;
  const secretAccessKey = text(flags, "s3-secret-access-key") ?? env.AWS_SECRET_ACCESS_KEY;
  if (!accessKeyId || !secretAccessKey)
    throw new UsageError("--s3: give --s3-access-key-id and --s3-secret-access-key, or their AWS variables");
  const sessionToken = env.AWS_SESSION_TOKEN;
  return {
    endpoint: endpoint === "aws" ? null : baseOf("s3", endpoint),
    name: text(flags, "s3-bucket") ?? "traces",
    region: text(flags, "s3-region") ?? "us-east-1",
    accessKeyId,
    secretAccessKey,
    ...(sessionToken && { sessionToken }),
  };
}
