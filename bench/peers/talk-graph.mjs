// A graph that keeps a conversation and echoes the last message, like the emulator's `echo`.
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({
  messages: Annotation({ reducer: (before, more) => [...before, ...more], default: () => [] }),
});

export const graph = new StateGraph(State)
  .addNode("echo", ({ messages }) => ({
    messages: [{ role: "assistant", content: messages.at(-1)?.content ?? "" }],
  }))
  .addEdge(START, "echo")
  .addEdge("echo", END)
  .compile();
