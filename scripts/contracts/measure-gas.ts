import { type Abi, type Address, type Hex, encodeFunctionData, maxUint48, sha256, stringToHex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { certificate1155 } from '../../contracts/artifacts/Certificate1155.ts';
import { certificate721 } from '../../contracts/artifacts/Certificate721.ts';
import { minimalForwarder } from '../../contracts/artifacts/MinimalForwarder.ts';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { compileSolidity } from './compile-solidity.ts';
import { type EphemeralChain, startEphemeralChain } from './ephemeral-chain.ts';
import { type MeasuredMint, baseUri, measureBatches } from './measure-batches.ts';

/** The measured operations, in the order of the table. */
export const operations = ['deploy', 'mint', 'transfer', 'relayed mint', 'relayed transfer'] as const;
export type Operation = (typeof operations)[number];

/** Gas used per operation; operations that the contract does not have are absent. */
export type Gas = Partial<Record<Operation, bigint>>;

/** The measurements of our contracts and of OpenZeppelin's minimal ones. */
export interface MeasuredGas {
  standard721: Gas;
  standard1155: Gas;
  certificate721: Gas;
  certificate1155: Gas;
  baseline721: Gas;
  baseline1155: Gas;
  /** Deployment of our forwarder and of OpenZeppelin's. */
  forwarder: bigint;
  baselineForwarder: bigint;
  /** Mints of our contracts, alone and in batches. */
  batches: readonly MeasuredMint[];
}

interface Deployable {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

/** Relays a signed call and returns the gas that the relayer paid. */
type Relay = (signer: PrivateKeyAccount, to: Address, data: Hex) => Promise<bigint>;

/** A contract to measure. */
interface Subject {
  contract: Deployable;
  constructorArgs: readonly unknown[];
  mintArgs: (to: Address, id: bigint) => readonly unknown[];
  /** Absent for a contract whose tokens cannot move. */
  transferArgs?: (from: Address, to: Address, id: bigint) => readonly unknown[];
  /** Absent for a contract without a forwarder. */
  relay?: Relay;
}

/** The accounts involved. Each receives only one token, so that every operation is the most expensive of its kind. */
interface Accounts {
  owner: PrivateKeyAccount;
  relayer: PrivateKeyAccount;
  minted: PrivateKeyAccount;
  relayMinted: PrivateKeyAccount;
  moved: PrivateKeyAccount;
  relayMoved: PrivateKeyAccount;
}

const requestGas = 500_000n;

const valueFields = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'gas', type: 'uint256' },
  { name: 'nonce', type: 'uint256' },
] as const;

async function gasOf(chain: EphemeralChain, from: Address, to: Address, data: Hex): Promise<bigint> {
  const receipt = await chain.send({ from, to, data });
  if (receipt.status !== 'success') throw new Error(`a measured call to ${to} reverted`);
  return receipt.gasUsed;
}

/** Relays through our forwarder. */
function ourRelay(chain: EphemeralChain, relayer: Address, address: Address): Relay {
  const forwarder = { address, abi: minimalForwarder.abi } as const;
  return async (signer, to, data) => {
    const nonce = await chain.client.readContract({ ...forwarder, functionName: 'getNonce', args: [signer.address] });
    const request = { from: signer.address, to, value: 0n, gas: requestGas, nonce, data };
    const signature = await signer.signTypedData({
      domain: { name: 'MinimalForwarder', version: '1.0', chainId: chain.chainId, verifyingContract: address },
      types: { ForwardRequest: [...valueFields, { name: 'data', type: 'bytes' }] },
      primaryType: 'ForwardRequest',
      message: request,
    });
    const execute = { ...forwarder, functionName: 'execute', args: [request, signature] } as const;
    const { result } = await chain.client.simulateContract({ ...execute, account: relayer });
    if (!result[0]) throw new Error(`a relayed call to ${to} failed: ${result[1]}`);
    return gasOf(chain, relayer, address, encodeFunctionData(execute));
  };
}

/** Relays through OpenZeppelin's forwarder, whose request also has a deadline and does not contain the nonce. */
function baselineRelay(chain: EphemeralChain, relayer: Address, address: Address, abi: Abi): Relay {
  return async (signer, to, data) => {
    const nonce = await chain.client.readContract({ address, abi, functionName: 'nonces', args: [signer.address] });
    const request = { from: signer.address, to, value: 0n, gas: requestGas, deadline: Number(maxUint48), data };
    const signature = await signer.signTypedData({
      domain: { name: 'BaselineForwarder', version: '1', chainId: chain.chainId, verifyingContract: address },
      types: {
        ForwardRequest: [...valueFields, { name: 'deadline', type: 'uint48' }, { name: 'data', type: 'bytes' }],
      },
      primaryType: 'ForwardRequest',
      message: { ...request, nonce: BigInt(String(nonce)) },
    });
    const args = [{ ...request, signature }];
    return gasOf(chain, relayer, address, encodeFunctionData({ abi, functionName: 'execute', args }));
  };
}

async function measure(chain: EphemeralChain, accounts: Accounts, subject: Subject): Promise<Gas> {
  const { address, abi, gasUsed } = await chain.deploy(subject.contract, subject.constructorArgs);
  const mint = (to: PrivateKeyAccount, id: bigint): Hex =>
    encodeFunctionData({ abi, functionName: 'mint', args: subject.mintArgs(to.address, id) });

  const gas: Gas = {
    deploy: gasUsed,
    mint: await gasOf(chain, accounts.owner.address, address, mint(accounts.minted, 1n)),
  };
  if (subject.relay !== undefined) {
    gas['relayed mint'] = await subject.relay(accounts.owner, address, mint(accounts.relayMinted, 2n));
  }
  const { transferArgs } = subject;
  if (transferArgs !== undefined) {
    const move = (from: PrivateKeyAccount, to: PrivateKeyAccount, id: bigint): Hex =>
      encodeFunctionData({ abi, functionName: 'safeTransferFrom', args: transferArgs(from.address, to.address, id) });
    gas.transfer = await gasOf(chain, accounts.minted.address, address, move(accounts.minted, accounts.moved, 1n));
    if (subject.relay !== undefined) {
      gas['relayed transfer'] = await subject.relay(
        accounts.relayMinted,
        address,
        move(accounts.relayMinted, accounts.relayMoved, 2n),
      );
    }
  }
  return gas;
}

/** The call arguments of a token standard. */
type CallArguments = Pick<Subject, 'mintArgs'> & Required<Pick<Subject, 'transferArgs'>>;

const arguments721: CallArguments = {
  mintArgs: (to: Address, id: bigint) => [to, id],
  transferArgs: (from: Address, to: Address, id: bigint) => [from, to, id],
};
const arguments1155: CallArguments = {
  mintArgs: (to: Address, id: bigint) => [to, id, 1n],
  transferArgs: (from: Address, to: Address, id: bigint) => [from, to, id, 1n, '0x'],
};
const certificateRecord = ['https://nft.example.com/certificates/1.json', sha256(stringToHex('certificate'))];

type MeasureWith = (
  contract: Deployable,
  constructorArgs: (forwarder: Address) => readonly unknown[],
  calls: Pick<Subject, 'mintArgs' | 'transferArgs'>,
) => Promise<Gas>;

async function measureOurs(chain: EphemeralChain, accounts: Accounts) {
  const owner = accounts.owner.address;
  // A new forwarder for each contract, so that every relayed operation is its signer's first.
  const measureWith: MeasureWith = async (contract, constructorArgs, calls) => {
    const { address } = await chain.deploy(minimalForwarder, []);
    const relay = ourRelay(chain, accounts.relayer.address, address);
    return measure(chain, accounts, { contract, constructorArgs: constructorArgs(address), ...calls, relay });
  };
  const sharedArgs = (forwarder: Address) => ['Collection', 'COLL', owner, forwarder, baseUri];
  // Burned by their holders (ERC-5484).
  const certificateArgs = (forwarder: Address) => [...sharedArgs(forwarder), 1];
  const standardArgs = (forwarder: Address) => [...sharedArgs(forwarder), owner, 250n];
  return {
    forwarder: (await chain.deploy(minimalForwarder, [])).gasUsed,
    standard721: await measureWith(standard721, standardArgs, arguments721),
    standard1155: await measureWith(standard1155, standardArgs, arguments1155),
    certificate721: await measureWith(certificate721, certificateArgs, {
      mintArgs: (to, id) => [to, id, ...certificateRecord],
    }),
    certificate1155: await measureWith(certificate1155, certificateArgs, {
      mintArgs: (to, id) => [to, id, 1n, ...certificateRecord],
    }),
  };
}

/** Direct operations use a contract without forwarder support, relayed ones a contract with it. */
async function measureBaseline(chain: EphemeralChain, accounts: Accounts) {
  const contracts = new Map(
    compileSolidity(['test/contracts/fixtures/Baseline.sol']).map((contract) => [contract.contractName, contract]),
  );
  const compiled = (name: string): Deployable => {
    const contract = contracts.get(name);
    if (contract === undefined) throw new Error(`the baseline has no contract ${name}`);
    return contract;
  };
  const owner = accounts.owner.address;
  const measurePair = async (
    plain: Deployable,
    forwarded: Deployable,
    constructorArgs: readonly unknown[],
    calls: CallArguments,
  ): Promise<Gas> => {
    const forwarder = await chain.deploy(compiled('BaselineForwarder'), []);
    const relayed = await measure(chain, accounts, {
      contract: forwarded,
      constructorArgs: [...constructorArgs, forwarder.address],
      ...calls,
      relay: baselineRelay(chain, accounts.relayer.address, forwarder.address, forwarder.abi),
    });
    const direct = await measure(chain, accounts, { contract: plain, constructorArgs, ...calls });
    return { ...relayed, ...direct };
  };
  return {
    baselineForwarder: (await chain.deploy(compiled('BaselineForwarder'), [])).gasUsed,
    baseline721: await measurePair(
      compiled('Baseline721'),
      compiled('ForwardedBaseline721'),
      ['Collection', 'COLL', owner],
      arguments721,
    ),
    baseline1155: await measurePair(
      compiled('Baseline1155'),
      compiled('ForwardedBaseline1155'),
      ['', owner],
      arguments1155,
    ),
  };
}

/** Measures all operations on a new local chain. @throws Error when a measured call fails. */
export async function measureGas(): Promise<MeasuredGas> {
  const chain = await startEphemeralChain();
  try {
    const accounts: Accounts = {
      owner: await chain.account('owner'),
      relayer: await chain.account('relayer'),
      minted: await chain.account('minted'),
      relayMinted: await chain.account('relay minted'),
      moved: await chain.account('moved'),
      relayMoved: await chain.account('relay moved'),
    };
    const ours = await measureOurs(chain, accounts);
    const batches = await measureBatches(chain, accounts.owner.address);
    return { ...ours, ...(await measureBaseline(chain, accounts)), batches };
  } finally {
    await chain.stop();
  }
}
