import { defineOrder } from '../../engine/define-order.ts';
import type { Log } from 'viem';
import { OrderRefused } from '../../engine/order-kind.ts';
import { checkRelay, relayCall, relayGasCeiling, explainRelay, failureOfRelay } from '../../relay/relay-call.ts';
import { findForeignExecution } from '../../relay/foreign-execution.ts';
import { endForwardRequests, reopenForwardRequests, signerDependency } from '../../relay/forward-requests.store.ts';
import type { Statement } from '../../platform/database/client.ts';
import { mintedToken } from './mint-call.ts';
import {
  metadataLinking,
  mintColumns,
  mintingOrderTable,
  mintParties,
  shownAsMint,
  type Linking,
  type Minted,
  type OrderReply,
} from './mint-kind.ts';
import { KIND_OF_MODE } from './minting-orders.store.ts';
import { relayedMintRows, type RelayedMint } from './relayed-orders.store.ts';
import { explainExistingToken } from './token-exists.ts';

const NAME = KIND_OF_MODE.relay;
const linking = metadataLinking(NAME);

/** A mint that the contract's owner signed and the account's wallet pays for. */
export const relayMintKind = defineOrder<RelayedMint, Minted, OrderReply, Linking & { readonly requests: Statement }>({
  name: NAME,
  queue: 'mint',
  orders: mintingOrderTable,
  columns: mintColumns,
  ...shownAsMint,
  parties: mintParties,
  dependency: signerDependency,

  gasCeiling: (order, settings) => relayGasCeiling(order, settings.RELAY_GAS_CEILING),

  reading: relayedMintRows,

  call: ({ order }) => relayCall(order),

  async check(context, claim, wasSigned) {
    try {
      await checkRelay(context, claim, wasSigned);
    } catch (error) {
      if (!(error instanceof OrderRefused)) throw error;
      throw new OrderRefused(await explainExistingToken(context.reads, claim.order, error.message));
    }
  },

  readReceipt({ order }, receipt) {
    const effect = mintedBy(order, receipt.logs);
    return effect === undefined ? { failure: failureOfRelay(order, receipt) } : { effect };
  },

  async explain({ reads }, { order }, reason, receipt) {
    return await explainExistingToken(reads, order, await explainRelay({ reads }, order, reason, receipt));
  },

  findForeignEffect: (context, claim) => findForeignExecution(context, claim, (logs) => mintedBy(claim.order, logs)),

  locks: linking.locks,
  ended: (db, batchId, outcomes) => ({
    ...linking.ended(db, batchId, outcomes),
    requests: endForwardRequests(db, batchId, NAME, outcomes),
  }),
  reopened: (db, batchId, claims) => ({
    ...linking.reopened(db, batchId, claims),
    requests: reopenForwardRequests(db, batchId, NAME),
  }),
  settled: linking.settled,
});

function mintedBy(order: RelayedMint, logs: readonly Log[]): Minted | undefined {
  const tokenId = mintedToken(order, logs);
  return tokenId === undefined ? undefined : { tokenId };
}
