import type { Setting } from "../../emulator/config/setting.ts";
import { SETTINGS } from "../../emulator/config/settings.ts";
import { code, page, plain, table } from "./markdown.ts";

/** Those that have tables of their own. */
const ELSEWHERE = /^(limits|timings|assumptions|rate_limits\.rows)\./;

/** The settings, under their paths in the configuration file. */
export function settingsPage(): string {
  const rows = [...SETTINGS].filter(([path]) => !ELSEWHERE.test(path)).map(rowOf);
  return page(
    "Settings",
    "The path is that of the configuration file and of the options of `startEmulator`. In the environment a flag is `EMULATOR_<FLAG>`, " +
      "every path `EMULATOR_` and its parts with `__` between them: `server.port` is `EMULATOR_PORT` and `EMULATOR_SERVER__PORT`. " +
      "[Configuration](../understand/configuration.md) has an example of a file.",
    table(["Setting", "Flag of `start`", "Takes", "Default", "Is"], rows),
    "`limits`, `timings` and `rate_limits.rows` are on [Limits](limits.md), `assumptions` on [Assumptions](assumptions.md).",
  );
}

function rowOf([path, { flag, kind, initial, help }]: readonly [string, Setting]) {
  return [
    code(path),
    flag === undefined ? "" : code(`--${flag}`),
    plain(kind.expects),
    initial === null || typeof initial === "object" ? "" : code(String(initial)),
    plain(help),
  ];
}
