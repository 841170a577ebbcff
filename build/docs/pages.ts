import { assumptionsPage } from "./assumptions.ts";
import { clientsPage } from "./clients.ts";
import { commandsPage } from "./commands.ts";
import { errorsPage } from "./errors.ts";
import { faultsPage } from "./faults.ts";
import { limitsPage } from "./limits.ts";
import { controlPage, operationsPage } from "./operations.ts";
import { scenariosPage } from "./scenarios.ts";
import { settingsPage } from "./settings.ts";
import { verdictsPage } from "./verdicts.ts";

/** The pages of `docs/look-up/`, by their names; `npm run docs` writes them. */
export const LOOK_UP: Readonly<Record<string, () => string | Promise<string>>> = {
  "commands.md": commandsPage,
  "clients.md": clientsPage,
  "errors.md": errorsPage,
  "settings.md": settingsPage,
  "operations.md": operationsPage,
  "control-api.md": controlPage,
  "faults.md": faultsPage,
  "limits.md": limitsPage,
  "assumptions.md": assumptionsPage,
  "scenarios.md": scenariosPage,
  "verdicts.md": verdictsPage,
};
