import { relative, sep } from "node:path";

const PACKAGES = `${sep}node_modules${sep}`;

/** The word that starts this program: `npx emulator` in a project that has the package. */
export function programName(script = process.argv[1] ?? ""): string {
  return script.includes(PACKAGES) ? "npx emulator" : "emulator";
}

/** The same for a command line to copy, also for a script that Node was given. */
export function programCall(script = process.argv[1] ?? "", cwd = process.cwd()): string {
  return script.endsWith(".js") && !script.includes(PACKAGES)
    ? `node ${relative(cwd, script)}`
    : programName(script);
}
