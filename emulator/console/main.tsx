import { effect } from "@preact/signals";
import { render } from "preact";
import { App } from "./app.tsx";
import { followClock } from "./model/clock.ts";
import { restoreFocus } from "./model/focus.ts";
import { followWorld } from "./model/live.ts";
import { showStoredTextSafely } from "./parts/stored-text.ts";
import { listenForJumpKey } from "./shell/jump.tsx";
import { followAddress } from "./time/as-of.ts";

showStoredTextSafely();
effect(followAddress);
render(<App />, document.body);
void followWorld();
followClock();
listenForJumpKey();
restoreFocus();
