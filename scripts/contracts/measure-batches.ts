import {
  type Abi,
  type AbiFunction,
  type Address,
  type Hex,
  encodeFunctionData,
  keccak256,
  numberToHex,
  sha256,
  slice,
  stringToHex,
} from 'viem';
import { certificate1155 } from '../../contracts/artifacts/Certificate1155.ts';
import { certificate721 } from '../../contracts/artifacts/Certificate721.ts';
import { minimalForwarder } from '../../contracts/artifacts/MinimalForwarder.ts';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { batchGasLimit } from '../../src/orders/mint/batch-gas.ts';
import type { EphemeralChain } from './ephemeral-chain.ts';

/** Of the measured contracts. */
export const baseUri = 'https://nft.example.com/metadata';
const storedUri = 'https://nft.example.com/certificates/1.json';
const metadataHash = sha256(stringToHex('certificate'));

/** The number of items of a measured batch. */
export const batchSize = 100;

/** The gas of a mint, by how it is made. Receivers have no tokens before. */
export interface MeasuredMint {
  readonly name: string;
  readonly alone: bigint;
  /** As one of {@link batchSize}, each to another holder. */
  readonly toMany: bigint;
  /** As one of {@link batchSize}, all to one holder. */
  readonly toOne: bigint;
}

/** A contract to measure. */
interface Subject {
  readonly name: string;
  readonly artifact: { readonly abi: Abi; readonly bytecode: Hex };
  readonly ercStandard: '721' | '1155';
  /** The URI of a certificate; absent for a standard contract. */
  readonly uri?: (contract: Address, id: bigint) => string;
}

const stored = () => storedUri;
const derived = (contract: Address, id: bigint) => `${baseUri}/${contract.toLowerCase()}/${id}`;

const subjects: readonly Subject[] = [
  { name: 'Standard721', artifact: standard721, ercStandard: '721' },
  { name: 'Standard1155', artifact: standard1155, ercStandard: '1155' },
  { name: 'Certificate721, stored URI', artifact: certificate721, ercStandard: '721', uri: stored },
  { name: 'Certificate721, derived URI', artifact: certificate721, ercStandard: '721', uri: derived },
  { name: 'Certificate1155, stored URI', artifact: certificate1155, ercStandard: '1155', uri: stored },
  { name: 'Certificate1155, derived URI', artifact: certificate1155, ercStandard: '1155', uri: derived },
];

/** An account that nobody has used. */
const newHolder = (number: number): Address => slice(keccak256(numberToHex(number)), 0, 20);

/**
 * Measures mints alone and in batches.
 * @throws Error when one fails, also for lack of the gas that the service gives it.
 */
export async function measureBatches(chain: EphemeralChain, owner: Address): Promise<MeasuredMint[]> {
  const forwarder = await chain.deploy(minimalForwarder, []);
  const measured: MeasuredMint[] = [];
  for (const subject of subjects) {
    measured.push(await measureSubject(chain, owner, forwarder.address, subject));
  }
  return measured;
}

async function measureSubject(
  chain: EphemeralChain,
  owner: Address,
  forwarder: Address,
  { name, artifact, ercStandard, uri }: Subject,
): Promise<MeasuredMint> {
  const rest = uri === undefined ? [owner, 250n] : [1];
  const { address } = await chain.deploy(artifact, ['Collection', 'COLL', owner, forwarder, baseUri, ...rest]);
  const { abi } = artifact;
  const { inputs = [] } =
    abi.find((item): item is AbiFunction => item.type === 'function' && item.name === 'mint') ?? {};
  let minted = 0n;

  const newMint = (to: Address): readonly unknown[] => {
    minted += 1n;
    const amount = ercStandard === '721' ? [] : [1n];
    const record = uri === undefined ? [] : [uri(address, minted), metadataHash];
    return [to, minted, ...amount, ...record];
  };
  const send = async (functionName: string, args: readonly unknown[], gas?: bigint): Promise<bigint> => {
    const data = encodeFunctionData({ abi, functionName, args });
    const receipt = await chain.send({ from: owner, to: address, data, ...(gas === undefined ? {} : { gas }) });
    if (receipt.status !== 'success') throw new Error(`${functionName} of ${name} failed`);
    return receipt.gasUsed;
  };
  const shareOfBatch = async (holder: (index: number) => Address): Promise<bigint> => {
    const items = Array.from({ length: batchSize }, (_, index) => newMint(holder(index)));
    const structs = items.map((values) =>
      Object.fromEntries(inputs.map((input, index) => [input.name, values[index]])),
    );
    const gas = batchGasLimit(items.map(() => ({ ercStandard, tokenUri: uri?.(address, minted) ?? null })));
    return (await send('mintMany', [structs], gas)) / BigInt(batchSize);
  };

  return {
    name,
    alone: await send('mint', newMint(newHolder(0))),
    toMany: await shareOfBatch((index) => newHolder(1 + index)),
    toOne: await shareOfBatch(() => newHolder(1 + batchSize)),
  };
}
