import { useState } from "preact/hooks";
import type { explainWebhook } from "../../subjects/webhooks/explain.ts";
import { explained } from "../model/actions.ts";
import { client } from "../model/client.ts";
import { TextField } from "../parts/field.tsx";
import { type Column, Table } from "../parts/table.tsx";

type Explained = ReturnType<typeof explainWebhook>;

const GLYPHS: Readonly<Record<string, string>> = {
  passed: "✓",
  refused: "✕",
  off: "–",
  not_reached: "○",
  when_sent: "◷",
};

const COLUMNS: readonly Column<Explained["rules"][number]>[] = [
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

/** Which rule of §6.1 decides on a URL; nothing is sent to it. */
export function CheckUrl() {
  const [url, setUrl] = useState("https://example.com/hook");
  const [answer, setAnswer] = useState<Explained | string | null>(null);
  const check = async (event: Event) => {
    event.preventDefault();
    setAnswer(await client.call<Explained>("POST", "/webhooks/check", { url }).catch(explained));
  };
  return (
    <section aria-label="Check a URL">
      <h2>Which rule decides on a URL</h2>
      <form class="card form" onSubmit={check}>
        <TextField name="URL" value={url} set={setUrl} hint="by the rules of §6.1; nothing is sent there" />
        <div class="row">
          <button type="submit" class="button" disabled={url === ""}>
            Check
          </button>
        </div>
      </form>
      {typeof answer === "string" && <p class="problem">{answer}</p>}
      {answer !== null && typeof answer !== "string" && (
        <Table label="Rules" columns={COLUMNS} rows={answer.rules} keyOf={({ rule }) => rule} />
      )}
    </section>
  );
}
