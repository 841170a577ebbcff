/** The workspace of a fresh world, and of a call that names none (5-6). */
export const DEFAULT_TENANT_ID = "00000000-0000-4000-8000-000000000001";

/** The key that the README tells newcomers to send; by default any other works too. */
export const DEFAULT_API_KEY = "emulator-key";
