/** The link with which the user left an address. */
const linksByAddress = new Map<string, string>();

/** A view may have to read its data first. */
const MAX_WAIT_MS = 5_000;

/** After Back, the link that led away has the focus again. */
export function restoreFocus(): void {
  let openedAddress: string | null = null;
  document.addEventListener("click", ({ target }) => {
    const link = (target as Element).closest?.("a[href^='#']");
    if (!link) return;
    openedAddress = link.getAttribute("href") ?? "";
    linksByAddress.set(window.location.hash, openedAddress);
  });
  window.addEventListener("popstate", () => {
    const href = linksByAddress.get(window.location.hash);
    linksByAddress.delete(window.location.hash);
    const isOpened = window.location.hash === openedAddress;
    openedAddress = null;
    if (href === undefined || isOpened) return;
    const observer = new MutationObserver(focus);
    const timer = setTimeout(stop, MAX_WAIT_MS);
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener("pointerdown", stop);
    document.addEventListener("keydown", stop);

    function focus(): void {
      const link = document.querySelector<HTMLElement>(`main a[href="${CSS.escape(href ?? "")}"]`);
      if (!link) return;
      link.focus();
      stop();
    }

    function stop(): void {
      clearTimeout(timer);
      observer.disconnect();
      document.removeEventListener("pointerdown", stop);
      document.removeEventListener("keydown", stop);
    }
  });
}
