import type { EpochMs } from '../core/epoch-ms.ts';
/** The regions in which the platform can be asked to create a Durable Object. */
export const LANE_LOCATIONS = [
  'wnam',
  'enam',
  'sam',
  'weur',
  'eeur',
  'apac',
  'apac-ne',
  'apac-se',
  'oc',
  'afr',
  'me',
] as const satisfies readonly DurableObjectLocationHint[];

/** The drivers of lanes, by `laneName`. */
export type Lanes = Pick<DurableObjectNamespace<LaneRpc>, 'getByName'>;

/**
 * The lanes of a namespace. Each is created in the given region: a driver queries the database far more often than it
 * is woken, and without a region the platform creates it near whoever wakes it first. An object stays where it was
 * created, so its name has the region too: with another one a lane has another object.
 */
export function lanesIn(
  namespace: DurableObjectNamespace<LaneRpc>,
  locationHint: DurableObjectLocationHint | undefined,
): Lanes {
  if (locationHint === undefined) return { getByName: (name) => namespace.getByName(name) };
  return { getByName: (name) => namespace.getByName(`${name}:${locationHint}`, { locationHint }) };
}

/** The calls of a lane's Durable Object; its class is in `src/engine/lane.ts`. */
export interface LaneRpc extends Rpc.DurableObjectBranded {
  /** Schedules the lane to be driven. Cheap, idempotent and durable: once it has returned, the lane will be driven. */
  wake(): Promise<void>;
  /** When the lane's first attempts were last stored; null if its object knows of none. */
  signedAt(): Promise<EpochMs | null>;
}
