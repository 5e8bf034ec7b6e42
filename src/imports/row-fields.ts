import type { ImportKind } from '../core/import.ts';

interface MintField {
  readonly name: 'receiverAddress' | 'tokenId' | 'amount' | 'metadataId' | 'tokenUri' | 'metadataHash';
  readonly isRequired: boolean;
}

const TOKEN: readonly MintField[] = [
  { name: 'receiverAddress', isRequired: true },
  { name: 'tokenId', isRequired: true },
  { name: 'amount', isRequired: false },
];

/** The fields of POST /minting/order that the rows of each kind have; the import has the chain and the contract. */
export const MINT_FIELDS = {
  metadata: [],
  mints: [
    ...TOKEN,
    { name: 'metadataId', isRequired: true },
    { name: 'tokenUri', isRequired: false },
    { name: 'metadataHash', isRequired: false },
  ],
  tokens: TOKEN,
} as const satisfies Record<ImportKind, readonly MintField[]>;
