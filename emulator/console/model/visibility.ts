import { signal } from "@preact/signals";

/** Whether nobody sees the page, which then sends no requests. */
export const isHidden = signal(document.hidden);
document.addEventListener("visibilitychange", () => {
  isHidden.value = document.hidden;
});
