import type { RunDetail } from "../../subjects/agent/overview.ts";
import { useReply } from "../model/looks.ts";
import { addressOf } from "../model/router.ts";
import { Fact, Facts } from "../parts/facts.tsx";
import { Json } from "../parts/json.tsx";
import { Loaded } from "../parts/states.tsx";
import { Status } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";
import { WhyLink } from "../parts/why-link.tsx";
import { Playback } from "./playback.tsx";

/** One run: its request, and its stream to play back. */
export function RunPage({ id }: { readonly id: string }) {
  const path = `/agent/runs/${encodeURIComponent(id)}`;
  const resource = useReply<RunDetail>("The run", path, ({ status, graph_id }) => ({ status, graph_id }));
  return (
    <>
      <nav class="crumbs" aria-label="Path">
        <a href={addressOf("runs")}>Threads and runs</a> / <span class="mono">{id}</span> <WhyLink id={id} />
      </nav>
      <Loaded resource={resource} heading="Run">
        {(run) => <RunDetails run={run} />}
      </Loaded>
    </>
  );
}

function RunDetails({ run }: { readonly run: RunDetail }) {
  return (
    <>
      <h1>
        <Status status={run.status} />
      </h1>
      <Facts>
        <Fact name="Thread">
          <a class="mono" href={addressOf("runs", null, { thread: run.thread_id })}>
            {run.thread_id}
          </a>
        </Fact>
        <Fact name="Graph">{run.graph_id}</Fact>
        <Fact name="Strategy">{run.multitask_strategy}</Fact>
        <Fact name="Webhook">{run.has_webhook ? <a href={addressOf("webhooks")}>yes</a> : "none"}</Fact>
        <Fact name="Created">
          <Time at={run.created_at} />
        </Fact>
        <Fact name="Started">
          <Time at={run.started_at} />
        </Fact>
        <Fact name="Updated">
          <Time at={run.updated_at} />
        </Fact>
        {run.next_at !== null && (
          <Fact name="Next step">
            <Time at={run.next_at} />
          </Fact>
        )}
      </Facts>
      <Playback run={run} />
      <details class="card run">
        <summary>
          <strong>Request and metadata</strong>
        </summary>
        <Json value={{ kwargs: run.kwargs, metadata: run.metadata }} />
      </details>
    </>
  );
}
