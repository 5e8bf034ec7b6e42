/** A nonce that an operation holds. */
export interface Reservation {
  readonly operationId: string;
  readonly nonce: number;
}

/** The calls of the Durable Object that gives out nonces; `NonceKeeper` says what each does. */
export interface NonceKeeperRpc extends Rpc.DurableObjectBranded {
  reserve(operationIds: readonly string[], chainNonce: number, window: number): Reservation[];
  release(reservations: readonly Reservation[]): void;
  adopt(reservations: readonly Reservation[]): void;
  list(): Reservation[];
}
