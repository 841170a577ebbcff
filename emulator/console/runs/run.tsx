import type { TargetedInputEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { printExact } from "../../../contracts/spec/exact-json.ts";
import { instantMs } from "../../kernel/instant.ts";
import type { RunDetail } from "../../subjects/agent/overview.ts";
import { useReply } from "../model/resource.ts";
import { addressOf } from "../model/router.ts";
import { useDrag } from "../parts/drag.ts";
import { Fact, Facts } from "../parts/facts.tsx";
import { Json } from "../parts/json.tsx";
import { Loaded } from "../parts/states.tsx";
import { Status } from "../parts/status.tsx";
import { spanOf, Time } from "../parts/time.tsx";
import { WhyLink } from "../parts/why-link.tsx";

/** One run: its request, and its stream to play back. */
export function RunPage({ id }: { readonly id: string }) {
  const path = `/agent/runs/${encodeURIComponent(id)}`;
  const resource = useReply<RunDetail>(path);
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

const TICK_MS = 120;

/** The events of a run's stream, with a slider and playback. */
function Playback({ run }: { readonly run: RunDetail }) {
  const frames = run.stream ?? [];
  const { at, setAt, isPlaying, toggle } = usePlayer(frames.length);
  if (run.stream === null)
    return <p class="empty">Its stream is not there: the run has not begun, or ended long ago.</p>;
  const start = instantMs(run.started_at ?? run.created_at);
  const visible = frames.slice(0, at);
  return (
    <section class="card" aria-label="Stream">
      <header class="row">
        <h2>Stream</h2>
        <span class="muted">
          {at} of {run.stream_total} events
        </span>
        <button type="button" class="button" onClick={toggle}>
          {isPlaying ? "Pause" : "Play"}
        </button>
        <label class="grow">
          <span class="hidden">Events shown</span>
          <Position at={Math.min(at, frames.length)} max={frames.length} set={setAt} />
        </label>
      </header>
      <ol class="frames">
        {visible.map(({ id, at: instant, event, data }) => (
          <li key={id}>
            <details>
              <summary>
                <span class="mono muted">+{spanOf(instantMs(instant) - start)}</span> <code>{event}</code>{" "}
                <span class="frame-data mono">{printExact(data).slice(0, 160)}</span>
              </summary>
              <Json value={data} />
            </details>
          </li>
        ))}
      </ol>
    </section>
  );
}

interface PositionProps {
  readonly at: number;
  readonly max: number;
  readonly set: (at: number) => void;
}

/** A slider. Escape restores the position before a drag; the browser's own drag continues without effect. */
function Position({ at, max, set }: PositionProps) {
  const isCancelled = useRef(false);
  const drag = useDrag({
    begin() {
      isCancelled.current = false;
      return at;
    },
    cancel(before) {
      isCancelled.current = true;
      set(before);
    },
  });
  const onInput = (event: TargetedInputEvent<HTMLInputElement>) => {
    if (isCancelled.current) event.currentTarget.value = String(at);
    else set(Number(event.currentTarget.value));
  };
  const release = () => {
    isCancelled.current = false;
  };
  return (
    <input
      type="range"
      min={0}
      max={max}
      value={at}
      onInput={onInput}
      {...drag}
      onChange={release}
      onKeyDown={release}
    />
  );
}

/** A position among frames that moves forward by itself while it plays. */
function usePlayer(length: number) {
  const [at, setAt] = useState(length);
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setInterval(
      () =>
        setAt((before) => {
          if (before + 1 >= length) setPlaying(false);
          return Math.min(before + 1, length);
        }),
      TICK_MS,
    );
    return () => clearInterval(timer);
  }, [isPlaying, length]);
  const toggle = () => {
    if (at >= length) setAt(0);
    setPlaying(!isPlaying);
  };
  return { at, setAt, isPlaying, toggle };
}
