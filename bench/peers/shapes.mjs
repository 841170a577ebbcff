// Compares the members of replies: those of the open-source agent server, and of the emulator in the profile `observed`.

/** Differences that remain, and why. Each must still occur. */
export const ALLOWED_DIFFERENCES = [
  {
    paths: /\.(user-agent|ls_\w+|versions|langgraph_(version|plan|host|api_url))$/,
    reason:
      "They describe the software of the server, its model and the client, which the emulator does not have.",
  },
  {
    paths: /^new thread\.(values|interrupts)$|\.state_updated_at$|(state|history)\.interrupts$/,
    reason: "The hosted service has these members. This server leaves them out.",
  },
  {
    paths: /kwargs\.(command|interrupt_before|interrupt_after|webhook|feedback_keys|durability)$/,
    reason: "The hosted service stores a default for members that were not sent.",
  },
  {
    paths: /\.tool_call_chunks$/,
    reason: "This server stores the chunks of a streamed message in place of the message.",
  },
  {
    paths: /\.messages\[\]\.id$|^event messages(\/partial)?\[\]\.id$/,
    reason: "The client library of the model assigns these ids. The emulator uses a UUID.",
  },
  {
    paths: /^failed thread\.interrupts\.\{id\}$/,
    reason:
      "This server lists a task that failed with no interrupts. The hosted service lists only open interrupts.",
  },
  {
    paths: /history\.tasks\[\]\.result\.messages\[\]\.\w+$/,
    reason: "This server repeats the input as sent. The emulator shows the message that it has stored.",
  },
  {
    paths: /^webhook\.values\.messages\[\]\.(\w+|id\[\])$/,
    reason:
      "This server writes messages in the serialised form of its library, which its own API never does.",
  },
  {
    paths: /^event checkpoints\.(config|parent_config|tasks)$/,
    reason:
      "The stream mode debug of this server has these members of a checkpoint, its mode checkpoints does not.",
  },
  {
    paths: /^event (tasks|debug\.payload)\.metadata\.thread_id$/,
    reason:
      "This server leaves the thread out of the metadata of tasks, but not of messages and checkpoints.",
  },
];

/** The members that only one of the servers has, and those whose kinds differ; without the members inside them. */
export function differencesOf(peer, own) {
  const paths = [...new Set([...peer.keys(), ...own.keys()])].sort();
  const differences = [];
  for (const path of paths) {
    if (differences.some(({ path: outer }) => isInside(path, outer))) continue;
    const problem = problemAt(peer.get(path), own.get(path));
    if (problem) differences.push({ path, problem });
  }
  return differences;
}

function problemAt(peer, own) {
  if (!own) return "missing in the emulator";
  if (!peer) return "only in the emulator";
  if (peer.has("null") || own.has("null") || [...peer].some((kind) => own.has(kind))) return undefined;
  return `${[...own].join(" or ")} in the emulator, ${[...peer].join(" or ")} in the agent server`;
}

const isInside = (path, outer) => path.startsWith(`${outer}.`) || path.startsWith(`${outer}[]`);

/** The lines of a report, and whether the shapes are the same except for the allowed differences. */
export function shapeReport(peer, own) {
  const differences = differencesOf(peer, own);
  const counts = ALLOWED_DIFFERENCES.map(
    ({ paths }) => differences.filter(({ path }) => paths.test(path)).length,
  );
  const others = differences.filter(({ path }) => !ALLOWED_DIFFERENCES.some(({ paths }) => paths.test(path)));
  const unused = ALLOWED_DIFFERENCES.filter((_, index) => counts[index] === 0);
  return {
    ok: others.length === 0 && unused.length === 0,
    lines: [
      `Shapes of replies: ${peer.size} members of the agent server, ${own.size} of the emulator (profile observed).`,
      ...others.map(({ path, problem }) => `  not allowed: ${path}: ${problem}`),
      ...unused.map(({ paths }) => `  no longer needed: ${paths}`),
      ...ALLOWED_DIFFERENCES.map(({ reason }, index) => `  allowed (${counts[index]}): ${reason}`),
    ],
  };
}
