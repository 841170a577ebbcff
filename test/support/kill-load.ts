import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import type { RunningCli } from "./cli.ts";
import { objectStore } from "./object-store.ts";
import { send as sendTo } from "./send.ts";

/** The project of all rows. */
export const SESSION = "99999999-0000-4000-8000-000000000001";

export const rowId = (round: number, number: number) =>
  `${round.toString(16).padStart(8, "0")}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;

const storeOf = ({ ready }: RunningCli) => objectStore(ready.s3_url);

export const send = ({ ready }: RunningCli, method: string, path: string, body?: unknown) =>
  sendTo<never>(ready.url, method, path, body);

/** What the emulator has said yes to. */
export interface Acknowledgements {
  readonly rows: Map<string, string>;
  readonly projects: Set<string>;
  readonly objects: Map<string, string>;
}

export function noAcknowledgements(): Acknowledgements {
  return { rows: new Map(), projects: new Set(), objects: new Map() };
}

/** Writes of every kind until the process is gone; each counts only once it was answered. */
export async function writeUntilKilled(
  cli: RunningCli,
  round: number,
  acknowledgements: Acknowledgements,
  isAnswered: () => void = () => {},
): Promise<void> {
  const store = storeOf(cli);
  const untilGone = async (write: (number: number) => Promise<void>) => {
    try {
      for (let number = 0; ; number += 1) {
        await write(number);
        isAnswered();
      }
    } catch {
      // Killed: what was under way counts for nothing.
    }
  };
  const row = (number: number, name: string) => ({
    id: rowId(round, number),
    name,
    run_type: "chain",
    session_id: SESSION,
    start_time: "2026-02-10T00:00:00Z",
  });
  await Promise.all([
    untilGone(async (number) => {
      const post = [0, 1, 2].map((nth) => row(number * 3 + nth, `first ${number}`));
      if ((await send(cli, "POST", "/runs/batch", { post })).status !== 202) throw new Error("refused");
      for (const { id, name } of post) acknowledgements.rows.set(id, name);
    }),
    untilGone(async (number) => {
      const id = rowId(round, number);
      // A row that is not known to be there is asked for only, so that the other writers get their turn.
      if (!acknowledgements.rows.has(id)) return void (await send(cli, "GET", "/ok"));
      const { status } = await send(cli, "PATCH", `/runs/${id}`, { name: `changed ${number}` });
      if (status === 202) acknowledgements.rows.set(id, `changed ${number}`);
    }),
    untilGone(async (number) => {
      const name = `project ${round}/${number}`;
      if ((await send(cli, "POST", "/sessions", { name })).status === 200)
        acknowledgements.projects.add(name);
    }),
    untilGone(async (number) => {
      const key = `round=${round}/object-${number}.txt`;
      await store.send(new PutObjectCommand({ Bucket: "traces", Key: key, Body: `body ${number}` }));
      acknowledgements.objects.set(key, `body ${number}`);
    }),
  ]);
  store.destroy();
}

export async function findLost(cli: RunningCli, acknowledgements: Acknowledgements): Promise<string[]> {
  const losses: string[] = [];
  for (const [id, name] of acknowledgements.rows) {
    const { status, body } = await send(cli, "GET", `/runs/${id}`);
    // A change that was never answered may have been kept all the same.
    const text = (body as { name?: string }).name ?? "";
    if (status !== 200 || (name.startsWith("changed") ? text !== name : !/^(first|changed)/.test(text)))
      losses.push(`row ${id}: ${text}`);
  }
  for (const name of acknowledgements.projects) {
    const { body } = await send(cli, "GET", `/sessions?name=${encodeURIComponent(name)}`);
    if ((body as unknown[]).length !== 1) losses.push(name);
  }
  const store = storeOf(cli);
  for (const [key, body] of acknowledgements.objects) {
    const match = await store.send(new GetObjectCommand({ Bucket: "traces", Key: key }));
    if ((await match.Body?.transformToString()) !== body) losses.push(key);
  }
  store.destroy();
  return losses;
}
