import { parseDuration } from "../../emulator/client/values.ts";
import type { PlayedWorld } from "../conditions.ts";
import type { Environment, ScenarioRequest } from "../environment.ts";
import { createRunner } from "../runner.ts";
import { iso, millis } from "./times.ts";

const ADVANCE = "/_emulator/v1/clock/advance";

interface Advanced {
  readonly fired: readonly unknown[];
  readonly fired_total: number;
}

/** Moves the clock in two steps where a move passes the instant, and acts between them. */
export function stopping(
  environment: Environment,
  instant: number,
  act: (world: PlayedWorld) => Promise<unknown> = async () => undefined,
): Environment {
  return {
    ...environment,
    async request(request) {
      const target = request.path === ADVANCE ? await targetOf(environment, request) : undefined;
      if (target === undefined || instant <= target.from || instant >= target.to)
        return environment.request(request);
      const first = await moved(environment, request, instant);
      if (first.status >= 400) return first;
      await act(createRunner(environment));
      const second = await moved(environment, request, target.to);
      if (second.status >= 400) return second;
      const [one, other] = [first, second].map(({ text }) => JSON.parse(text) as Advanced);
      const whole = {
        ...other,
        fired: [...(one?.fired ?? []), ...(other?.fired ?? [])],
        fired_total: (one?.fired_total ?? 0) + (other?.fired_total ?? 0),
      };
      return { ...second, text: JSON.stringify(whole) };
    },
  };
}

function moved(environment: Environment, request: ScenarioRequest, to: number) {
  return environment.request({ ...request, body: JSON.stringify({ to: iso(to) }) });
}

async function targetOf(environment: Environment, request: ScenarioRequest) {
  const body = JSON.parse(request.body ?? "{}") as { readonly by?: string; readonly to?: string };
  if (body.by === undefined && body.to === undefined) return undefined;
  const clock = await environment.request({
    ...request,
    method: "GET",
    path: "/_emulator/v1/clock",
    body: undefined,
  });
  const from = millis((JSON.parse(clock.text) as { readonly now: string }).now);
  const ms = body.by === undefined ? undefined : parseDuration(body.by);
  const to = ms === undefined ? millis(String(body.to)) : from + ms;
  return { from, to };
}
