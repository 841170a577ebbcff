// Stands in for `debug` in the bundle: a logger that is never switched on.
module.exports = () => Object.assign(() => {}, { enabled: false });
