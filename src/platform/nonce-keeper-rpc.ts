/** A nonce reserved for an operation. */
export interface Reservation {
  readonly operationId: string;
  readonly nonce: number;
}

/** The RPC interface of the Durable Object that assigns nonces; see `NonceKeeper`. */
export interface NonceKeeperRpc extends Rpc.DurableObjectBranded {
  reserve(operationIds: readonly string[], chainNonce: number, window: number): Reservation[];
  release(reservations: readonly Reservation[]): void;
  adopt(reservations: readonly Reservation[]): void;
  list(): Reservation[];
}
