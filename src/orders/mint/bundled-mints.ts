import { decodeFunctionData, encodeFunctionData, size, type Abi, type Address, type Hex } from 'viem';
import { certificate1155 } from '../../../contracts/artifacts/Certificate1155.ts';
import { certificate721 } from '../../../contracts/artifacts/Certificate721.ts';
import { standard1155 } from '../../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../../contracts/artifacts/Standard721.ts';
import { lowerCase, type LowerCaseAddress } from '../../core/lower-case.ts';
import type { Bundling } from '../../engine/order-kind.ts';
import { BATCH_GAS, batchGasOf } from './batch-gas.ts';
import { encodeMint, mintedToken, type MintRequest } from './mint-call.ts';
import type { MintOrder } from './minting-orders.store.ts';

/** The mints that share a call of `mintMany`, which all contracts have that this service deploys. */
export const bundledMints: Bundling<MintOrder> = {
  contract: ({ order: { contractAddress, contractType, registeredAtBlock } }) =>
    contractType !== null && registeredAtBlock === null ? contractAddress : null,
  // An ERC-721 token that exists is not minted again.
  isRepeatable: ({ order }) => order.ercStandard === '1155',
  // A token's id is enough for ERC-721; of an ERC-1155 token each log has the receiver and the amount too.
  mark: ({ order: { ercStandard, tokenId, receiverAddress, amount } }) =>
    ercStandard === '721' ? tokenId : [tokenId, receiverAddress.toLowerCase(), amount].join(),
  baseGas: BATCH_GAS.base,
  gas: ({ order }) => batchGasOf({ ...order, isDerived: order.tokenUri === derivedUri(order) }),
  calldata: (claims) => encodeMints(claims.map(({ order }) => order)),
  split: ({ to, data }, logs) =>
    mintsOf(lowerCase(to), data).map((mint) => ({
      data: encodeMint(mint),
      isDone: mintedToken(mint, logs) !== undefined,
    })),
  carriedOut(result) {
    if (size(result) !== 32) return undefined;
    const bits = BigInt(result);
    return (place) => ((bits >> BigInt(place)) & 1n) === 1n;
  },
};

/** The URI that a certificate contract derives for a token; undefined if it has no base. */
function derivedUri({ metadataBaseUri, contractAddress, tokenId }: MintOrder): string | undefined {
  if (metadataBaseUri === null) return undefined;
  return `${metadataBaseUri.replace(/\/+$/, '')}/${lowerCase(contractAddress)}/${tokenId}`;
}

const functionName = 'mintMany';

/** Calldata of `mintMany`. @param mints At least one, all of one contract that this service deployed. */
function encodeMints(mints: readonly MintRequest[]): Hex {
  const isCertificate = mints.some(({ tokenUri }) => tokenUri !== null);
  const items = mints.map(({ receiverAddress: to, tokenId, amount, tokenUri, metadataHash }) => {
    const [id, documentURI, hash] = [BigInt(tokenId), tokenUri ?? '', metadataHash ?? '0x'] as const;
    return { to, tokenId: id, id, amount: BigInt(amount), documentURI, metadataHash: hash };
  });
  if (mints[0]?.ercStandard === '721') {
    return isCertificate
      ? encodeFunctionData({ ...certificate721, functionName, args: [items] })
      : encodeFunctionData({ ...standard721, functionName, args: [items] });
  }
  return isCertificate
    ? encodeFunctionData({ ...certificate1155, functionName, args: [items] })
    : encodeFunctionData({ ...standard1155, functionName, args: [items] });
}

const CONTRACTS: readonly (readonly [MintRequest['ercStandard'], Abi])[] = [
  ['721', standard721.abi],
  ['1155', standard1155.abi],
  ['721', certificate721.abi],
  ['1155', certificate1155.abi],
];

/** An item of `mintMany` of any of the contracts. */
interface Item {
  readonly to: Address;
  readonly tokenId?: bigint;
  readonly id?: bigint;
  readonly amount?: bigint;
  readonly documentURI?: string;
  readonly metadataHash?: Hex;
}

/** The mints of a call of `mintMany`; none if it is another call. */
function mintsOf(contractAddress: LowerCaseAddress, data: Hex): readonly MintRequest[] {
  return CONTRACTS.flatMap(([ercStandard, abi]) => {
    try {
      const call = decodeFunctionData({ abi, data });
      if (call.functionName !== functionName) return [];
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the argument of that function
      const [items] = call.args as readonly [readonly Item[]];
      return items.map(({ to, tokenId, id, amount = 1n, documentURI = null, metadataHash = null }): MintRequest => ({
        contractAddress,
        ercStandard,
        receiverAddress: to,
        tokenId: String(tokenId ?? id),
        amount: Number(amount),
        tokenUri: documentURI,
        metadataHash,
      }));
    } catch {
      // The selector is none of this contract, or its arguments are not.
      return [];
    }
  });
}
