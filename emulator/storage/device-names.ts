/** Names that some systems keep for devices, with any extension: no file or folder there can have them. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;

/** Whether a name, in lower case, is one of these. */
export function isDeviceName(name: string): boolean {
  return DEVICE.test(name);
}
