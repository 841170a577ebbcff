// A minimal graph that echoes its input.
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ text: Annotation() });

export const graph = new StateGraph(State)
  .addNode("echo", ({ text }) => ({ text }))
  .addEdge(START, "echo")
  .addEdge("echo", END)
  .compile();
