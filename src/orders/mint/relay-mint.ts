import { OperationRefused } from '../../transactions/operation.ts';
import type { Operation } from '../../transactions/operation.ts';
import { blockedOrders } from '../../relay/forward-requests.store.ts';
import { buildRelayCall, endRelays, reasonOfNoEffect, wakeSuccessors } from '../../relay/relay.ts';
import { mint } from './mint.ts';
import type { Minted } from './mint.ts';
import { mintedToken } from './mint-call.ts';
import { claimRelayedOrders } from './relayed-orders.store.ts';
import type { RelayedMint } from './relayed-orders.store.ts';
import { explainExistingToken } from './token-exists.ts';

/**
 * A mint that the contract's owner signed and the account's wallet pays for. It ends as every mint does; requests of one
 * signer are carried out in the order of their nonces.
 */
export const relayMint: Operation<RelayedMint, Minted> = {
  kind: 'relay-mint',

  waiting: ({ db }, orderIds) => blockedOrders(db, orderIds),

  claim: ({ db, clock }, orderIds) => claimRelayedOrders(db, orderIds, new Date(clock.now())),

  async buildCall(services, claim) {
    try {
      return await buildRelayCall(services, claim);
    } catch (error) {
      if (!(error instanceof OperationRefused)) throw error;
      throw new OperationRefused(await explainExistingToken(services, claim, error.message));
    }
  },

  async interpret(services, claim, receipt) {
    const tokenId = mintedToken(claim.order, receipt.logs);
    if (tokenId !== undefined) return { tokenId };
    return { failure: await explainExistingToken(services, claim, await reasonOfNoEffect(services, claim, receipt)) };
  },

  markSent: (services, orderIds) => mint.markSent(services, orderIds),

  settle(services, settlementId, outcomes) {
    const { statements, events } = mint.settle(services, settlementId, outcomes);
    return { statements: [...statements, endRelays(services.db, settlementId, outcomes)], events };
  },

  async settled(services, outcomes) {
    const orderIds = outcomes.map(({ claim }) => claim.orderId);
    await Promise.all([wakeSuccessors(services, orderIds), mint.settled?.(services, outcomes)]);
  },
};
