const SWITCH = "AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED";

/**
 * Creates a client without the warning of the SDK that its later versions do not run on Node 20: our version
 * is pinned and does. The variable is restored, since child processes of the user inherit it.
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
