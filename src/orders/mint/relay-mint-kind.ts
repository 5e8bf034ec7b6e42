import { defineOrder } from '../define-order.ts';
import type { Log } from 'viem';
import { OrderRefused } from '../../engine/order-kind.ts';
import { checkRelay, relayCall, relayGasCeiling, explainRelay, failureOfRelay } from '../../relay/relay-call.ts';
import { findForeignExecution } from '../../relay/foreign-execution.ts';
import { endForwardRequests, reopenForwardRequests, signerDependency } from '../../relay/forward-requests.store.ts';
import type { Statement } from '../../platform/database/client.ts';
import { mintedToken } from './mint-call.ts';
import { metadataLinking, mintParties, shownAsMint, type Linking, type Minted, type OrderReply } from './mint-kind.ts';
import { relayedMintReading, type RelayedMint } from './relayed-orders.store.ts';
import { explainExistingToken } from './token-exists.ts';
import { RELAY_MINT } from '../order-forms.ts';

const linking = metadataLinking(RELAY_MINT);

/** A mint that the contract's owner signed and the account's wallet pays for. */
export const relayMintKind = defineOrder<RelayedMint, Minted, OrderReply, Linking & { readonly requests: Statement }>({
  name: RELAY_MINT,
  queue: 'mint',
  ...shownAsMint,
  parties: mintParties,
  dependency: signerDependency,

  gasCeiling: (order, settings) => relayGasCeiling(order, settings.RELAY_GAS_CEILING),

  reading: relayedMintReading,

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
    requests: endForwardRequests(db, batchId, RELAY_MINT, outcomes),
  }),
  reopened: (db, batchId, claims) => ({
    ...linking.reopened(db, batchId, claims),
    requests: reopenForwardRequests(db, batchId, RELAY_MINT),
  }),
  settled: linking.settled,
});

function mintedBy(order: RelayedMint, logs: readonly Log[]): Minted | undefined {
  const tokenId = mintedToken(order, logs);
  return tokenId === undefined ? undefined : { tokenId };
}
