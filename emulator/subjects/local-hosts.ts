/** Under which a container reaches the machine that it runs on. */
export const CONTAINER_HOST = "host.docker.internal";

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

/** Whether a host name, as a URL or a Host header spells it, means this machine. */
export function isLoopback(hostName: string): boolean {
  return LOOPBACK.test(hostName);
}
