/** Names that some systems reserve for devices, with any extension. No file or folder can have them there. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;

export function isDeviceName(name: string): boolean {
  return DEVICE.test(name);
}
