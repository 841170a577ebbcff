/**
 * The end of the list of what a fault does: what is left there is `never`, so a member of `then` without a line
 * of its own does not compile. A rule that another version has stored ends the world with this message (law 6).
 */
export function unhandled(target: string, then: never): never {
  throw new Error(
    `Nothing on the target ${target} does ${JSON.stringify(then)}: this version cannot apply the fault. ` +
      "Delete it with the version that armed it.",
  );
}
