const PROGRAM = `
  import fs from "node:fs";
  import { isMainThread } from "node:worker_threads";
  const descriptors = [];
  if (isMainThread) process.on("SIGUSR2", () => {
    if (descriptors.length > 0) {
      for (const file of descriptors.splice(0)) fs.closeSync(file);
      fs.writeSync(2, "released\\n");
      return;
    }
    try {
      for (;;) descriptors.push(fs.openSync("/dev/null", "r"));
    } catch {}
    fs.closeSync(descriptors.pop());
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
