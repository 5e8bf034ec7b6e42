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
 * is woken, and without a region the platform creates it near whoever wakes it first. A lane that exists stays where it
 * is.
 */
export function lanesIn(
  namespace: DurableObjectNamespace<LaneRpc>,
  locationHint: DurableObjectLocationHint | undefined,
): Lanes {
  const options = locationHint === undefined ? {} : { locationHint };
  return { getByName: (name) => namespace.getByName(name, options) };
}

/** The calls of a lane's Durable Object; its class is in `src/engine/lane.ts`. */
export interface LaneRpc extends Rpc.DurableObjectBranded {
  /** Schedules the lane to be driven. Cheap, idempotent and durable: once it has returned, the lane will be driven. */
  wake(): Promise<void>;
}
