import type { ExchangeVerdict } from "../../../contracts/engine/oracle/oracle.ts";
import type { RecordedRequest } from "../../subjects/recording.ts";
import { control } from "../model/actions.ts";
import { Ask } from "../parts/ask.tsx";
import { Json } from "../parts/json.tsx";

/** What the contract says of one exchange. */
export function Judge({ of }: { readonly of: RecordedRequest }) {
  const { at, region, method, path, query, headers, body, status, reply } = of;
  const line = { at, region, method, path, query, headers, body, status, reply };
  return (
    <Ask<ExchangeVerdict> label="Check against the contract" call={control("POST", "/recording/judge", line)}>
      {({ verdict, findings }) => (
        <>
          <p class={`status ${verdict === "PASS" ? "good" : verdict === "FAIL" ? "bad" : "wait"}`}>
            <span aria-hidden="true">{verdict === "PASS" ? "●" : "✕"}</span> {verdict}
            {verdict === "PASS" && ": the exchange keeps the contract"}
          </p>
          {findings.map(({ text, verdict: each, blame, requirement, section, expected, actual }, index) => (
            <details key={index} class="run">
              <summary>
                <strong>
                  {each} ({blame})
                </strong>{" "}
                §{requirement ?? section} {text}
              </summary>
              <Json value={{ expected, actual }} />
            </details>
          ))}
        </>
      )}
    </Ask>
  );
}
