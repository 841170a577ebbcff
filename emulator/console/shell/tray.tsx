import { useState } from "preact/hooks";
import { clearTray, removeFromTray, tray } from "../model/actions.ts";
import { present } from "../model/client.ts";
import { count } from "../model/count.ts";
import { looks } from "../model/looks.ts";
import { TEST_FORMS } from "../model/recorded-tests.ts";
import { save } from "../model/save.ts";
import { CopyMenu } from "../parts/action.tsx";
import { timeOf } from "../parts/time.tsx";
import { UndoButton } from "../parts/undo-button.tsx";

/** The user's actions in this tab, to save as a test. */
export function Tray() {
  const [title, setTitle] = useState("Actions in the console.");
  const actions = tray.value;
  if (actions.length === 0) return null;
  const saveTest = async ([file, textOf]: (typeof TEST_FORMS)[string]) => {
    const { seed } = await present.status();
    save(file, textOf({ title, seed, actions, looks: looks.value }));
  };
  return (
    <details class="tray">
      <summary>
        <span aria-hidden="true">⌁</span> Actions <span class="count">{actions.length}</span>
      </summary>
      <ol>
        {actions.map((action, index) => (
          <li key={index} class="row">
            <span class="mono muted">{timeOf(action.at).slice(0, 19)}</span>{" "}
            <span class="grow">{action.label}</span>
            <UndoButton action={action} index={index} />
            <CopyMenu label={action.label} call={action.call} />
            <button
              type="button"
              class="button"
              aria-label={`Remove ${action.label}`}
              onClick={() => removeFromTray(index)}
            >
              ×
            </button>
          </li>
        ))}
      </ol>
      <p class="muted">
        A test repeats the actions in a new world, and compares what you looked at:{" "}
        {count(looks.value.length, "assertion")}.
      </p>
      <div class="row">
        <label class="grow">
          <span class="hidden">Title of the scenario</span>
          <input value={title} onInput={(event) => setTitle(event.currentTarget.value)} />
        </label>
        {Object.entries(TEST_FORMS).map(([name, form]) => (
          <button key={name} type="button" class="button main" onClick={() => saveTest(form)}>
            Save as {name}
          </button>
        ))}
        <button type="button" class="button" onClick={clearTray}>
          Clear
        </button>
      </div>
    </details>
  );
}
