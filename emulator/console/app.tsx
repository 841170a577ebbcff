import type { ComponentType } from "preact";
import { ExportsView } from "./exports/view.tsx";
import { FaultsView } from "./faults/view.tsx";
import { FileView } from "./files/view.tsx";
import { LimitsView } from "./limits/view.tsx";
import { addressOf, route } from "./model/router.ts";
import { RequestsView } from "./requests/view.tsx";
import { RunsView } from "./runs/view.tsx";
import { SettingsView } from "./settings/view.tsx";
import { Bands } from "./shell/bands.tsx";
import { ClockBar } from "./shell/clock-bar.tsx";
import { Jump } from "./shell/jump.tsx";
import { StorageView } from "./storage/view.tsx";
import { TimeView } from "./time/view.tsx";
import { WebhooksView } from "./webhooks/view.tsx";
import { WhyView } from "./why/view.tsx";
import { WorldsView } from "./worlds/view.tsx";

interface View {
  readonly name: string;
  readonly glyph: string;
  readonly show: ComponentType;
}

/** Every view by the first part of its address, in the order of the menu. */
const VIEWS: Readonly<Record<string, View>> = {
  time: { name: "Time", glyph: "◷", show: TimeView },
  exports: { name: "Exports", glyph: "▦", show: ExportsView },
  why: { name: "Why?", glyph: "?", show: WhyView },
  storage: { name: "Storage", glyph: "▤", show: StorageView },
  runs: { name: "Runs", glyph: "≋", show: RunsView },
  webhooks: { name: "Webhooks", glyph: "↗", show: WebhooksView },
  limits: { name: "Limits", glyph: "◔", show: LimitsView },
  faults: { name: "Faults", glyph: "↯", show: FaultsView },
  requests: { name: "Requests", glyph: "⇄", show: RequestsView },
  worlds: { name: "Worlds", glyph: "⋔", show: WorldsView },
  settings: { name: "Settings", glyph: "≡", show: SettingsView },
};

/** Views without an entry in the menu. */
const INNER_VIEWS: Readonly<Record<string, View>> = {
  file: { name: "Rows of a file", glyph: "▤", show: FileView },
};

export function App() {
  const { view } = route.value;
  const selectedView = VIEWS[view] ?? INNER_VIEWS[view];
  const Content = selectedView?.show ?? NoView;
  document.title = `${selectedView?.name ?? "Console"} – emulator`;
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to the content
      </a>
      <ClockBar />
      <nav class="menu-bar" aria-label="Views">
        {Object.entries(VIEWS).map(([name, { name: text, glyph }]) => (
          <a
            key={name}
            href={addressOf(name)}
            aria-current={name === view ? "page" : undefined}
            ref={(link) => void (name === view && link && scrollToLink(link))}
          >
            <span aria-hidden="true" class="glyph">
              {glyph}
            </span>
            {text}
          </a>
        ))}
      </nav>
      <main id="main" tabIndex={-1}>
        <Bands />
        <Content />
      </main>
      <Jump />
    </>
  );
}

/** Scrolls only the menu: `scrollIntoView` would also make the next Tab start from the link. */
function scrollToLink(link: HTMLElement): void {
  const menu = link.parentElement;
  menu?.scrollTo({ left: link.offsetLeft - (menu.clientWidth - link.offsetWidth) / 2 });
}

/** The hash of the address selects the view, so this link sets the focus itself. */
function skipToMain(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function NoView() {
  return (
    <>
      <h1>No such view</h1>
      <p class="empty">The menu has them all.</p>
    </>
  );
}
