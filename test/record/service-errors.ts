import { eventOf, recordExpectedError, recordedErrors } from './run-record.ts';

/**
 * The errors that the service logs about what one test file has asked it for. One that the file does not expect fails
 * the test that is running; one about nobody's requests fails the run.
 */

/** Ids of the file's requests and accounts, and addresses of its wallets, each as in JSON. */
let own = new Set<string>();
let expected = new Map<string, number>();
let seen = new Set<string>();

/** Begins with a file. */
export function startFile(): void {
  own = new Set();
  expected = new Map();
  seen = new Set(recordedErrors());
}

/** What errors about the file have in them. */
export function ownErrorsWith(...ids: readonly string[]): void {
  for (const id of ids) own.add(JSON.stringify(id));
}

/** Lets the service log these errors about what the file asks for; each must occur. @param events Their names. */
export function expectErrors(...events: readonly string[]): void {
  for (const event of events) {
    expected.set(event, expected.get(event) ?? 0);
    // Also those that come when the file has ended.
    recordExpectedError(event);
  }
}

/** Lets the service log these errors, which come or not as a fault hits. @param events Their names. */
export function allowErrors(...events: readonly string[]): void {
  expectErrors(...events);
  for (const event of events) expected.set(event, 1);
}

/** @returns the file's errors since the last call that it does not expect. */
export function unexpectedErrors(): string[] {
  const unexpected: string[] = [];
  for (const text of recordedErrors()) {
    const event = eventOf(text) ?? text;
    const count = expected.get(event);
    if (seen.has(text) || !(isOwn(text) || (count !== undefined && isNobodys(text)))) continue;
    seen.add(text);
    if (count === undefined) unexpected.push(text);
    else expected.set(event, count + 1);
    recordExpectedError(text);
  }
  return unexpected;
}

/** A whole value of it must be own: a request may have an id such as "7", which is a part of many texts. */
const isOwn = (text: string) => [...text.matchAll(/"(?:[^"\\]|\\.)*"/g)].some(([value]) => own.has(value));
/** Such as that the database does not answer. */
const isNobodys = (text: string) => !/"(?:requestId|accountId|walletAddress)":/.test(text);

/** @returns the events that were expected and did not occur. */
export function missingErrors(): string[] {
  return [...expected].filter(([, count]) => count === 0).map(([event]) => event);
}
