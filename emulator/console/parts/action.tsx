import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Call, perform, runningAction } from "../model/actions.ts";
import { asOf } from "../model/client.ts";
import { asCurl, asStep, asTypeScript } from "../model/copies.ts";
import { isReadOnly } from "../model/token.ts";

interface ActionProps {
  readonly label: string;
  readonly call: Call;
  /** The content of the button; default: the label. */
  readonly children?: ComponentChildren;
  readonly kind?: "main" | "danger" | "plain";
  readonly disabled?: boolean;
  /** Whether the action is available while the page shows history: it does not change this world. */
  readonly worksInHistory?: true;
  readonly onDone?: (reply: unknown) => void;
}

/** A button that changes the world, with the same request to copy for a shell, a program or a scenario. */
export function Action({
  label,
  call,
  children,
  kind = "plain",
  disabled = false,
  worksInHistory,
  onDone,
}: ActionProps) {
  const isDisabled =
    disabled || isReadOnly.value || (asOf.value !== null && !worksInHistory) || runningAction.value !== null;
  const run = async () => {
    const reply = await perform(label, call);
    if (reply !== undefined) onDone?.(reply);
  };
  return (
    <span class="action">
      <button type="button" class={`button ${kind}`} disabled={isDisabled} onClick={run} aria-label={label}>
        {children ?? label}
      </button>
      <CopyMenu label={label} call={call} />
    </span>
  );
}

const MENU_WIDTH = 190;
const MENU_HEIGHT = 110;

const COPIES = {
  "Copy as curl": asCurl,
  "Copy as TypeScript": asTypeScript,
  "Copy as scenario step": asStep,
};

/** Copies a request as a shell command, a program or a step of a scenario. */
export function CopyMenu({ label, call }: Pick<ActionProps, "label" | "call">) {
  const [isOpen, setOpen] = useState(false);
  const [copiedFormat, setCopiedFormat] = useState("");
  const box = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (!isOpen) return;
    box.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const close = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", close);
    return () => document.removeEventListener("pointerdown", close);
  }, [isOpen]);
  const copy = async (name: keyof typeof COPIES) => {
    const text = COPIES[name](call);
    await navigator.clipboard.writeText(text).catch(() => copyByHand(text));
    setCopiedFormat(name);
    setOpen(false);
  };
  return (
    <span class="menu-box" ref={box} onKeyDown={(event) => moveInMenu(event, () => setOpen(false))}>
      <button
        type="button"
        class="button more"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={`${label}: copy`}
        title="Copy this request"
        onClick={() => setOpen(!isOpen)}
      >
        <span aria-hidden="true">{copiedFormat === "" ? "⋮" : "✓"}</span>
      </button>
      {isOpen && (
        <span class="menu" role="menu" style={positionOf(box.current)} aria-label={`Copy ${label}`}>
          {(Object.keys(COPIES) as (keyof typeof COPIES)[]).map((name) => (
            <button type="button" role="menuitem" key={name} onClick={() => copy(name)}>
              {name}
            </button>
          ))}
        </span>
      )}
    </span>
  );
}

/** Below its button, relative to the window: a scrolling table would cut the menu off. */
function positionOf(box: HTMLElement | null) {
  const { right = 0, bottom = 0 } = box?.getBoundingClientRect() ?? {};
  const fits = bottom + MENU_HEIGHT < window.innerHeight;
  return {
    right: `${Math.max(4, Math.min(window.innerWidth - right, window.innerWidth - MENU_WIDTH))}px`,
    top: `${fits ? bottom + 4 : bottom - MENU_HEIGHT - 36}px`,
  };
}

function moveInMenu(event: KeyboardEvent, close: () => void): void {
  const box = event.currentTarget as HTMLElement;
  if (event.key === "Escape") {
    close();
    box.querySelector<HTMLElement>("[aria-haspopup]")?.focus();
    return;
  }
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const items = [...box.querySelectorAll<HTMLElement>("[role=menuitem]")];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const step = event.key === "ArrowDown" ? 1 : -1;
  items[(at + step + items.length) % items.length]?.focus();
  event.preventDefault();
  event.stopPropagation();
}

/** Browsers allow the clipboard only for TLS and for this machine. */
function copyByHand(text: string): void {
  window.prompt("Copy this:", text);
}
