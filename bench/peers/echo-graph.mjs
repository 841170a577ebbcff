// The smallest graph that there can be: it says back what it was told.
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ text: Annotation() });

export const graph = new StateGraph(State)
  .addNode("echo", ({ text }) => ({ text }))
  .addEdge(START, "echo")
  .addEdge("echo", END)
  .compile();
