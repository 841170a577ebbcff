// The graphs of the comparison of shapes: they do what the emulator's assistants of the same names do.
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { Annotation, END, interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";

const model = new FakeListChatModel({ responses: ["hi"] });

export const echo = new StateGraph(MessagesAnnotation)
  .addNode("echo", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge(START, "echo")
  .addEdge("echo", END)
  .compile();

export const interrupting = new StateGraph(Annotation.Root({ topic: Annotation(), answer: Annotation() }))
  .addNode("ask", () => ({ answer: interrupt("Shall I continue?") }))
  .addEdge(START, "ask")
  .addEdge("ask", END)
  .compile();

export const failing = new StateGraph(MessagesAnnotation)
  .addNode("fail", () => {
    throw new Error("The assistant failing always fails.");
  })
  .addEdge(START, "fail")
  .addEdge("fail", END)
  .compile();
