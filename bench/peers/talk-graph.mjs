// A graph that keeps a conversation and says back what it was told last, as the emulator's `echo` does.
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
