const PROGRAM = `
  import fs from "node:fs";
  import { syncBuiltinESMExports } from "node:module";
  let left = Number(process.env.TORN_WRITE);
  const write = fs.writeSync;
  fs.writeSync = (file, bytes, offset, length, position) => {
    left -= 1;
    if (left > 0 || typeof bytes === "string") return write(file, bytes, offset, length, position);
    write(file, bytes, 0, Math.floor(bytes.length * Number(process.env.TORN_PART)), position);
    process.kill(process.pid, "SIGKILL");
    for (;;);
  };
  syncBuiltinESMExports();
`;

/** For the environment of a process that is to be killed in its nth write, with this part (0 to 1) of the bytes on disk. */
export function environmentToKillInWrite(nth: number, part: number): Readonly<Record<string, string>> {
  return {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PROGRAM)}`,
    TORN_WRITE: String(nth),
    TORN_PART: String(part),
  };
}
