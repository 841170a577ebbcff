/** The manifest of a snapshot file. */
export const MANIFEST = {
  format: 5,
  written_by: "0.1.0",
  world: { name: "n", of: "main", now: "2026-03-01T00:00:00Z", turn: 1, seed: 1, traces_mark: 0 },
};
