// Stands in the bundle for packages that Express loads for features which the emulator does not use: its
// parsers, file serving and media types are two thirds of what there is to load at the start.
function leftOut() {
  throw new Error("this part of Express is left out of the bundle; see LEFT_OUT in bin/build.mjs");
}

module.exports = new Proxy(leftOut, { get: (_target, name) => (name === "__esModule" ? false : leftOut) });
