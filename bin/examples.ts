/** The page of the documentation about a command, and two command lines for each of its actions. */
interface Examples {
  /** Below `docs/`. */
  readonly page: string;
  /** By action; the key of a command without actions is empty. Without the word `emulator`. */
  readonly lines: Readonly<Record<string, readonly [string, string]>>;
}

const COMMAND_LINE = "understand/command-line.md";
const EXPORT_ID = "0190a6c0-0000-7000-8000-000000000001";
const ROW_ID = "0190a6c0-0000-7000-8000-000000000002";

export const EXAMPLES: Readonly<Record<string, Examples>> = {
  start: {
    page: "understand/configuration.md",
    lines: { "": ["start --ephemeral --clock frozen --now 2026-03-01T00:00:00Z", "start --port 0 --detach"] },
  },
  demo: { page: "learn/first-export.md", lines: { "": ["demo", "demo --json"] } },
  exec: {
    page: COMMAND_LINE,
    lines: { "": ["exec -- npm test", "exec --vary -- npx vitest run"] },
  },
  record: {
    page: "do/record-and-replay.md",
    lines: { "": ["record --har session.har", "record --har session.har --update"] },
  },
  replay: {
    page: "understand/scenarios.md",
    lines: { "": ["replay", "replay scenarios --report junit --output report.xml"] },
  },
  open: { page: "understand/console.md", lines: { "": ["open", "open --data .emulator"] } },
  "verify-export": {
    page: "learn/first-export.md",
    lines: { "": [`verify-export ${EXPORT_ID}`, `verify-export ${EXPORT_ID} --json`] },
  },
  openapi: { page: "look-up/operations.md", lines: { "": ["openapi", "openapi --json"] } },
  report: {
    page: "understand/command-line.md",
    lines: {
      merge: [
        "report merge one.json two.json",
        "report merge one.json two.json --report junit --output all.xml",
      ],
    },
  },
  contract: {
    page: "do/check-your-own-server.md",
    lines: {
      run: ["contract run", "contract run --target http://127.0.0.1:8000"],
      check: ["contract check session.har", "contract check session.har --report junit --output check.xml"],
      list: ["contract list", "contract list 8.5"],
      coverage: ["contract coverage", "contract coverage 4.1"],
    },
  },
  wait: { page: COMMAND_LINE, lines: { "": ["wait", "wait --url http://127.0.0.1:4700 --timeout 1m"] } },
  status: { page: COMMAND_LINE, lines: { "": ["status", "status --json"] } },
  env: { page: "look-up/clients.md", lines: { "": ["env", "env --for aws"] } },
  traces: {
    page: "do/seed-data.md",
    lines: {
      generate: [
        "traces generate --count 500 --project shop",
        "traces generate --count 50 --project shop --from 2026-02-25 --to 2026-02-28",
      ],
      send: ["traces send rows.ndjson", "traces send rows.ndjson --project shop"],
      query: ["traces query --project shop", "traces query --project shop --filter 'eq(status, \"error\")'"],
    },
  },
  export: {
    page: "do/export-by-hand.md",
    lines: {
      create: [
        "export create --project shop --from 2026-02-25 --to 2026-02-28 --wait",
        "export create --project shop --from 2026-03-01 --every 6h",
      ],
      list: ["export list", "export list --json"],
      show: ["export show", `export show ${EXPORT_ID}`],
      runs: ["export runs", `export runs ${EXPORT_ID}`],
      cancel: [`export cancel ${EXPORT_ID}`, `export cancel ${EXPORT_ID} --json`],
      why: [`export why ${ROW_ID}`, `export why ${ROW_ID} --export ${EXPORT_ID}`],
    },
  },
  clock: {
    page: "understand/time.md",
    lines: {
      show: ["clock", "clock show --json"],
      advance: ["clock advance 6h", "clock advance 1d12h --dry-run"],
      until: ["clock until 2026-04-01", `clock until ${EXPORT_ID} FAILED --within 7d`],
      next: ["clock next", "clock next 3"],
      freeze: ["clock freeze", "clock freeze --world main"],
      flow: ["clock flow", "clock flow 60"],
    },
  },
  fault: {
    page: "understand/faults.md",
    lines: {
      arm: ["fault arm worker_crash", "fault arm http --match op=getBulkExport --then status=503 --times 2"],
      list: ["fault list", "fault list --json"],
      rm: ["fault rm --all", `fault rm ${EXPORT_ID}`],
      presets: ["fault presets", "fault presets --json"],
      points: ["fault points", "fault points --json"],
      targets: ["fault targets", "fault targets --json"],
    },
  },
  webhooks: {
    page: "do/receive-webhooks.md",
    lines: {
      tail: ["webhooks tail", "webhooks tail --json"],
      list: ["webhooks list", "webhooks list --limit 5"],
      redeliver: [`webhooks redeliver ${EXPORT_ID}`, `webhooks redeliver ${EXPORT_ID} --json`],
      check: ["webhooks check https://example.org/hook", "webhooks check http://127.0.0.1:3000/hook"],
    },
  },
  limits: {
    page: "understand/rate-limits.md",
    lines: {
      show: ["limits", "limits show --json"],
      explain: ["limits explain POST /runs/batch", "limits explain GET /api/v1/examples --json"],
      trip: ["limits trip runs_query_key", "limits trip runs_query_key --remaining 3"],
      reset: ["limits reset", "limits reset runs_query_key"],
    },
  },
  s3: {
    page: "understand/object-store.md",
    lines: {
      ls: ["s3 ls", "s3 ls traces/exports"],
      cat: ["s3 cat traces/exports/file.parquet", "s3 cat traces/mine.txt"],
      rows: ["s3 rows traces/exports/file.parquet", "s3 rows traces/exports/file.parquet --json"],
    },
  },
  logs: { page: COMMAND_LINE, lines: { "": ["logs", "logs --follow"] } },
  why: {
    page: "do/debug-a-missing-row.md",
    lines: { "": [`why ${EXPORT_ID} status`, `why ${EXPORT_ID} --effects`] },
  },
  world: {
    page: "understand/worlds.md",
    lines: {
      list: ["world list", "world list --json"],
      create: ["world create what-if --from main", "world create before --from main --at 1"],
      diff: ["world diff main what-if", "world diff main main --at 1"],
      rm: ["world rm what-if", "world rm what-if --json"],
    },
  },
  snapshot: {
    page: "do/keep-a-state.md",
    lines: {
      save: ["snapshot save before", "snapshot save before --force"],
      load: ["snapshot load before", "snapshot load before --world main"],
      list: ["snapshot list", "snapshot list --json"],
      rm: ["snapshot rm before", "snapshot rm before --json"],
      export: ["snapshot export shop shop.snapshot", "snapshot export shop shop.snapshot --force"],
      import: ["snapshot import shop.snapshot", "snapshot import shop.snapshot shop-copy"],
    },
  },
  reset: { page: "understand/worlds.md", lines: { "": ["reset", "reset --world what-if"] } },
  stop: { page: COMMAND_LINE, lines: { "": ["stop", "stop --data .emulator"] } },
  doctor: { page: "look-up/errors.md", lines: { "": ["doctor", "doctor --port 4700"] } },
  init: { page: "do/test-with-node-test.md", lines: { "": ["init", "init --runner vitest"] } },
  help: { page: "look-up/errors.md", lines: { "": ["help export create", "help rate_limited"] } },
  completion: {
    page: COMMAND_LINE,
    lines: {
      bash: ["completion bash", "completion bash --json"],
      zsh: ["completion zsh", "completion zsh --json"],
      fish: ["completion fish", "completion fish --json"],
      values: ["completion values worlds", "completion values exports"],
    },
  },
};
