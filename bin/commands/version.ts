import { packageVersion } from "../../emulator/config/package-version.ts";
import type { Command } from "../command.ts";
import { printResult } from "../terminal.ts";

export const command: Command = {
  summary: "print the version",
  operands: [],
  flags: {},
  async run(invocation) {
    printResult(invocation, { version: packageVersion(), node: process.version }, [packageVersion()]);
    return 0;
  },
};
