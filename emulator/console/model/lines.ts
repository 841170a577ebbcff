/** The values of a stream of JSON lines, in batches as they arrive. */
export async function* linesOf<T>(body: ReadableStream<Uint8Array>): AsyncGenerator<readonly T[]> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    if (lines.length > 0) yield lines.map((line) => JSON.parse(line) as T);
  }
}
