const SWITCH = "AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED";

/**
 * Makes a client without the note by which the SDK says on Node 20 that its later versions will not run
 * there: ours is pinned and does. The switch is put back, since it is the environment of the user's children.
 */
export function withoutNotice<Client>(make: () => Client): Client {
  const before = process.env[SWITCH];
  process.env[SWITCH] = "true";
  try {
    return make();
  } finally {
    if (before === undefined) delete process.env[SWITCH];
    else process.env[SWITCH] = before;
  }
}
