// Its own module, so that the library is loaded only when a data folder is locked.
export { check, type LockOptions, lock } from "proper-lockfile";
