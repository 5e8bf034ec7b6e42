import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import type { Loose, Operation } from './api-document.ts';
import { type BuiltRequest, type Tenants, buildRequest } from './build-request.ts';
import { type ReplyChecker, isPastValidation } from './check-reply.ts';
import { parsedBytes } from './parsed-bytes.ts';
import { type RequestCase, requestCase } from './request-case.ts';
import { NoReply, type WireReply, asCurl, send } from './send.ts';

export interface FuzzOptions {
  readonly seed: string;
  /** How many to send, over all operations. */
  readonly requests: number;
  /** The one failing case to repeat: a path of fast-check. */
  readonly path?: string | undefined;
  /** Prints requests that are as the document allows and were refused all the same. */
  readonly verbose: boolean;
  /** Called once, when this share of the requests has been sent. */
  readonly afterShare: readonly [number, () => void];
}

export interface FuzzResult {
  readonly requests: number;
  readonly pastValidation: number;
  /** How many replies there were, by operation and status. */
  readonly replies: ReadonlyMap<string, number>;
  /** One text for each operation that failed, with the command that repeats it. */
  readonly failures: readonly string[];
}

/** Requests in flight at once. */
const IN_FLIGHT = 16;
/** How many requests are sent to find a smaller one that fails too. */
const SHRINK_REQUESTS = 100;

/** Sends generated requests to every operation, all operations at once. */
export async function fuzzOperations(
  baseUrl: string,
  api: {
    readonly document: Loose;
    readonly schemas: Readonly<Record<string, Loose>>;
    readonly operations: readonly Operation[];
  },
  tenants: Tenants,
  checker: ReplyChecker,
  options: FuzzOptions,
): Promise<FuzzResult> {
  const run = new Run(baseUrl, tenants, checker, options);
  const total = api.operations.reduce((sum, operation) => sum + weightOf(operation), 0);
  const failures = await Promise.all(
    api.operations.map((operation) =>
      run.check(
        operation,
        requestCase(api.document, operation, api.schemas),
        Math.ceil((options.requests * weightOf(operation)) / total),
      ),
    ),
  );
  const { requests, pastValidation, replies } = run;
  return { requests, pastValidation, replies, failures: failures.filter((failure) => failure !== undefined) };
}

/** Operations with bodies have more to get wrong. */
function weightOf({ id, body }: Operation): number {
  if (id === 'createMetadata' || id === 'readContract') return 5;
  return body === undefined ? 1 : 2;
}

class Run {
  readonly replies = new Map<string, number>();
  requests = 0;
  pastValidation = 0;
  readonly #baseUrl: string;
  readonly #tenants: Tenants;
  readonly #checker: ReplyChecker;
  readonly #options: FuzzOptions;
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;

  constructor(baseUrl: string, tenants: Tenants, checker: ReplyChecker, options: FuzzOptions) {
    this.#baseUrl = baseUrl;
    this.#tenants = tenants;
    this.#checker = checker;
    this.#options = options;
  }

  /** Sends the requests of one operation. @returns what failed. */
  async check(operation: Operation, cases: fc.Arbitrary<RequestCase>, count: number): Promise<string | undefined> {
    const { seed, path } = this.#options;
    let failure = '';
    let attempts = 0;
    const property = fc.asyncProperty(cases, async (given) => {
      if (failure !== '') attempts += 1;
      if (attempts > SHRINK_REQUESTS) return;
      const { request, faults } = await this.#exchange(operation, given);
      if (faults.length === 0) return;
      failure = `${faults.join('\n  ')}\n  ${asCurl(this.#baseUrl, request)}`;
      throw new Error(faults.join('; '));
    });
    const details = await fc.check(property, {
      // Of its own for each operation, so that one can be repeated without the others.
      seed: createHash('sha256').update(`${seed} ${operation.id}`).digest().readInt32LE(0),
      numRuns: count,
      ...(path === undefined ? {} : { path }),
    });
    if (!details.failed) return undefined;
    const again = `npm run fuzz -- --seed ${seed} --operation ${operation.id} --path ${details.counterexamplePath}`;
    const text = `${operation.id}: ${failure === '' ? String(details.errorInstance) : failure}\n  Again: ${again}`;
    console.log(text);
    return text;
  }

  /** Sends one request when there is room for it. @returns what is wrong with the reply. */
  async #exchange(operation: Operation, given: RequestCase): Promise<{ request: BuiltRequest; faults: string[] }> {
    while (this.#inFlight >= IN_FLIGHT) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#inFlight += 1;
    try {
      const request = buildRequest(operation, given, this.#tenants);
      const reply = await replyOrNone(send(this.#baseUrl, request));
      if (reply instanceof NoReply) return { request, faults: [String(reply)] };
      this.#count(operation, request, reply);
      const faults = this.#checker.faultsOf(request, reply);
      return { request, faults: faults.map((fault) => `${fault} (${reply.status} ${reply.text.slice(0, 500)})`) };
    } finally {
      this.#inFlight -= 1;
      this.#waiting.shift()?.();
    }
  }

  #count(operation: Operation, request: BuiltRequest, reply: WireReply): void {
    const { requests, afterShare, verbose } = this.#options;
    this.requests += 1;
    if (this.requests === Math.ceil(requests * afterShare[0])) afterShare[1]();
    const isPast = isPastValidation(reply);
    if (isPast) this.pastValidation += 1;
    const label = `${operation.id} ${reply.status}`;
    this.replies.set(label, (this.replies.get(label) ?? 0) + 1);
    if (verbose && request.isFromSchema && !isPast) {
      console.log(`${label} ${reply.text.slice(0, 300)} ${asCurl('', request).slice(0, 600)}`);
    }
    if (reply.status === 204) request.tenant.forget(operation.path, String(request.parameters.get('id')));
    if (reply.status < 300 && reply.text.startsWith('{')) {
      request.tenant.learn(operation.path, parsedBytes(request.body), JSON.parse(reply.text));
    }
  }
}

async function replyOrNone(reply: Promise<WireReply>): Promise<WireReply | NoReply> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof NoReply) return error;
    throw error;
  }
}
