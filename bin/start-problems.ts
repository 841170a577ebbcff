import type { Configuration } from "../emulator/config/configuration.ts";
import type { RunningEmulator } from "../emulator/runtime/start.ts";
import { UsageError } from "./command.ts";

/** What keeps an emulator from listening, by the code of the system. */
const LISTEN_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is taken; stop what uses it, or choose another --port (0 takes free ones)",
  EACCES: "no permission; choose a data folder that can be written, with --data, or a --port above 1023",
  EADDRNOTAVAIL: "no such address on this machine; check --host",
  ENOTFOUND: "no such address; check --host",
  ENOSPC: "the disk is full; make room, or choose another --data",
  EROFS: "the disk is read-only; choose another --data",
  ENOENT: "no folder can be made there; choose another --data",
  ENOTDIR: "a part of the path is a file; choose another --data",
  EEXIST: "a file, not a folder; choose another --data",
};

/** Refusals of a start that explain themselves. */
const EXPLAINED = new Set(["ArchiveFileError", "FolderInUse", "KeyFileError", "Refusal", "StoreError"]);

type StartError = NodeJS.ErrnoException & { readonly port?: number; readonly hint?: string };

/** Starts an emulator; what a user can put right becomes one line and exit 2. */
export async function startOrExplain(configuration: Configuration): Promise<RunningEmulator> {
  const { start } = await import("../emulator/runtime/start.ts");
  try {
    return await start(configuration);
  } catch (error) {
    const { name, message, code, port, path, hint } = error as StartError;
    if (EXPLAINED.has(name)) throw new UsageError(hint === undefined ? message : `${message} ${hint}`);
    const advice = LISTEN_PROBLEMS[code ?? ""];
    if (advice === undefined) throw error;
    throw new UsageError(`${port === undefined ? (path ?? configuration.host) : `port ${port}`}: ${advice}`);
  }
}
