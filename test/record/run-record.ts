import { randomUUID } from 'node:crypto';
import { appendFileSync, openSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What a test run leaves behind, as files of one directory: the secrets that were in use, and everything in which none
 * may be. The processes of the run share it; it is searched once all of them have stopped what they started.
 */

/** A secret, and what it is. */
export interface RecordedSecret {
  readonly what: string;
  readonly secret: string;
}

/** A text in which no secret may be, and where it is from. */
export interface RecordedText {
  readonly place: string;
  readonly text: string;
}

/** The place of what the test run itself prints. */
export const OUTPUT_OF_RUN = 'the output of the test run';

const VARIABLE = 'TEST_RUN_RECORD';
const SECRETS = 'secrets.jsonl';
const REPLIES = 'replies.jsonl';
const ERRORS = 'errors.jsonl';
const EXPECTED = 'expected.jsonl';

/** Starts a record in a directory, for this process and for those that it starts. */
export function startRecord(directory: string): void {
  process.env[VARIABLE] = directory;
}

/** Ends it: what follows in this process belongs to no run. */
export function endRecord(): void {
  delete process.env[VARIABLE];
}

/** Of the files that this process has appended to. */
const descriptors = new Map<string, number>();

/** Appends a line that several processes may append to at once. Nothing is recorded outside of a test run. */
function append(name: string, line: object): void {
  const directory = process.env[VARIABLE];
  if (directory === undefined) return;
  const file = join(directory, name === SECRETS ? SECRETS : `${process.pid}-${name}`);
  const descriptor = descriptors.get(file) ?? openSync(file, 'a', 0o600);
  descriptors.set(file, descriptor);
  appendFileSync(descriptor, `${JSON.stringify(line)}\n`);
}

export function recordSecret(what: string, secret: string): void {
  append(SECRETS, { what, secret });
}

export function recordReply(place: string, text: string): void {
  append(REPLIES, { place, text });
}

/** The line that a Worker logs of an error. */
export function errorLine(event: string, fields: object = {}): string {
  return JSON.stringify(
    { time: new Date().toISOString(), level: 'error', event, ...fields },
    (_key, value: unknown) => {
      if (typeof value === 'bigint') return String(value);
      return value instanceof Error ? value.stack : value;
    },
  );
}

/** Records an error that a Worker has logged, or an exception that it has not caught. */
export function recordError(text: string): void {
  if (eventOf(text) !== undefined) append(ERRORS, { text });
}

/** Records that a test expects an error, by its text, or by the name of its event for the whole run. */
export function recordExpectedError(text: string): void {
  append(EXPECTED, { text });
}

/** What the runtime says of lost connections and of names without an address, also where the Worker handles them. */
const OF_NETWORK = /stack = Error: (?:internal error|Network connection lost)/;

/** The event of a line of a Worker's log: `uncaught` for an exception that it has not caught; undefined if it is no error. */
export function eventOf(text: string): string | undefined {
  if (text.startsWith('uncaught exception; source = ') && !OF_NETWORK.test(text)) return 'uncaught';
  return /^\{"time":"[^"]+","level":"error","event":"([^"]+)"/.exec(text)?.[1];
}

/** Of each file of errors: how long it was when it was read, and what was in it. Each test reads all of them. */
const knownErrors = new Map<string, { readonly size: number; readonly texts: readonly string[] }>();

/** The errors that any process of the run has recorded so far, in no order. */
export function recordedErrors(): string[] {
  const directory = process.env[VARIABLE];
  if (directory === undefined) return [];
  return filesIn(directory, ERRORS).flatMap((file) => {
    const { size } = statSync(file);
    const known = knownErrors.get(file);
    if (known?.size === size) return known.texts;
    const texts = textsOf(file);
    knownErrors.set(file, { size, texts });
    return texts;
  });
}

export function recordLog(place: string, text: string): void {
  const directory = process.env[VARIABLE];
  if (directory === undefined || text === '') return;
  writeFileSync(join(directory, `${randomUUID()}.log`), `${place}\n${text}`, { mode: 0o600 });
}

const linesOf = (file: string) => readFileSync(file, 'utf8').split('\n').filter(Boolean);

const filesIn = (directory: string, name: string) =>
  readdirSync(directory)
    .filter((file) => file.endsWith(name))
    .map((file) => join(directory, file));

const textsOf = (file: string) => linesOf(file).map((line) => (JSON.parse(line) as { text: string }).text);

const textsIn = (directory: string, name: string) => filesIn(directory, name).flatMap(textsOf);

export function readRecord(directory: string): {
  secrets: RecordedSecret[];
  logs: RecordedText[];
  replies: RecordedText[];
  /** That no test expects. */
  errors: string[];
} {
  const files = readdirSync(directory).map((name) => join(directory, name));
  const secrets = files.filter((file) => file.endsWith(SECRETS)).flatMap(linesOf);
  const replies = files.filter((file) => file.endsWith(REPLIES)).flatMap(linesOf);
  const expected = new Set(textsIn(directory, EXPECTED));
  const logs = files.filter((file) => file.endsWith('.log')).map((file) => readFileSync(file, 'utf8'));
  return {
    secrets: secrets.map((line) => JSON.parse(line) as RecordedSecret),
    replies: replies.map((line) => JSON.parse(line) as RecordedText),
    errors: textsIn(directory, ERRORS).filter((text) => !expected.has(text) && !expected.has(eventOf(text) ?? '')),
    logs: logs.map((log) => ({ place: log.slice(0, log.indexOf('\n')), text: log.slice(log.indexOf('\n') + 1) })),
  };
}
