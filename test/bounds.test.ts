import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BOUNDS } from "../contracts/spec/bounds.ts";

/** Bounds that a message shows and that are not settings, by file, with the reason. */
const FIXED: Readonly<Record<string, string>> = {
  "contracts/engine/open-contract.ts:MAX_LEVELS": "the default of a setting of the emulator",
  "contracts/engine/recordings/read-recording.ts:MAX_LEVELS": "the default of a setting of the emulator",
  "contracts/engine/run.ts:MAX_SILENT": "when a run gives up a server that does not respond",
  "emulator/config/configuration-file.ts:MAX_BYTES": "read before any setting is known",
  "emulator/config/settings.ts:MAX_PORT": "the range of a port",
  "emulator/http/multipart.ts:MAX_BOUNDARY_LENGTH": "the format of a multipart body",
  "emulator/http/multipart.ts:MAX_HEADER_BYTES": "the format of a multipart body",
  "emulator/kernel/core.ts:MAX_TURNS_PER_INSTANT": "a guard against a defect",
  "emulator/runtime/capsules/file.ts:MAX_RECORDING_BYTES": "the format of a capsule",
  "emulator/s3/client/external-transport.ts:MAX_PAGES": "when a request gives up a list that does not end",
  "emulator/s3/front/operations/uploads.ts:MAX_PART_NUMBER": "the protocol of S3",
  "emulator/s3/front/xml.ts:MAX_MARKS": "more than the protocol of S3 needs",
  "emulator/subjects/faults/values.ts:MAX_CHOICES": "the range of a field",
  "emulator/subjects/faults/values.ts:MAX_BODY_LENGTH": "the range of a field",
  "emulator/subjects/faults/values.ts:MAX_TEXT_LENGTH": "the range of a field",
  "emulator/subjects/faults/values.ts:MAX_HEADERS": "the range of a field",
  "emulator/subjects/feedback/input.ts:MAX_KEY_LENGTH": "the range of a field, in OpenAPI",
  "emulator/subjects/filters/operands.ts:FILTER_BOUNDS.wildcards":
    "an assumption, in docs/look-up/assumptions.md",
  "emulator/subjects/queries/page-body.ts:SCAN_BOUNDS.rows":
    "the most rows of one reply; the hint says how to read more",
  "emulator/subjects/traces/json.ts:MAX_JSON_DEPTH": "the format of a stored column",
  "emulator/subjects/traces/run-input.ts:MAX_DOTTED_ORDER_SEGMENTS": "the format of a stored column",
  "emulator/subjects/traces/sample.ts:MAX_SAMPLE_COUNT":
    "the range of a field, in docs/look-up/control-api.md",
  "emulator/subjects/traces/sample.ts:MAX_WINDOW_DAYS": "the range of a field",
  "emulator/subjects/webhooks/effects/send-external.ts:MAX_REDIRECTS": "that of common HTTP clients",
  "scenarios/document.ts:MAX_INCLUDED_FILES": "the format of scenarios, in docs/look-up/scenarios.md",
  "scenarios/document.ts:MAX_INCLUDE_DEPTH": "the format of scenarios, in docs/look-up/scenarios.md",
  "scenarios/run-scenario.ts:MAX_PLAYED_STEPS": "the format of scenarios, in docs/look-up/scenarios.md",
  "scenarios/source.ts:MAX_FILE_BYTES": "the format of scenarios, in docs/look-up/scenarios.md",
};

/** Settings whose excess is dropped without an error, so that no message names them. */
const DROPPED = [
  "compared_rows",
  "journal_turns",
  "recorded_body_bytes",
  "recorded_bytes",
  "recorded_requests",
  "waiting_rows_per_workspace",
  "webhook_inbox_messages",
  "webhook_inboxes",
];

const ROOT = join(import.meta.dirname, "..");
const SOURCES = ["bin", "contracts", "emulator", "scenarios"]
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`),
  )
  .filter((path) => path.endsWith(".ts") && !path.startsWith("emulator/console/"))
  .map((path) => ({ path, code: readFileSync(join(ROOT, path), "utf8") }));

describe("bounds that a user can meet (law 9)", () => {
  it("are settings, apart from those with a reason", () => {
    const names = SOURCES.flatMap(({ path, code }) =>
      [...code.matchAll(/\$\{(MAX_[A-Z_]+|\w*(?:bounds|BOUNDS)\.\w+)\}/g)].map(
        ([, name]) => `${path}:${name}`,
      ),
    );
    const advice = "make the bound a row of contracts/spec/bounds.ts, or list it in FIXED with its reason";
    expect([...new Set(names)].sort(), advice).toEqual(Object.keys(FIXED).sort());
  });

  it("are named by the error that enforces them", () => {
    const enforced = SOURCES.filter(({ path }) => /^(emulator\/|bin\/contract\/check)/.test(path));
    const code = enforced.map((source) => source.code).join("\n");
    const unnamed = Object.keys(BOUNDS).filter(
      (key) =>
        !DROPPED.includes(key) && !new RegExp(`"[^"]*limits\\.${key}\\b|\\(limits\\.${key}\\)`).test(code),
    );
    expect(unnamed).toEqual([]);
  });

  it("have a line in the page of limits", () => {
    const page = readFileSync(join(ROOT, "docs/look-up/limits.md"), "utf8");
    expect(Object.keys(BOUNDS).filter((key) => !page.includes(`| \`${key}\` |`))).toEqual([]);
  });
});
