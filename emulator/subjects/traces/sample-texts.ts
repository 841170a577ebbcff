/** Texts of the sample runs, in several scripts. */

/** The texts of one sample conversation. */
export interface Topic {
  readonly question: string;
  readonly answer: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly result: Readonly<Record<string, unknown>>;
  readonly passages: readonly string[];
}

/** In several scripts and with special characters, to exercise encodings. */
export const TOPICS: readonly [Topic, ...Topic[]] = [
  {
    question: "My parcel 4471 was due on Tuesday and has not arrived. Where is it?",
    answer: "Parcel 4471 is at the depot in Leeds and goes out again tomorrow before noon.",
    tool: "track_parcel",
    arguments: { parcel: "4471", carrier: "northline" },
    result: { status: "held_at_depot", depot: "Leeds", attempts: 1, next_attempt: "2026-01-15T12:00:00Z" },
    passages: [
      "A parcel that could not be handed over goes back to the depot and out once more the next day.",
      "After the third attempt a parcel is returned to its sender.",
    ],
  },
  {
    question: "Can I get my money back for the kettle? It is 43 days old and it leaks 😠",
    answer:
      "Yes: a fault in the first two years is covered. The return is open, the refund takes five days 🙂",
    tool: "open_return",
    arguments: { order: "K-20931", reason: "faulty", refund: true },
    result: { return_id: "RT-881", label: "https://returns.example/RT-881?size=a6&lang=en", amount: 34.9 },
    passages: [
      "Faulty goods may be returned for two years; a change of mind, for thirty days.",
      "Refunds go back to the card that was used, within five working days.",
    ],
  },
  {
    question: "請問明天下午從臺北到高雄的列車還有座位嗎？",
    answer: "有的，14:30 的班次還有 12 個座位，票價 1,490 元。",
    tool: "search_trains",
    arguments: { from: "臺北", to: "高雄", after: "14:00" },
    result: { trains: [{ number: "0651", departs: "14:30", seats: 12, price: 1490 }] },
    passages: ["座位數每分鐘更新一次。", "車票可於發車前三十分鐘改簽。"],
  },
  {
    question: "كم رصيد حسابي الآن، ومتى آخر دفعة؟",
    answer: "رصيدك ١٬٢٤٠ ريالًا، وآخر دفعة كانت يوم الأحد.",
    tool: "account_balance",
    arguments: { account: "SA-3391", currency: "SAR" },
    result: { balance: "1240.00", last_payment: { amount: "310.50", day: "الأحد" } },
    passages: ["يُحدَّث الرصيد كل ساعة.", "تظهر الدفعات خلال يوم عمل واحد."],
  },
  {
    question:
      "Why does this scan the whole table?\n\n```sql\nSELECT * FROM runs WHERE lower(name) = 'agent';\n```",
    answer: "The index is on name; lower(name) is another expression. Index that, or compare name as it is.",
    tool: "explain_query",
    arguments: { sql: "SELECT * FROM runs WHERE lower(name) = 'agent'", analyze: false },
    result: {
      plan: "Seq Scan on runs  (cost=0.00..18334.00 rows=5000 width=244)",
      indexes: ["runs_name_idx"],
    },
    passages: [
      "An index is used only when the expression in the condition is the expression in the index.",
      "EXPLAIN shows the plan without running the statement; EXPLAIN ANALYZE runs it.",
    ],
  },
  {
    question: "Quel temps fera-t-il à Besançon ce week-end ? J'hésite à réserver la cabane…",
    answer: "Samedi sera couvert, avec 4 °C ; dimanche s'annonce ensoleillé, jusqu'à 9 °C.",
    tool: "weather_forecast",
    arguments: { place: "Besançon", days: 2, unit: "°C" },
    result: {
      days: [
        { sky: "couvert", max: 4.2 },
        { sky: "ensoleillé", max: 9.1 },
      ],
      source: null,
    },
    passages: ["Les prévisions au-delà de trois jours sont indicatives.", "La cabane est chauffée au bois."],
  },
  {
    question: "Summarise the minutes and list who has to do what.",
    answer: "Ana moves the billing job to the new queue; Piet checks the numbers; 由紀 writes it up.",
    tool: "load_document",
    arguments: { path: "minutes/2026-01-12.md", revision: "HEAD~2" },
    result: {
      title: "Weekly",
      words: 812,
      text: "Present: Ana, Piet, 由紀. (1) Billing job … (2) Numbers …",
    },
    passages: [
      "Minutes are kept for two years.",
      "An action has an owner and a day, or it is not an action.",
    ],
  },
];

/** Values of `error` of failed sample runs. */
export const FAILURES: readonly [string, ...string[]] = [
  'RateLimitError("429: too many requests, retry in 12s")',
  "TimeoutError: no answer within 30000 ms\n    at callModel (agent.ts:88:11)\n    at run (agent.ts:41:5)",
  'ToolError("connection refused: http://inventory.internal:8080/v2/items?q=%22kettle%22")',
  "ValidationError: 2 problems\n  parcel: must be a string\n  carrier: is required",
  "KeyError: 'depot'",
];

/** Invented models, so that their prices cannot become outdated. */
export const MODELS: readonly [Model, ...Model[]] = [
  { name: "aster-mini", promptPicos: 150_000, completionPicos: 600_000 },
  { name: "aster-large", promptPicos: 2_500_000, completionPicos: 10_000_000 },
  { name: "boreal-2", promptPicos: 800_000, completionPicos: 3_200_000 },
];

/** A model of the sample runs and what it costs. */
export interface Model {
  readonly name: string;
  /** Prices per token, in units of 10^-12. */
  readonly promptPicos: number;
  readonly completionPicos: number;
}

/** With spaces, a slash, a colon and non-ASCII characters. */
export const TAGS: readonly [string, ...string[]] = [
  "production",
  "staging",
  "support",
  "nightly",
  "a/b: variant B",
  "équipe-données",
  "beta 🚀",
];
