import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { BASE_ENVIRONMENT, CLI } from "./emulator-process.ts";

/**
 * Runs its arguments on a terminal of 100 columns: what comes on standard input is typed there. Writes to descriptor 3 how the
 * terminal was left.
 */
const PSEUDO_TERMINAL = `
import fcntl, os, pty, select, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
sources = [terminal, 0]
while terminal in sources:
    for source in select.select(sources, [], [])[0]:
        try:
            text = os.read(source, 65536)
        except OSError:
            text = b""
        if not text:
            sources.remove(source)
        else:
            os.write(1 if source == terminal else terminal, text)
_, status = os.waitpid(pid, 0)
mode = termios.tcgetattr(terminal)[3]
os.write(3, b"%s %s" % (b"lines" if mode & termios.ICANON else b"", b"echo" if mode & termios.ECHO else b""))
sys.exit(os.waitstatus_to_exitcode(status) % 256)
`;

/** A command on a terminal. */
export interface TerminalProcess {
  /** Resolves with all that the terminal was sent once it matches. */
  shows(pattern: RegExp): Promise<string>;
  /** Types on its keyboard. */
  type(keys: string): void;
  readonly ended: Promise<TerminalOutcome>;
}

interface TerminalOutcome {
  readonly code: number | null;
  readonly output: string;
  /** Whether the terminal then waits for whole lines, as a shell expects, and shows what is typed. */
  readonly readsLines: boolean;
  readonly echoes: boolean;
}

/** What Ctrl-C sends. */
export const CTRL_C = "\u0003";

const children = new Set<ChildProcess>();

/** Ends what is left. */
export function endTerminals(): void {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
}

/** Runs the built command line, or another program, on a terminal of its own. */
export function runOnTerminal(
  words: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
  program: readonly string[] = [process.execPath, CLI],
): TerminalProcess {
  const child = spawn("python3", ["-c", PSEUDO_TERMINAL, ...program, ...words], {
    cwd,
    env: { ...BASE_ENVIRONMENT, TERM: "xterm", ...env },
    stdio: ["pipe", "pipe", "pipe", "pipe"],
  });
  children.add(child);
  let output = "";
  let mode = "";
  child.stdio[3]?.on("data", (text: Buffer) => {
    mode += text;
  });
  let isOver = false;
  let changed = () => {};
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      changed();
    });
  const ended = once(child, "close").then(([code]) => {
    isOver = true;
    changed();
    children.delete(child);
    const readsLines = mode.includes("lines");
    return { code: code as number | null, output, readsLines, echoes: mode.includes("echo") };
  });
  return {
    async shows(pattern) {
      while (!pattern.test(output)) {
        if (isOver) throw new Error(`ended without ${pattern}: ${JSON.stringify(output)}`);
        await new Promise<void>((resolve) => {
          changed = resolve;
        });
      }
      return output;
    },
    type: (keys) => void child.stdin.write(keys),
    ended,
  };
}
