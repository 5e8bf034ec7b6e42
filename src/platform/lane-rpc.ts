/** The calls of a lane's Durable Object; its class is in `src/engine/lane.ts`. */
export interface LaneRpc extends Rpc.DurableObjectBranded {
  /** Schedules the lane to be driven. Cheap, idempotent and durable: once it has returned, the lane will be driven. */
  wake(): Promise<void>;
}
