import { AGENT_SERVERS } from "./conforming/agent.ts";
import { EXPORT_SERVERS } from "./conforming/exports.ts";
import { FILE_SERVERS } from "./conforming/files.ts";
import { REPLY_SERVERS } from "./conforming/replies.ts";
import { REQUEST_SERVERS } from "./conforming/requests.ts";
import { ALTERNATIVE_SERVERS, OTHER_CHOICES, RULED_OUT_VALUES } from "./derived/assumptions.ts";
import { MEMBER_SERVERS } from "./derived/conforming.ts";
import { FILE_MISTAKES } from "./derived/files.ts";
import { LIMIT_MISTAKES, RATE_MISTAKES } from "./derived/numbers.ts";
import { REPLY_MISTAKES } from "./derived/replies.ts";
import { REQUEST_MISTAKES } from "./derived/requests.ts";
import { STATUS_MISTAKES } from "./derived/statuses.ts";
import { RATE_TABLE_MISTAKES, TABLE_MISTAKES } from "./derived/tables.ts";
import { EXPORT_EDITS } from "./edits/exports.ts";
import { OTHER_EDITS } from "./edits/others.ts";
import type { Row } from "./row.ts";
import { AGENT_MISTAKES } from "./rows/agent.ts";
import { CALLER_MISTAKES } from "./rows/callers.ts";
import { EXPORT_REQUEST_MISTAKES } from "./rows/export-requests.ts";
import { EXTENSION_MISTAKES } from "./rows/extensions.ts";
import { LIFECYCLE_MISTAKES } from "./rows/lifecycle.ts";
import { SETTING_MISTAKES } from "./rows/settings.ts";
import { STORAGE_MISTAKES } from "./rows/storage.ts";
import { WEBHOOK_MISTAKES } from "./rows/webhooks.ts";

const choicesOf = (name: RegExp) => ALTERNATIVE_SERVERS.filter(({ does }) => name.test(does));

/** Every row, in parts that take about the same time: each has a test file. */
export const ROWS = {
  agent: [...AGENT_MISTAKES, ...CALLER_MISTAKES, ...EXTENSION_MISTAKES, ...STATUS_MISTAKES],
  assumptions: [...RULED_OUT_VALUES, ...OTHER_CHOICES],
  "conforming-agent": AGENT_SERVERS,
  "conforming-exports": [...EXPORT_SERVERS, ...FILE_SERVERS],
  "conforming-replies": [...REPLY_SERVERS, ...MEMBER_SERVERS, ...REQUEST_SERVERS],
  "conforming-agent-choices": choicesOf(/^agent/),
  "conforming-choices": choicesOf(/^(?!agent|export|platform)/),
  "conforming-export-choices": choicesOf(/^export/),
  "conforming-platform-choices": choicesOf(/^platform/),
  edits: [...EXPORT_EDITS, ...OTHER_EDITS],
  exports: [...EXPORT_REQUEST_MISTAKES, ...LIFECYCLE_MISTAKES, ...REQUEST_MISTAKES],
  files: [...STORAGE_MISTAKES, ...FILE_MISTAKES],
  numbers: [...LIMIT_MISTAKES, ...RATE_MISTAKES, ...SETTING_MISTAKES, ...WEBHOOK_MISTAKES],
  rates: RATE_TABLE_MISTAKES,
  replies: REPLY_MISTAKES,
  tables: TABLE_MISTAKES,
} satisfies Readonly<Record<string, readonly Row[]>>;
