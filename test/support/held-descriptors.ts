const PROGRAM = `
  import fs from "node:fs";
  import { isMainThread } from "node:worker_threads";
  const held = [];
  if (isMainThread) process.on("SIGUSR2", () => {
    if (held.length > 0) {
      for (const file of held.splice(0)) fs.closeSync(file);
      fs.writeSync(2, "released\\n");
      return;
    }
    try {
      for (;;) held.push(fs.openSync("/dev/null", "r"));
    } catch {}
    fs.closeSync(held.pop());
    fs.writeSync(2, "taken\\n");
  });
`;

/**
 * For the environment of a process that on SIGUSR2 takes all its descriptors but one, for a connection, and says `taken` on
 * standard error; with the next one it gives them back and says `released`.
 */
export const DESCRIPTOR_HOLDER_ENVIRONMENT: Readonly<Record<string, string>> = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PROGRAM)}`,
};
