import { execFile } from "node:child_process";

/**
 * Wall time of a program of Node, and the processor time that a POSIX shell says of its children. Rejects for an exit code that is not
 * among these.
 */
export function commandTime(words, codes = [0]) {
  const began = performance.now();
  const script = '"$@"; code=$?; times; exit $code';
  return new Promise((resolve, reject) => {
    const options = { maxBuffer: 64 * 1024 * 1024 };
    execFile("sh", ["-c", script, "sh", process.execPath, ...words], options, (error, stdout) => {
      if (!codes.includes(error?.code ?? 0)) return reject(error);
      const lines = stdout.trim().split("\n");
      const cpuMs = lines
        .at(-1)
        .split(" ")
        .reduce((sum, part) => {
          const [, minutes, seconds] = /(\d+)m([\d.]+)s/.exec(part);
          return sum + (Number(minutes) * 60 + Number(seconds)) * 1000;
        }, 0);
      resolve({ items: 1, wallMs: performance.now() - began, cpuMs, lines });
    });
  });
}
