import { isIP } from "node:net";
import { createControlClient } from "../client/control-client.ts";
import { sendOverHttp } from "../client/send-over-http.ts";
import type { Configuration } from "../config/configuration.ts";
import { isFullDisk } from "../kernel/system-refusal.ts";

const PROBE_TIMEOUT_MS = 5_000;

/** Causes and fixes of a failed start, by system error code. */
const LISTEN_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is in use; stop the program that uses it, or choose another --port (0: free ports)",
  EACCES: "permission denied; choose a writable data folder with --data, or a --port above 1023",
  EADDRNOTAVAIL: "the address does not exist on this machine; check --host",
  ENOTFOUND: "the host name does not exist; check --host",
  ENOSPC: "the disk is full; free disk space, or choose another --data",
  EFBIG: "the file would be larger than the system permits; raise the limit (`ulimit -f`)",
  EROFS: "the disk is read-only; choose another --data",
  ENOENT: "the folder cannot be created; choose another --data",
  ENOTDIR: "a part of the path is a file; choose another --data",
  ENAMETOOLONG: "the path is too long for this system; choose another --data",
  EPERM: "the system does not permit this; choose another --data",
  EMFILE: "too many open files; raise the limit (`ulimit -n`)",
  EISDIR: "this is a folder, not a file; remove it, or choose another --data",
  ENOTEMPTY: "this folder is not empty; remove it, or choose another --data",
  EEXIST: "this is a file, not a folder; choose another --data",
};

/** Errors of a start whose message is complete. */
const EXPLAINED = new Set(["ArchiveFileError", "FolderInUse", "Refusal", "StoreError"]);

type StartError = NodeJS.ErrnoException &
  Partial<Readonly<Record<"dest" | "hint", string>>> & { readonly port?: number };

/** A start failed for a reason that the user can fix; `cause` is the error of the system. */
export class StartProblem extends Error {
  override readonly name = "StartProblem";
  readonly code: string | undefined;
  /** What to do next; a part of the message as well. */
  readonly hint: string | undefined;

  constructor(message: string, cause: StartError) {
    super(message, { cause });
    this.code = cause.code;
    this.hint = cause.hint;
  }
}

/** What a start comes to. Throws `StartProblem`. */
export async function orExplain<Started>(
  configuration: Configuration,
  starting: Promise<Started>,
): Promise<Started> {
  try {
    return await starting;
  } catch (error) {
    const problem = error as StartError;
    const { name, message, code, port, hint } = problem;
    if (EXPLAINED.has(name))
      throw new StartProblem(hint === undefined ? message : `${message} ${hint}`, problem);
    const advice = LISTEN_PROBLEMS[code ?? ""];
    if (advice === undefined) throw error;
    const where = placeOf(configuration, problem);
    const emulator = code === "EADDRINUSE" ? await emulatorWith(configuration, port) : undefined;
    throw new StartProblem(`${where}: ${emulator ?? advice}`, problem);
  }
}

/** What the system refused. A failed write names no file. */
function placeOf(configuration: Configuration, error: StartError): string {
  const { port, path, dest = path } = error;
  if (port !== undefined) return portName(configuration, port);
  const { host, dataFolder } = configuration;
  return dest ?? ((isFullDisk(error) && dataFolder) || host);
}

/** Only --port is given: the other two follow from it. */
function portName({ port: first }: Configuration, port: number): string {
  const offset = port - first;
  return offset === 1 || offset === 2
    ? `port ${port} (${offset === 1 ? "EU" : "S3"}: --port + ${offset})`
    : `port ${port}`;
}

/** Only the first of an emulator's ports says who it is: it is asked as well when another one is taken. */
async function emulatorWith(
  { host, port: first }: Configuration,
  usedPort: number | undefined,
): Promise<string | undefined> {
  return (await emulatorAt(host, usedPort)) ?? (first === usedPort ? undefined : emulatorAt(host, first));
}

/** Describes the emulator that uses a port; undefined when it is another program. */
async function emulatorAt(host: string, port: number | undefined): Promise<string | undefined> {
  const near = isIP(host) === 6 ? `[${host}]` : host;
  const status = await createControlClient(sendOverHttp(`http://${near}:${port}`, PROBE_TIMEOUT_MS))
    .status()
    .catch(() => undefined);
  if (typeof status?.pid !== "number") return undefined;
  const { pid, version, data_folder: folder } = status;
  const data = typeof folder === "string" ? `data in ${folder}` : "data in memory";
  const stop = pid === process.pid ? "close() it" : `stop it with \`kill ${pid}\``;
  return `an emulator uses it (process ${pid}, version ${version}, ${data}); ${stop}, or choose another --port (0: free ports)`;
}
