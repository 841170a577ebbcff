import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { requestJson } from "../../client/send.ts";
import { type Call, errorText } from "../model/actions.ts";
import { sendHere } from "../model/client.ts";
import { CopyMenu } from "./action.tsx";

interface RequestButtonProps<T> {
  readonly label: string;
  /** An operation of the control API that changes nothing. */
  readonly call: Call;
  readonly children: (answer: T) => ComponentChildren;
}

/** A button that sends a slow request and shows the reply below. */
export function RequestButton<T>({ label, call, children }: RequestButtonProps<T>) {
  const [answer, setAnswer] = useState<{ readonly value: T } | string>("");
  const send = async () => {
    setAnswer("Asking …");
    setAnswer(await requestJson<T>(sendHere, call).then((value) => ({ value }), errorText));
  };
  return (
    <section aria-label={label} aria-live="polite">
      <span class="action">
        <button type="submit" class="button" onClick={send}>
          {label}
        </button>
        <CopyMenu label={label} call={call} />
      </span>
      {typeof answer === "string" ? answer !== "" && <p>{answer}</p> : children(answer.value)}
    </section>
  );
}
