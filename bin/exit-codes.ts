/** What the exit codes of the command line mean. */
export const EXIT_CODES: Readonly<Record<number, string>> = {
  0: "success",
  1: "failure: of a case, a scenario, a verification or the requested operation",
  2: "wrong usage or configuration; a scenario that cannot be played",
  3: "drift: `replay` differs from a saved journal, `contract run --compare` found differences",
  4: "a fault that was never triggered (--strict)",
  5: "a defect of the emulator, or a data folder that it cannot use",
  130: "Ctrl-C; a line on standard error gives the completed work",
};
