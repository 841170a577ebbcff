import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { requestJson } from "../../client/send.ts";
import { type Call, explained } from "../model/actions.ts";
import { sendHere } from "../model/client.ts";
import { CopyMenu } from "./action.tsx";

interface AskProps<T> {
  readonly label: string;
  /** An operation of the control API that changes nothing. */
  readonly call: Call;
  readonly children: (answer: T) => ComponentChildren;
}

/** A button that asks the emulator something which takes a while, and shows the answer below. */
export function Ask<T>({ label, call, children }: AskProps<T>) {
  const [answer, setAnswer] = useState<{ readonly value: T } | string>("");
  const ask = async () => {
    setAnswer("Asking …");
    setAnswer(await requestJson<T>(sendHere, call).then((value) => ({ value }), explained));
  };
  return (
    <section aria-label={label} aria-live="polite">
      <span class="action">
        <button type="submit" class="button" onClick={ask}>
          {label}
        </button>
        <CopyMenu label={label} call={call} />
      </span>
      {typeof answer === "string" ? answer !== "" && <p>{answer}</p> : children(answer.value)}
    </section>
  );
}
