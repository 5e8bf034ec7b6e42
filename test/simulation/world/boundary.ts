import type { Fate, Faults, Service } from './faults.ts';
import type { Scheduler } from './scheduler.ts';
import type { Trace } from './trace.ts';

/** A process or another caller. Once dead it receives nothing and does nothing. */
export interface Caller {
  readonly name: string;
  readonly isAlive: boolean;
  /** Until when it is suspended, like a process that is not scheduled: incoming messages and its own timers wait. */
  readonly pausedUntil: number;
  /** Kills it between two steps. */
  die(): void;
}

/** How long the system keeps a silent connection. */
const SILENCE_MS = 300_000;

interface Crossing<Result> {
  readonly from: Caller;
  readonly service: Service;
  /** Describes the call in the trace. */
  readonly label: string;
  readonly effect: () => Result | Promise<Result>;
  /** How long the effect takes, in milliseconds, while other things happen; undefined: no time. */
  readonly lastsMs?: number | undefined;
  /** The error of a broken connection. */
  readonly broken: () => Error;
  /** The responses of an unavailable and of a malfunctioning service. Default: a broken connection. */
  readonly refused?: () => Result;
  readonly nonsense?: () => Result;
  readonly signal?: AbortSignal | undefined;
}

/** The boundary between the product and the world: every call passes here, and the faults decide its fate. */
export class Boundary {
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly trace: Trace;
  /** Called before every call is sent. */
  onCall: (from: Caller, service: Service, label: string) => void = () => {};

  constructor(scheduler: Scheduler, faults: Faults, trace: Trace) {
    this.scheduler = scheduler;
    this.faults = faults;
    this.trace = trace;
  }

  cross<Result>(crossing: Crossing<Result>): Promise<Result> {
    const { scheduler } = this;
    const { from, service, label, signal } = crossing;
    const fate = this.faults.fate(service, scheduler.now());
    this.onCall(from, service, label);
    return new Promise<Result>((resolve, reject) => {
      let isOver = false;
      const deliver = (act: () => void) => {
        if (isOver || !from.isAlive) return;
        if (from.pausedUntil > scheduler.now()) {
          scheduler.at(from.pausedUntil, () => deliver(act));
          return;
        }
        isOver = true;
        act();
      };
      const abort = () => deliver(() => reject(reasonOf(signal)));
      if (signal?.aborted === true) return abort();
      signal?.addEventListener('abort', abort);
      scheduler.after(fate.there, async () => {
        if (isOver && !fate.hasEffect) return;
        const mark = fate.ending === 'answered' ? '' : ` [${fate.ending}${fate.hasEffect ? ', after its effect' : ''}]`;
        this.trace.add(`${from.name} ${service}: ${label}${mark}`);
        const effect = fate.hasEffect ? outcomeOf(crossing.effect) : undefined;
        const end = async () => {
          const reply = replyTo(crossing, fate, await effect);
          if (reply === 'none') {
            scheduler.after(SILENCE_MS, () => deliver(() => reject(crossing.broken())));
          } else {
            scheduler.after(fate.back, () => deliver(() => reply(resolve, reject)));
          }
        };
        if (crossing.lastsMs === undefined) await end();
        else scheduler.after(crossing.lastsMs, end);
      });
      return undefined;
    });
  }
}

type Outcome<Result> = { readonly result: Result } | { readonly error: unknown };
type Reply<Result> = (resolve: (result: Result) => void, reject: (error: unknown) => void) => void;

async function outcomeOf<Result>(effect: Crossing<Result>['effect']): Promise<Outcome<Result>> {
  try {
    return { result: await effect() };
  } catch (error) {
    return { error };
  }
}

function replyTo<Result>(
  { broken, refused, nonsense, from }: Crossing<Result>,
  { ending }: Fate,
  outcome: Outcome<Result> | undefined,
): Reply<Result> | 'none' {
  const isBroken: Reply<Result> = (_, reject) => reject(broken());
  switch (ending) {
    case 'answered':
      if (outcome === undefined) return isBroken;
      return 'error' in outcome ? (_, reject) => reject(outcome.error) : (resolve) => resolve(outcome.result);
    case 'broken':
      return isBroken;
    case 'silent':
      return 'none';
    case 'refused':
      return refused === undefined ? isBroken : (resolve) => resolve(refused());
    case 'nonsense':
      return nonsense === undefined ? isBroken : (resolve) => resolve(nonsense());
    case 'killed':
      break;
  }
  return () => from.die();
}

function reasonOf(signal: AbortSignal | undefined): unknown {
  return signal?.reason ?? new DOMException('The operation was aborted', 'AbortError');
}
