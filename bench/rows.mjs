// Rows of about 2.7 KB as a client would post them, all of one UTC day, and the bodies that carry them.
const WORDS = "the order was sent to another address and has not come yet please look where it is ".repeat(
  12,
);

export const PROJECT = uuidOf(9, 1);

const BOUNDARY = "----BenchFormBoundary0123456789";
const MEMBERS = ["inputs", "outputs", "extra", "events"];

/** Bodies of requests with `count` rows, numbered from `from`. */
export const BODIES = {
  batch: { bodyOf: batchBody, contentType: "application/json" },
  multipart: { bodyOf: formBody, contentType: `multipart/form-data; boundary=${BOUNDARY}` },
};

function hex(number, digits) {
  return number.toString(16).padStart(digits, "0");
}

export function uuidOf(kind, number) {
  return `${hex(kind, 8)}-0000-4000-8000-${hex(number, 12)}`;
}

export function postOf(number, sessionId) {
  const id = uuidOf(1, number);
  const start = new Date(Date.UTC(2026, 1, 25) + number * 80).toISOString().replace("Z", "000Z");
  const end = new Date(Date.UTC(2026, 1, 25) + number * 80 + 900).toISOString().replace("Z", "000Z");
  return {
    id,
    trace_id: id,
    dotted_order: `${start.replace(/[-:.]/g, "")}${id}`,
    session_id: sessionId,
    name: "ChatModel",
    run_type: "llm",
    start_time: start,
    end_time: end,
    inputs: { messages: [{ role: "user", content: `${number} ${WORDS}` }] },
    outputs: { messages: [{ role: "assistant", content: `${WORDS} ${number}` }] },
    extra: { metadata: { thread: number % 97, model: "large", temperature: 0.2 } },
    tags: ["bench", number % 2 ? "odd" : "even"],
    prompt_tokens: 240 + (number % 50),
    completion_tokens: 210,
    total_cost: "0.00312",
  };
}

export function batchBody(from, count, sessionId) {
  return JSON.stringify({
    post: Array.from({ length: count }, (_, index) => postOf(from + index, sessionId)),
  });
}

function formBody(from, count, sessionId) {
  return formOf(Array.from({ length: count }, (_, index) => postOf(from + index, sessionId)));
}

/** Rows as multipart, with large members in separate parts. */
export function formOf(rows) {
  const parts = [];
  for (const row of rows) {
    const rest = Object.fromEntries(Object.entries(row).filter(([name]) => !MEMBERS.includes(name)));
    parts.push(partOf(`post.${row.id}`, rest));
    for (const name of MEMBERS) if (name in row) parts.push(partOf(`post.${row.id}.${name}`, row[name]));
  }
  return `${parts.join("")}--${BOUNDARY}--\r\n`;
}

function partOf(name, value) {
  const json = JSON.stringify(value);
  const lines = [
    `--${BOUNDARY}`,
    `Content-Disposition: form-data; name="${name}"`,
    `Content-Type: application/json; length=${Buffer.byteLength(json)}`,
  ];
  return `${lines.join("\r\n")}\r\n\r\n${json}\r\n`;
}
