/**
 * Ends a chain of branches over the members of `then`. There `then` has the type `never`, so a member of `then` that is not
 * handled does not compile. A rule stored by another version ends the world with this message (law 6).
 */
export function unhandled(target: string, then: never): never {
  throw new Error(
    `This version cannot apply ${JSON.stringify(then)} to the target ${target}. ` +
      "Remove the fault with the version that armed it.",
  );
}
