import { Json } from "../parts/json.tsx";
import type { CaseFinding } from "./requirements.ts";

/** A finding with its expected and actual values, and its request and reply side by side. */
export function FindingCard({ finding }: { readonly finding: CaseFinding }) {
  const { verdict, blame, requirement, section, text, expected, actual, exchange, caseId } = finding;
  return (
    <details class="card run finding">
      <summary>
        <strong class={`status ${verdict === "FAIL" ? "bad" : "wait"}`}>
          {verdict}{" "}
          <span class="muted">
            ({blame}
            {finding.isKnown ? ", in the baseline" : ""})
          </span>
        </strong>
        §{requirement ?? section} {text} <span class="mono muted">{caseId}</span>
      </summary>
      {(expected !== undefined || actual !== undefined) && (
        <div class="two">
          <section aria-label="Expected">
            <h3>Expected</h3>
            <Json value={expected ?? null} />
          </section>
          <section aria-label="Actual">
            <h3>Actual</h3>
            <Json value={actual ?? null} />
          </section>
        </div>
      )}
      {exchange && (
        <>
          <div class="two">
            <section aria-label="Request">
              <h3>
                {exchange.method} <span class="mono key">{exchange.url}</span>
              </h3>
              <Text headers={exchange.requestHeaders} body={exchange.requestBody ?? ""} />
            </section>
            <section aria-label="Reply">
              <h3>{exchange.status}</h3>
              <Text headers={exchange.replyHeaders} body={exchange.replyBody} />
            </section>
          </div>
          <pre class="json" tabIndex={0}>
            {exchange.curl}
          </pre>
        </>
      )}
    </details>
  );
}

function Text({
  headers,
  body,
}: {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <pre class="json" tabIndex={0}>
      {[...lines, "", body].join("\n")}
    </pre>
  );
}
