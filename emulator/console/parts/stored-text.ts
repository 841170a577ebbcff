import { options, type VNode } from "preact";

/** Characters that change the order of the text around them and are themselves invisible. */
const BIDI_CONTROLS = /\p{Bidi_Control}/gu;

/** How `exact-json.ts` marks a number with all its digits, and a name in the order of its object. */
const EXACT_MARK = /^[\udc00\udc01]/;

/** A word too long for a column. */
const LONG_WORD = /\S{60}/;

/** Elements that keep their lines, or whose class has no effect. */
const UNWRAPPED = new Set(["pre", "option", "textarea", "title", "text"]);

/**
 * Stored text is untrusted: from now on every element shows bidirectional controls as `‹U+202E›`, and wraps long words.
 * A hook of the renderer, so that no view can forget it. Values of fields and addresses stay unchanged.
 */
export function showStoredTextSafely(): void {
  const next = options.vnode;
  options.vnode = (vnode) => {
    makeSafe(vnode as VNode<Record<string, unknown>>);
    next?.(vnode);
  };
}

function makeSafe(vnode: VNode<Record<string, unknown>>): void {
  const { type, props } = vnode;
  // A text node has its text in place of properties.
  if (typeof props === "string") Object.assign(vnode, { props: visible(props) });
  if (typeof type !== "string") return;
  for (const name of ["title", "aria-label"])
    if (typeof props[name] === "string") props[name] = visible(props[name]);
  if (!UNWRAPPED.has(type) && hasLongWord(props.children)) props.class = `${props.class ?? ""} long`.trim();
}

function visible(text: string): string {
  return text
    .replace(EXACT_MARK, "")
    .replace(
      BIDI_CONTROLS,
      (sign) => `‹U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}›`,
    );
}

function hasLongWord(children: unknown): boolean {
  if (Array.isArray(children)) return children.some(hasLongWord);
  return typeof children === "string" && LONG_WORD.test(children);
}
