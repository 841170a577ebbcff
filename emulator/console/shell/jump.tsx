import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Match, MatchGroup } from "../../control/find.ts";
import { client } from "../model/client.ts";
import { addressOf, go } from "../model/router.ts";

const isOpen = signal(false);

/** Ctrl-K or Cmd-K opens the search from every view. */
export function listenForJumpKey(): void {
  window.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    event.preventDefault();
    isOpen.value = true;
  });
}

/** The button that opens the search. */
export function JumpButton() {
  return (
    <button
      type="button"
      class="button"
      aria-keyshortcuts="Control+K Meta+K"
      title="Any id, path, project, bucket key or turn (Ctrl-K)"
      onClick={() => {
        isOpen.value = true;
      }}
    >
      <span aria-hidden="true">⌕</span> Find
    </button>
  );
}

/** The search of everything in the world, over the page. */
export function Jump() {
  return isOpen.value ? <JumpDialog /> : null;
}

const REST_MS = 120;

interface Results {
  readonly text: string;
  readonly groups: readonly MatchGroup[];
}

function JumpDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [{ groups, text: searched }, setResults] = useState<Results>({ text: "", groups: [] });
  const [selected, setSelected] = useState(0);
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    const timer = setTimeout(async () => {
      const results = text.trim() === "" ? [] : await find(text);
      setResults({ text, groups: results });
      setSelected(0);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const rows = groups.flatMap(({ kind, items }) => items.map((match) => ({ kind, match })));
  const open = (row: (typeof rows)[number] | undefined) => {
    if (!row) return;
    dialog.current?.close();
    go(addressOfMatch(row.kind, row.match));
  };
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (event.key === "Enter") open(rows[selected]);
    else if (step !== 0) setSelected((selected + step + rows.length) % Math.max(1, rows.length));
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      class="jump"
      ref={dialog}
      aria-label="Find"
      onClose={() => {
        isOpen.value = false;
      }}
    >
      <input
        role="combobox"
        list={undefined}
        aria-label="Id, path, project, bucket key or turn"
        aria-expanded={rows.length > 0}
        aria-controls="jump-results"
        aria-activedescendant={rows.length > 0 ? `jump-${selected}` : undefined}
        placeholder="Id, path, project, bucket key or turn"
        spellcheck={false}
        maxLength={300}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <p class="muted" role="status">
        {searched.trim() !== "" && (rows.length === 0 ? "Nothing matches." : countText(groups))}
      </p>
      <div id="jump-results" role="listbox" aria-label="Results">
        {rows.map((row, index) => (
          <div
            key={`${row.kind} ${row.match.id}`}
            id={`jump-${index}`}
            role="option"
            aria-selected={index === selected}
            ref={(option) => void (index === selected && option?.scrollIntoView({ block: "nearest" }))}
            onClick={() => open(row)}
          >
            <span class="muted">{row.kind.replace("_", " ")}</span>{" "}
            <span class="mono key">{row.match.id}</span> {row.match.text}
          </div>
        ))}
      </div>
    </dialog>
  );
}

function find(text: string): Promise<readonly MatchGroup[]> {
  const query = new URLSearchParams({ text: text.trim() });
  return client.call<readonly MatchGroup[]>("GET", `/find?${query}`).catch(() => []);
}

function countText(groups: readonly MatchGroup[]): string {
  return groups
    .map(({ kind, matching, items }) => {
      const all = matching.toLocaleString("en");
      return `${kind.replace("_", " ")}: ${items.length < matching ? `${items.length} of ${all}` : all}`;
    })
    .join(", ");
}

/** The view of a match; for kinds without one, the turns that caused it. */
function addressOfMatch(kind: string, { id, text, of = "" }: Match): string {
  const slash = id.indexOf("/");
  const views: Readonly<Record<string, () => string>> = {
    export: () => addressOf("exports", id),
    export_run: () => addressOf("exports", of, { run: id }),
    agent_run: () => addressOf("runs", id),
    thread: () => addressOf("runs", null, { thread: id }),
    delivery: () => addressOf("webhooks", id),
    fault: () => addressOf("faults", null, { text: id }),
    project: () => addressOf("exports", null, { project: text }),
    bucket: () => addressOf("storage", id),
    object: () =>
      id.endsWith(".parquet")
        ? addressOf("file", id.slice(0, slash), { key: id.slice(slash + 1) })
        : addressOf("storage", id.slice(0, slash), { text: id.slice(slash + 1) }),
    request: () => addressOf("requests", null, of === "" ? { text } : { turn: of }),
    turn: () => addressOf("time", null, { turn: id }),
  };
  return views[kind]?.() ?? addressOf("why", null, { of: id });
}
