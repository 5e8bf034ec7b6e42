import { DurableObject } from 'cloudflare:workers';
import type { NonceKeeperRpc, Reservation } from '../platform/nonce-keeper-rpc.ts';

/** SQLite takes at most 100 bound parameters a statement; lists travel as one JSON parameter instead. */
const listOf = (parameter: string) => `(select value from json_each(${parameter}))`;

/**
 * Gives out the nonces of one wallet on one chain; its name is `<chainId>:<address>`.
 *
 * It stores reservations and nothing else: which nonce is next, and which were returned, both follow from them and
 * from the chain's own count. The lowest nonce that nobody holds is always given first, so a returned nonce is used
 * before a new one, and what a restart finds is all there is to know.
 *
 * It never calls the chain. Each call is one synchronous step of SQLite, so calls cannot interleave, and asking twice
 * gives the same answer: a reply that got lost does no harm.
 */
export class NonceKeeper extends DurableObject implements NonceKeeperRpc {
  readonly #sql: SqlStorage;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.#sql = ctx.storage.sql;
    this.#sql.exec(
      'create table if not exists reservations (operation_id text primary key, nonce integer not null unique)',
    );
  }

  /**
   * Gives each operation its nonce: the one it holds already, or else the lowest that is free.
   * @param operationIds In the order in which they should be mined.
   * @param chainNonce How many transactions of the wallet are mined. What is held below it is history and forgotten: that
   *   nonce can never be used again.
   * @param window How many nonces may be held at once.
   * @returns One entry for each operation that got a nonce; those past the window are absent and ask again later.
   */
  reserve(operationIds: readonly string[], chainNonce: number, window: number): Reservation[] {
    return this.ctx.storage.transactionSync(() => {
      this.#sql.exec('delete from reservations where nonce < ?', chainNonce);
      const held = new Map(this.list().map(({ operationId, nonce }) => [operationId, nonce]));
      const taken = new Set(held.values());
      let next = chainNonce;
      for (const operationId of operationIds) {
        if (held.has(operationId)) continue;
        if (taken.size >= window) break;
        while (taken.has(next)) next += 1;
        this.#sql.exec('insert into reservations (operation_id, nonce) values (?, ?)', operationId, next);
        held.set(operationId, next);
        taken.add(next);
      }
      return operationIds.flatMap((operationId) => {
        const nonce = held.get(operationId);
        return nonce === undefined ? [] : [{ operationId, nonce }];
      });
    });
  }

  /**
   * Takes back nonces whose operation never signed anything with them. A pair that is not held as given is left alone:
   * the nonce has another holder by now, or none.
   */
  release(reservations: readonly Reservation[]): void {
    this.ctx.storage.transactionSync(() => {
      for (const { operationId, nonce } of reservations) {
        this.#sql.exec('delete from reservations where operation_id = ? and nonce = ?', operationId, nonce);
      }
    });
  }

  /**
   * Makes these pairs the truth, whoever held the nonces or belonged to the operations before. For the engine, when the
   * database's unique index shows that this object's storage is behind the transactions that are signed.
   */
  adopt(reservations: readonly Reservation[]): void {
    this.ctx.storage.transactionSync(() => {
      this.#sql.exec(
        `delete from reservations where nonce in ${listOf('?1')} or operation_id in ${listOf('?2')}`,
        JSON.stringify(reservations.map(({ nonce }) => nonce)),
        JSON.stringify(reservations.map(({ operationId }) => operationId)),
      );
      for (const { operationId, nonce } of reservations) {
        this.#sql.exec('insert into reservations (operation_id, nonce) values (?, ?)', operationId, nonce);
      }
    });
  }

  /** All that is held, lowest nonce first. */
  list(): Reservation[] {
    return this.#sql
      .exec<{ operation_id: string; nonce: number }>('select operation_id, nonce from reservations order by nonce')
      .toArray()
      .map((row) => ({ operationId: row.operation_id, nonce: row.nonce }));
  }
}
