import type { JsonObject } from "./json.ts";
import { createRandom } from "./random.ts";
import { TOPICS } from "./sample-texts.ts";
import { shiftTime, stampOf } from "./wire-time.ts";

const CORPUS_LENGTH = 65_536;
const PROMPT_LENGTH = 950;
const COMPLETION_LENGTH = 450;

/** Generates posts of about 2.7 KB (stored) cheaply: slices of one text and a few numbers. */
export function createBenchPosts(
  seed: string,
  project: JsonObject,
): (ordinal: number, id: string, start: string) => JsonObject {
  const corpus = corpusOf(seed);
  const piece = (ordinal: number, step: number, length: number): string => {
    const offset = (ordinal * step) % (CORPUS_LENGTH - length);
    return corpus.slice(offset, offset + length);
  };
  return (ordinal, id, start) => {
    const prompt = 180 + (ordinal % 97);
    const completion = 60 + (ordinal % 41);
    const end = shiftTime(start, 400_000 + (ordinal % 1_000) * 1_000) ?? start;
    return {
      id,
      trace_id: id,
      dotted_order: `${stampOf(start)}${id}`,
      name: "ChatAster",
      run_type: "llm",
      start_time: start,
      end_time: end,
      inputs: { messages: [{ role: "user", content: piece(ordinal, 7_919, PROMPT_LENGTH) }] },
      outputs: { messages: [{ role: "assistant", content: piece(ordinal, 104_729, COMPLETION_LENGTH) }] },
      extra: extraOf(ordinal, id),
      events: [
        { name: "start", time: start },
        { name: "new_token", time: shiftTime(start, 120_000) ?? start, kwargs: { token: "The" } },
        { name: "end", time: end },
      ],
      tags: ["bench", ordinal % 2 === 0 ? "even" : "odd"],
      prompt_tokens: prompt,
      completion_tokens: completion,
      prompt_cost: `0.0000${prompt}`,
      completion_cost: `0.000${completion + 100}`,
      // At the end: on Node 20 a member that follows a spread takes 2 µs.
      ...project,
    };
  };
}

function extraOf(ordinal: number, threadId: string): JsonObject {
  return {
    metadata: {
      thread_id: threadId,
      user_id: `user-${ordinal % 997}`,
      ls_model_name: "aster-mini",
      revision_id: null,
    },
    invocation_params: { model: "aster-mini", temperature: 0.2, max_tokens: 512, stop: null },
    runtime: { library: "langsmith", runtime: "node", sdk: "langsmith-js", sdk_version: "0.10.5" },
  };
}

/** Shuffled words of the sample texts, so that they compress about as well as prose. */
function corpusOf(seed: string): string {
  const random = createRandom(seed);
  const words = TOPICS.flatMap(({ question, answer, passages }) => [question, answer, ...passages])
    .join(" ")
    .split(/\s+/)
    .filter((word) => /^[\x21-\x7e]+$/.test(word));
  const wordIndex: string[] = [];
  for (let length = 0; length < CORPUS_LENGTH; ) {
    const word = words[random.below(words.length)] ?? "word";
    wordIndex.push(word);
    length += word.length + 1;
  }
  return wordIndex.join(" ");
}
