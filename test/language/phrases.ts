import type { Kind } from "./source-text.ts";

/** A word or phrase that is not used, and what to write instead. `in` limits it to some kinds of text. */
export interface Phrase {
  readonly pattern: RegExp;
  readonly use: string;
  readonly in?: readonly Kind[];
}

const words = (pattern: RegExp, use: string, kinds?: readonly Kind[]): Phrase => ({
  pattern: new RegExp(pattern.source.replaceAll(" ", "\\s+"), "gi"),
  use,
  ...(kinds && { in: kinds }),
});

export const PHRASES: readonly Phrase[] = [
  // Negated nouns
  words(
    /(?<!\bthere )\b(?:is|are|was|were) no\b(?! longer| more than| (?:later|earlier|larger|smaller|less|older|newer) than)/,
    '"X is not a Y"',
  ),
  words(/(?<!\b(?:if|where|when|while) )\bthere (?:is|are|was|were) none\b/, '"No X exists", "No X matches"'),
  words(/\bnone of it\b/, "nothing"),
  words(/\bknows? no\b/, "does not know, does not accept"),
  // Private terms
  words(/\bliars?\b|\bl(?:ies?|ying)\b/, "mutant or wrong behaviour (of a server); is in (of a file)"),
  words(/\bhonest\b|\bobedient\b|\bhalf-right\b/, "conforming, partially conforming"),
  words(
    /\b(?:every|each|other|another|a|one|per|its|which) readings?\b|\breadings\b/,
    "variation, assumption value",
  ),
  words(/\bstretch(?:es)?\b/, "segment"),
  words(
    /\b(?:world|snapshot|row)(?:'s)? heads?\b|\bheads? of (?:a|the|its|each) (?:world|snapshot|row)/,
    "manifest; row header",
  ),
  words(/\bpieces?\b/, "chunk, part"),
  words(/\btickets?\b/, "pending reply"),
  words(/\bstrikes?\b|\bstruck\b|\bnever hit\b/, "triggers, triggered"),
  words(/(?<!\bin )\b(?:the|no|a|its|their|whose) past\b(?! \w+s\b)/, "history"),
  words(/\bunshown\b|\bfor people\b/, "exported copy, object mirror; for users"),
  words(/\bjudg(?:es?|ed|ing|e?ments?)\b/, "check, checker, result"),
  words(/\bleft behind\b|\bleaves behind\b/, "orphaned; what a run leaves in place"),
  // Idioms that a second-language reader has to guess
  words(/\bhad again\b|\b(?:is|are|was|were|be) had\b/, "is restored, is available"),
  words(/\bin sight\b/, "visible, showing"),
  words(/\b(?:goes|went|go) on\b/, "continues, resumes"),
  words(
    /\bas (?:it|they) (?:was|were) written\b|\bas (?:it|they) (?:was|were|came|stands?|stood)\b/,
    "unchanged; the earlier state",
  ),
  words(/\b(?:is|are|was) over\b(?=[,.;:)])/, "has ended, is in the past"),
  words(/\bwill (?:not )?do\b(?=[,.;:)])/, "is valid, is invalid"),
  words(/\b(?:proves?|asks?|says?) nothing\b|\bnothing proves\b/, "nothing was checked"),
  words(/\bbesides?\b/, "next to; also, in addition to"),
  words(/\bodd(?:ly|ities|ity)?\b(?! (?:number|length))/, "malformed, unexpected"),
  words(/\bmore than a little\b/, "the number"),
  words(/\b(?:comes?|came) (?:of|from there on)\b/, "results from"),
  words(/\bmee?ts? with\b/, "finds, receives"),
  words(/\bof what\b/, "name the thing itself"),
  words(/\bany more\b(?! than)/, "no longer"),
  words(/\b(?:told|tells)\b/, "reports, prints; is notified"),
  words(/\bwants\b/, "needs, requires"),
  words(/\bmend(?:s|ed|ing)?\b/, "repair"),
  words(/\btak(?:es?|en) in\b|\btook in\b/, "ingests, receives"),
  words(
    /\b(?:anew|thereof|whereof|therewith|wherewith|thereby|upon|lest|nought|ere|save for|but for|for want of|that which)\b/,
    "ordinary words: again, from scratch, on, so that … not, except for",
  ),
];

/** Participles that are not names of values: CONTRIBUTING.md, "Language". */
export const PARTICIPLES =
  "answered|asked|claimed|created|denied|drawn|exported|found|given|gone|held|kept|known|listed|loaded|lost|made|met|named|posted|refused|replaced|reported|seen|sent|shown|sought|spawned|started|stored|supplied|taken|told|tried|used|wanted";

/** Where a phrase is right. `path` is a file or a folder; `pattern`, if any, limits it to a phrase. */
export interface Exception {
  readonly path: string;
  readonly text?: RegExp;
  readonly reason: string;
}

export const EXCEPTIONS: readonly Exception[] = [];
