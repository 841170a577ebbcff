import { control } from "../model/actions.ts";
import { useReply } from "../model/looks.ts";
import { addressWith, route } from "../model/router.ts";
import { Action } from "../parts/action.tsx";
import { Json } from "../parts/json.tsx";
import { Loaded } from "../parts/states.tsx";
import { Time } from "../parts/time.tsx";

interface Inbox {
  readonly name: string;
  readonly messages: number;
}

interface Message {
  readonly id: string;
  readonly received_at: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The messages of the built-in receivers. */
export function Inboxes() {
  const selectedInbox = route.value.query.get("inbox");
  const inboxes = useReply<readonly Inbox[]>("The inboxes", "/webhooks/inbox", (list) => list);
  return (
    <section aria-label="Inboxes">
      <h2>Inboxes</h2>
      <Loaded resource={inboxes}>
        {(list) => (
          <>
            <p class="row">
              {list.length === 0 && (
                <span class="muted">
                  None yet: whatever is sent to <code>/_emulator/inbox/&lt;name&gt;</code> is kept there.
                </span>
              )}
              {list.map(({ name, messages }) => (
                <a
                  key={name}
                  class="button"
                  href={addressWith({ inbox: name })}
                  aria-current={name === selectedInbox ? "true" : undefined}
                >
                  {name} <span class="count">{messages}</span>
                </a>
              ))}
            </p>
            {selectedInbox !== null && <Messages inbox={selectedInbox} />}
          </>
        )}
      </Loaded>
    </section>
  );
}

function Messages({ inbox }: { readonly inbox: string }) {
  const path = `/webhooks/inbox/${encodeURIComponent(inbox)}`;
  const resource = useReply<readonly Message[]>("The inbox", path, (list) =>
    list.map(({ body }) => ({ body })),
  );
  return (
    <Loaded resource={resource}>
      {(messages) => (
        <>
          {messages.toReversed().map(({ id, received_at, headers, body }) => (
            <details key={id} class="card run">
              <summary>
                <Time at={received_at} /> <span class="mono muted">{id.slice(0, 8)}</span>
              </summary>
              <Json value={{ headers, body }} />
            </details>
          ))}
          <p>
            <Action label={`Empty the inbox ${inbox}`} kind="danger" call={control("DELETE", path)} />
          </p>
        </>
      )}
    </Loaded>
  );
}
