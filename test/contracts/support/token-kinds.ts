import { type Abi, type Address, type Hex, sha256, stringToHex, zeroAddress } from 'viem';
import { certificate1155 } from '../../../contracts/artifacts/Certificate1155.ts';
import { certificate721 } from '../../../contracts/artifacts/Certificate721.ts';
import { standard1155 } from '../../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../../contracts/artifacts/Standard721.ts';
import type { EphemeralChain } from '../../../scripts/contracts/ephemeral-chain.ts';
import type { Contract } from './contract-calls.ts';

/** The default document of certificates. */
export const certificateUri = 'https://nft.example.com/certificates/7.json';
export const certificateHash = sha256(stringToHex('{"name":"certificate"}'));

/** The common properties of the four kinds of token contract, so that one test can cover all of them. */
export interface TokenKind {
  name: string;
  artifact: { readonly abi: Abi; readonly bytecode: Hex };
  isErc721: boolean;
  isCertificate: boolean;
  constructorArgs: (owner: Address, forwarder: Address) => readonly unknown[];
  /** Arguments of `mint` for one unit. */
  mintArgs: (to: Address, id: bigint) => readonly unknown[];
  /** Arguments of `burn` for one unit. */
  burnArgs: (holder: Address, id: bigint) => readonly unknown[];
  /** Arguments of `safeTransferFrom` for one unit. */
  transferArgs: (from: Address, to: Address, id: bigint) => readonly unknown[];
}

export const baseUri = 'https://nft.example.com/metadata';

/** The URI of a certificate's document that its contract derives. */
export const derivedUri = ({ address }: Contract, id: bigint) => `${baseUri}/${address.toLowerCase()}/${id}`;

const standardArgs = (owner: Address, forwarder: Address) =>
  ['Collection', 'COLL', owner, forwarder, baseUri, owner, 250n] as const;

/** The values of `burnAuth` of ERC-5484. */
export const BurnAuth = { issuer: 0, holder: 1, both: 2, neither: 3 } as const;

const certificateArgs = (owner: Address, forwarder: Address) =>
  ['Collection', 'COLL', owner, forwarder, baseUri, BurnAuth.holder] as const;

export const tokenKinds: readonly TokenKind[] = [
  {
    name: 'Standard721',
    artifact: standard721,
    isErc721: true,
    isCertificate: false,
    constructorArgs: standardArgs,
    mintArgs: (to, id) => [to, id],
    burnArgs: (_holder, id) => [id],
    transferArgs: (from, to, id) => [from, to, id],
  },
  {
    name: 'Standard1155',
    artifact: standard1155,
    isErc721: false,
    isCertificate: false,
    constructorArgs: standardArgs,
    mintArgs: (to, id) => [to, id, 1n],
    burnArgs: (holder, id) => [holder, id, 1n],
    transferArgs: (from, to, id) => [from, to, id, 1n, '0x'],
  },
  {
    name: 'Certificate721',
    artifact: certificate721,
    isErc721: true,
    isCertificate: true,
    constructorArgs: certificateArgs,
    mintArgs: (to, id) => [to, id, certificateUri, certificateHash],
    burnArgs: (_holder, id) => [id],
    transferArgs: (from, to, id) => [from, to, id],
  },
  {
    name: 'Certificate1155',
    artifact: certificate1155,
    isErc721: false,
    isCertificate: true,
    constructorArgs: certificateArgs,
    mintArgs: (to, id) => [to, id, 1n, certificateUri, certificateHash],
    burnArgs: (holder, id) => [holder, id, 1n],
    transferArgs: (from, to, id) => [from, to, id, 1n, '0x'],
  },
];

/** The number of units of `id` that an account holds; for ERC-721, 0 or 1. */
export async function heldUnits(
  chain: EphemeralChain,
  kind: TokenKind,
  token: Contract,
  holder: Address,
  id: bigint,
): Promise<bigint> {
  if (!kind.isErc721) {
    return (await chain.client.readContract({ ...token, functionName: 'balanceOf', args: [holder, id] })) as bigint;
  }
  const owner = await chain.client
    .readContract({ ...token, functionName: 'ownerOf', args: [id] })
    .catch(() => zeroAddress);
  return owner === holder ? 1n : 0n;
}
