import type { Configuration } from "../emulator/config/configuration.ts";
import { type RunningEmulator, start } from "../emulator/runtime/start.ts";
import { UsageError } from "./command.ts";

/** Causes and fixes of a failed start, by system error code. */
const LISTEN_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is in use; stop the program that uses it, or choose another --port (0: free ports)",
  EACCES: "no permission; choose a writable data folder with --data, or a --port above 1023",
  EADDRNOTAVAIL: "no such address on this machine; check --host",
  ENOTFOUND: "no such address; check --host",
  ENOSPC: "the disk is full; free disk space, or choose another --data",
  EROFS: "the disk is read-only; choose another --data",
  ENOENT: "the folder cannot be created; choose another --data",
  ENOTDIR: "a part of the path is a file; choose another --data",
  ENAMETOOLONG: "the path is too long for this system; choose another --data",
  EPERM: "this system does not permit that; choose another --data",
  EMFILE: "too many open files; raise the limit (`ulimit -n`)",
  EEXIST: "a file, not a folder; choose another --data",
};

/** Errors of a start whose message is complete. */
const EXPLAINED = new Set(["ArchiveFileError", "FolderInUse", "Refusal", "StoreError"]);

type StartError = NodeJS.ErrnoException & { readonly port?: number; readonly hint?: string };

/** Starts an emulator; throws `UsageError` (exit code 2) for problems that the user can fix. */
export async function startOrExplain(configuration: Configuration): Promise<RunningEmulator> {
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
