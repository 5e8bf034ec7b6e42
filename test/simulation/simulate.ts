import { addCustomer, addReceivers } from './customer.ts';
import { Customers } from './customers.ts';
import { CHEAP_MS, Disturbances } from './disturbances.ts';
import { StepInvariants, checkEnd } from './invariants.ts';
import { SetBack } from './set-back.ts';
import { Violation, violationOf } from './violation.ts';
import type { Caller } from './world/boundary.ts';
import type { Service } from './world/faults.ts';
import type { Bundle } from './world/bundle.ts';
import type { Database } from './world/database.ts';
import { World } from './world/world.ts';

/** The result of a seed. */
interface SimulationResult {
  readonly seed: string;
  /** Undefined if every invariant held. */
  readonly violation: Violation | undefined;
  /** Hash of the trace; the same for the same seed and code. */
  readonly hash: string;
  readonly trace: readonly string[];
  readonly orders: number;
  /** How many transactions have waited for each other, so that the server has ended one of them. */
  readonly deadlocks: number;
}

interface SimulationOptions {
  readonly seed: string;
  readonly bundle: Bundle;
  readonly database: Database;
  readonly isCalm?: boolean;
  /** The operator's command that compares the database with the chain. Given: the world is rich. */
  readonly comparison?: Bundle | undefined;
}

const MINUTE_MS = 60_000;
const CLEANUP_MS = 10 * MINUTE_MS;
/**
 * The most time between two cleanups while nothing changes in a day of waiting, when each would find what the last one
 * has found.
 */
const QUIET_CLEANUP_MS = 120 * MINUTE_MS;
/** By this time after the last fault, everything started before has ended, and each lane has one driver. */
const SINGLE_DRIVER_MS = 10 * MINUTE_MS;
/** How long all work may take to finish after the last fault. */
const CALM_MS = 40 * 60 * MINUTE_MS;
/** How many orders precede the end of the faults by how long, and follow it, where finality is late. */
const LAST_ORDERS = 6;
const LAST_MS = 30_000;
/** More steps than any seed needs that makes progress. */
const MAX_STEPS = 150_000;

/** Runs one seed: a phase with faults, then a phase without, until all work has finished. */
export async function simulate({
  seed,
  bundle,
  database,
  isCalm = false,
  comparison,
}: SimulationOptions): Promise<SimulationResult> {
  let invariants: StepInvariants | undefined;
  let disturbances: Disturbances | undefined;
  let setBack: SetBack | undefined;
  let violationInCall: Violation | undefined;
  const recordViolation = (check: () => void) => {
    try {
      check();
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      violationInCall ??= error;
    }
  };
  const onSend = (raw: unknown) => {
    recordViolation(() => invariants?.checkSent(raw));
    disturbances?.observeSend(raw);
  };
  const onCall = (from: Caller, service: Service, label: string) => {
    recordViolation(() => invariants?.checkPace(from.name, service, label));
    disturbances?.observeCall(service, label);
    setBack?.observeCall(service, label);
  };
  const world = new World({ seed, bundle, database, isCalm, comparison, onSend, onCall });
  world.trace.add(`themes: ${world.faults.themes.join(', ')}`);
  if (world.conditions.size > 0) world.trace.add(`conditions: ${[...world.conditions].join(', ')}`);
  const { random } = world;
  const others = Array.from({ length: random.whole(0, 1) }, (_, index) => addCustomer(world, index + 1));
  const customers = [addCustomer(world, 0), ...others] as const;
  const paused = new Set<string>();
  const withdrawn = new Set<string>();
  invariants = new StepInvariants(world, customers, { paused, withdrawn });
  const faulty = new Disturbances(world, customers, paused);
  const workload = new Customers(world, customers, addReceivers(world), withdrawn, (found) => {
    violationInCall ??= found;
  });
  setBack = new SetBack(world, [paused, withdrawn, workload.approved], (nonces) => faulty.useUp(nonces));
  const { isImpatient } = world.faults;
  const busyMs = random.span(10_000, (isImpatient ? 2 : 15) * MINUTE_MS);
  workload.begin(Math.round(random.span(isImpatient ? 15 : 3, 30)), busyMs);
  if (!isCalm) {
    disturbances = faulty;
    faulty.begin();
    if (world.conditions.has('set back')) setBack?.begin(busyMs);
  }
  const firstCleanUpMs = random.fraction() * CLEANUP_MS;
  const healAt = world.scheduler.now() + busyMs + random.span(1_000, 30 * MINUTE_MS);
  world.scheduler.at(healAt, () => {
    world.trace.add('the world heals');
    faulty.heal();
    if (isFinalityLate) workload.begin(LAST_ORDERS, LAST_MS / 3);
    void setBack?.release();
  });
  const isFinalityLate = world.conditions.has('late finality');
  if (isFinalityLate) world.scheduler.at(healAt - LAST_MS, () => workload.begin(LAST_ORDERS, LAST_MS / 3));
  let isSingleDriver = false;
  let [cleanUpMs, changesAtCleanUp] = [CLEANUP_MS, -1];
  const cleanUp = () => {
    const isQuiet = isSingleDriver && workload.busy === 0;
    cleanUpMs =
      isQuiet && database.changes === changesAtCleanUp ? Math.min(2 * cleanUpMs, QUIET_CLEANUP_MS) : CLEANUP_MS;
    changesAtCleanUp = database.changes;
    world.cleanUp();
    world.scheduler.after(cleanUpMs, cleanUp);
  };
  world.scheduler.after(firstCleanUpMs, cleanUp);
  const hasLateOrders = random.chance(0.5);
  const expectSingleDriver = () => {
    if (setBack?.isOpen) return void world.scheduler.after(MINUTE_MS, expectSingleDriver);
    isSingleDriver = true;
    invariants.expectNoConflicts();
    workload.stopCancelling();
    if (hasLateOrders) workload.begin(random.whole(2, 8), 5_000);
    return undefined;
  };
  world.scheduler.at(healAt + SINGLE_DRIVER_MS, expectSingleDriver);
  if (world.conditions.has('scarce') && !world.conditions.has('set back')) {
    world.scheduler.at(healAt + CHEAP_MS - 1, () => recordViolation(() => invariants?.checkRaised()));
  }

  // The platform logs unhandled rejections and continues.
  const noteRejection = (error: unknown) => world.trace.add(`unhandled rejection: ${String(error)}`);
  process.on('unhandledRejection', noteRejection);
  let violation: Violation | undefined;
  let checkedChanges = -1;
  try {
    for (let steps = 1; await world.scheduler.step(); steps += 1) {
      if (steps > MAX_STEPS) throw new Violation('work makes progress', `not finished after ${steps} steps`);
      if (violationInCall !== undefined) throw violationInCall;
      if (world.scheduler.isStuck) throw new Violation('every turn ends', 'busy loop');
      invariants.check();
      const now = world.scheduler.now();
      if (isSingleDriver && workload.busy === 0 && database.changes !== checkedChanges) {
        checkedChanges = database.changes;
        if (isAtRest(database)) break;
      }
      if (now > healAt + CALM_MS) break;
    }
    world.chain.advance(world.scheduler.now());
    checkEnd(world, customers, workload, faulty.foreign);
  } catch (error) {
    violation = violationOf(error);
    world.trace.add(`VIOLATION ${violation.message}`);
  } finally {
    process.off('unhandledRejection', noteRejection);
  }
  return {
    seed,
    violation,
    hash: world.trace.hash(),
    trace: world.trace.lines,
    orders: workload.accepted.length,
    deadlocks: database.refusals('40P01'),
  };
}

function isAtRest(database: Database): boolean {
  const [row] = database.query(`select
    exists (select 1 from orders where state in ('waiting', 'signed') or (state = 'confirmed' and not is_final)) or
    exists (select 1 from webhook_deliveries where status in ('PENDING', 'RETRYING')) or
    exists (select 1 from contracts where status = 'DEPLOYING')
    as is_busy`);
  return row?.['is_busy'] === 'f';
}
