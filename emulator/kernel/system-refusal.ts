import { Refusal } from "./refusal.ts";

const TOO_MANY = {
  status: 429,
  code: "too_many_open_files",
  message: "This process, or its system, may open no more files and connections just now.",
  hint: "Close some connections and ask again, or raise the limit (`ulimit -n`) and start again.",
} as const;

/** What systems say that is no defect: it lies in the request, or passes. */
const REFUSALS: Readonly<Record<string, Pick<Refusal, "status" | "code" | "message" | "hint">>> = {
  EMFILE: TOO_MANY,
  ENFILE: TOO_MANY,
  ENAMETOOLONG: {
    status: 422,
    code: "name_too_long",
    message: "A name is too long for the file system.",
    hint: "Use a shorter one.",
  },
};

/** The refusal that an error amounts to; undefined for a defect. */
export function refusalIn(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  const known = REFUSALS[String((error as NodeJS.ErrnoException | undefined)?.code)];
  return known && new Refusal(known.status, known.code, known.message, known.hint);
}
