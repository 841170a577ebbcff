import { createAddressTarget, createEmulatorTarget, isLocal } from "../../contracts/index.ts";
import type { Target } from "../../contracts/target.ts";
import { CommandFailure, type Invocation, UsageError } from "../command.ts";

type Flags = Invocation["flags"];

/** The server to be judged: the one that is spelled out, or an emulator in this process. */
export async function targetOf(invocation: Invocation): Promise<Target> {
  const { flags } = invocation;
  const url = text(flags, "target");
  if (url === undefined) {
    refuseStray(flags);
    const { startEmulator } = await import("../../emulator/index.ts");
    return createEmulatorTarget(startEmulator);
  }
  return at(invocation, url);
}

/** A server at an address, with the flags that say who calls it. */
export async function at({ flags, env }: Invocation, address: string): Promise<Target> {
  const url = baseOf("target", address);
  const allowWrites = flags["allow-writes"] === true;
  const apiKey = text(flags, "api-key");
  if (!isLocal(url) && apiKey === undefined)
    throw new UsageError("--api-key: give the key of the server at --target");
  const euUrl = text(flags, "eu-url");
  const agentUrl = text(flags, "agent-url");
  const tenantId = text(flags, "tenant-id");
  const s3 = storeOf(flags, env);
  return createAddressTarget({
    url,
    allowWrites,
    ...(apiKey !== undefined && { apiKey }),
    ...(tenantId !== undefined && { tenantId }),
    ...(euUrl !== undefined && { euUrl: baseOf("eu-url", euUrl) }),
    ...(agentUrl !== undefined && { agentUrl: baseOf("agent-url", agentUrl) }),
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

/** Flags that describe a server say nothing about the emulator in this process. */
function refuseStray(flags: Flags): void {
  for (const name of ["eu-url", "agent-url", "api-key", "tenant-id", "s3", "allow-writes"])
    if (flags[name] !== undefined) throw new UsageError(`--${name}: only goes with --target`);
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
