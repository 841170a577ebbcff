import type { ExchangeResult } from "../../../contracts/engine/oracle/oracle.ts";
import type { RecordedRequest } from "../../subjects/recording.ts";
import { control } from "../model/actions.ts";
import { Json } from "../parts/json.tsx";
import { RequestButton } from "../parts/request-button.tsx";

/** Checks one exchange against the contract. */
export function CheckExchange({ request }: { readonly request: RecordedRequest }) {
  const { at, region, method, path, query, headers, body, status, reply } = request;
  const line = { at, region, method, path, query, headers, body, status, reply };
  return (
    <RequestButton<ExchangeResult>
      label="Check against the contract"
      call={control("POST", "/recording/check", line)}
    >
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
    </RequestButton>
  );
}
