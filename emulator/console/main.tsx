import { effect } from "@preact/signals";
import { render } from "preact";
import { App } from "./app.tsx";
import { followClock } from "./model/clock.ts";
import { followJournal } from "./model/live.ts";
import { listenForJumpKey } from "./shell/jump.tsx";
import { followAddress } from "./time/as-of.ts";

effect(followAddress);
render(<App />, document.body);
void followJournal();
followClock();
listenForJumpKey();
