import { z } from 'zod';
import { hashField } from '../core/fields.ts';
import { storedOrders } from './stored-orders.ts';

/** The names of the kinds that carry out minting orders: by the account's own wallet, and signed by the contract's owner. */
export const MINT = 'mint';
export const RELAY_MINT = 'relay-mint';

/** The names of the kinds that carry out transfer orders: a transfer, and a request that only uses up its nonce. */
export const TRANSFER = 'transfer';
export const REVOCATION = 'revocation';

export const mintingOrders = storedOrders('minting-orders', [MINT, RELAY_MINT], {
  needed: {
    contractId: 'contractId',
    ercStandard: 'ercStandard',
    receiverAddress: 'receiverAddress',
    tokenId: 'tokenId',
    amount: 'amount',
    metadataId: 'metadataId',
  },
  details: z.object({
    /** Certificates only. */
    tokenUri: z.string().nullable().default(null),
    /** Certificates only. */
    metadataHash: hashField.nullable().default(null),
    /** The id of the order that it follows. */
    follows: z.string().optional(),
  }),
  computed: ({ kind }) => ({ mode: kind === RELAY_MINT ? ('relay' as const) : ('direct' as const) }),
});

export const transferOrders = storedOrders('transfer-orders', [TRANSFER, REVOCATION], {
  needed: { from: 'holderAddress' },
  // Null for a request that only uses up its signer's nonce.
  optional: { to: 'receiverAddress', ercStandard: 'ercStandard', tokenId: 'tokenId', amount: 'amount' },
  computed: ({ kind }) => ({ purpose: kind === REVOCATION ? ('cancel' as const) : ('transfer' as const) }),
});

/** Burns that their holders signed. */
export const burnOrders = storedOrders('burn-orders', ['burn'], {
  needed: { ercStandard: 'ercStandard', tokenId: 'tokenId', amount: 'amount', from: 'holderAddress' },
});

/** Revocations of certificates by their issuer, the owner of the contract. */
export const certificateRevocations = storedOrders('certificate-revocations', ['certificate-revocation'], {
  needed: {
    contractId: 'contractId',
    ercStandard: 'ercStandard',
    from: 'holderAddress',
    tokenId: 'tokenId',
    amount: 'amount',
  },
  details: z.object({
    reason: z.string(),
    /** The id of the mint that follows, in a reissue. */
    followedBy: z.string().optional(),
  }),
});

/** Transfers of a contract's ownership. The API shows PENDING as QUEUED. */
export const ownershipTransfers = storedOrders('ownership-transfers', ['ownership-transfer'], {
  needed: { contractId: 'contractId', newOwnerAddress: 'receiverAddress' },
});

/** Orders to announce on chain that the metadata of a token, or of a collection, has changed. */
export const chainNotifications = storedOrders('chain-notifications', ['notification'], {
  needed: { contractId: 'contractId' },
  // Both are null for a collection.
  optional: { metadataId: 'metadataId', tokenId: 'tokenId' },
});

export const baseUriChanges = storedOrders('base-uri-changes', ['base-uri'], {
  needed: { contractId: 'contractId' },
  details: z.object({ metadataBaseUri: z.string() }),
});

/** All but deployments, of which the catalogue of contracts has a part. */
export const ORDER_FORMS = [
  mintingOrders,
  transferOrders,
  burnOrders,
  certificateRevocations,
  ownershipTransfers,
  chainNotifications,
  baseUriChanges,
];
