import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Signals that a terminal sends for a key in line mode. */
const SIGNALS: Readonly<Record<string, NodeJS.Signals>> = {
  "\u0003": "SIGINT",
  "\u001a": "SIGTSTP",
  "\u001c": "SIGQUIT",
};

/**
 * Calls the handler of a key when it is pressed. The returned function ends this and restores the terminal. Undefined
 * without a terminal, or in the background of one.
 */
export function listenForKeys(keys: Readonly<Record<string, () => void>>): (() => void) | undefined {
  const { stdin } = process;
  if (!stdin.isTTY || !isInForeground()) return undefined;
  const take = (text: string) => {
    for (const key of text) {
      const signal = SIGNALS[key];
      if (!signal) keys[key]?.();
      else {
        // Restores the terminal when the program stops or ends; SIGCONT takes it again.
        leave();
        raise(signal);
      }
    }
  };
  const listen = () => {
    if (!isInForeground()) return;
    stdin.setRawMode(true);
    stdin.resume();
  };
  const leave = () => {
    stdin.setRawMode(false);
    stdin.pause();
  };
  stdin.setEncoding("utf8").on("data", take);
  process.on("SIGCONT", listen);
  listen();
  return () => {
    process.off("SIGCONT", listen);
    stdin.off("data", take);
    leave();
  };
}

/** Like a terminal: to every process of the foreground, so to the one that has started this one too. */
function raise(signal: NodeJS.Signals): void {
  if (process.platform === "win32") process.emit(signal, signal);
  else process.kill(0, signal);
}

/** Changing a terminal from its background would stop the process. */
function isInForeground(): boolean {
  if (process.platform === "win32") return true;
  try {
    const [group, foreground] = process.platform === "linux" ? groupsOfLinux() : groupsOfPs();
    return group === foreground;
  } catch {
    return false;
  }
}

/** The process group of this process, and that in the foreground of its terminal. */
function groupsOfLinux(): readonly (string | undefined)[] {
  const stat = readFileSync("/proc/self/stat", "utf8");
  // The name of the program, in parentheses, may hold anything.
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return [group, foreground];
}

function groupsOfPs(): readonly (string | undefined)[] {
  const columns = execFileSync("ps", ["-o", "pgid=,tpgid=", "-p", String(process.pid)], { encoding: "utf8" });
  return columns.trim().split(/\s+/);
}
