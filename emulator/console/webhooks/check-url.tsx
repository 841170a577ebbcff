import { useState } from "preact/hooks";
import type { explainWebhook } from "../../subjects/webhooks/explain.ts";
import { control } from "../model/actions.ts";
import { TextField } from "../parts/field.tsx";
import { RequestButton } from "../parts/request-button.tsx";
import { type Column, Table } from "../parts/table.tsx";

type Explanation = ReturnType<typeof explainWebhook>;

const GLYPHS: Readonly<Record<string, string>> = {
  passed: "✓",
  refused: "✕",
  off: "–",
  not_reached: "○",
  when_sent: "◷",
};

const COLUMNS: readonly Column<Explanation["rules"][number]>[] = [
  { name: "Rule", show: ({ rule }) => <code>{rule}</code> },
  {
    name: "Verdict",
    show: ({ verdict }) => (
      <>
        <span aria-hidden="true">{GLYPHS[verdict]}</span> {verdict.replace("_", " ")}
      </>
    ),
  },
  { name: "§", show: ({ requirement }) => requirement },
];

/** The rule of §6.1 that decides on a URL. Sends nothing to the URL. */
export function CheckUrl() {
  const [url, setUrl] = useState("https://example.com/hook");
  return (
    <section aria-label="Check a URL">
      <h2>Which rule decides on a URL</h2>
      <form class="card" onSubmit={(event) => event.preventDefault()}>
        <TextField name="URL" value={url} set={setUrl} hint="by the rules of §6.1; nothing is sent there" />
        <RequestButton<Explanation>
          key={url}
          label="Check"
          call={control("POST", "/webhooks/check", { url })}
        >
          {({ rules }) => <Table label="Rules" columns={COLUMNS} rows={rules} keyOf={({ rule }) => rule} />}
        </RequestButton>
      </form>
    </section>
  );
}
