import published from "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json" with { type: "json" };
import { Ajv } from "ajv";

// The draft that it is written in is older than those that the validator reads, and differs in nothing that it uses.
const { $schema, id, ...schema } = published;

/** Whether a text is a reference to something by its address; the validator brings no formats along. */
const isReference = (text: string) => URL.canParse(text, "file:///") && !/[\s\\<>{}|^`]/.test(text);

const validate = new Ajv({
  strict: false,
  unicodeRegExp: false,
  allErrors: true,
  formats: {
    uri: (text: string) => URL.canParse(text),
    "uri-reference": isReference,
    "date-time": (text: string) => !Number.isNaN(Date.parse(text)),
  },
}).compile(schema);

/** What of a log the published schema does not allow. */
export function sarifProblems(log: unknown): readonly string[] {
  validate(log);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
