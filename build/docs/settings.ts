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
    "The setting is the path in the configuration file and in the options of `startEmulator`, which also has the short forms `clock`, `now`, `seed`, `data` and `rateLimits`. Its environment variable is `EMULATOR_` " +
      "with the parts of the path, joined by `__`; a setting with a flag also has `EMULATOR_<FLAG>`. For `server.port` they are `EMULATOR_SERVER__PORT` and `EMULATOR_PORT`. " +
      "[Configuration](../understand/configuration.md) has an example file.",
    table(["Setting", "Flag of `start`", "Value", "Default", "Meaning"], rows),
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
