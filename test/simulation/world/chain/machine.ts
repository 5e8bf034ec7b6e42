import { decodeDeployData, getContractAddress, slice, size, zeroAddress, type Address, type Hex } from 'viem';
import { certificate1155 } from '../../../../contracts/artifacts/Certificate1155.ts';
import { certificate721 } from '../../../../contracts/artifacts/Certificate721.ts';
import { minimalForwarder } from '../../../../contracts/artifacts/MinimalForwarder.ts';
import { standard1155 } from '../../../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../../../contracts/artifacts/Standard721.ts';
import { Revert, outOfGas, revertWith, type CallResult, type EventLog, type Message } from './call.ts';
import { callForwarder } from './forwarder-contract.ts';
import type { Contract, State, TokenContract } from './state.ts';
import { callToken, encodeLog, storedBase } from './token-contract.ts';

const GAS = { create: 32_000n, codeByte: 200n, constructor: 160_000n };

const TOKENS = [
  { artifact: standard721, standard: '721', isCertificate: false },
  { artifact: standard1155, standard: '1155', isCertificate: false },
  { artifact: certificate721, standard: '721', isCertificate: true },
  { artifact: certificate1155, standard: '1155', isCertificate: true },
] as const;

/** The result of `eth_getCode` for a contract; it only shows that there is code. */
export function codeOf(contract: Contract | undefined): Hex {
  return contract === undefined ? '0x' : '0x6080604052';
}

/**
 * Runs a call on a state, which it changes in place.
 * @throws {Revert} with the state partially changed: the caller restores the previous one.
 */
export function runCall(chainId: string, state: State, message: Message): CallResult {
  const contract = state.contract(message.to);
  if (message.value > 0n) {
    if (state.account(message.from).balance < message.value) throw new Revert('0x', 0n);
    if (contract !== undefined) throw new Revert('0x', 100n);
    state.addBalance(message.from, -message.value);
    state.addBalance(message.to, message.value);
  }
  switch (contract?.kind) {
    case 'token':
      return callToken(state, message, contract);
    case 'forwarder':
      return callForwarder(state, message, contract, chainId, (inner, next) => runCall(chainId, inner, next));
    case 'proxy':
      return callProxy(state, message);
    case 'receiver':
      throw new Revert('0x', 100n);
    case undefined:
      break;
  }
  return { data: '0x', gasUsed: 0n, logs: [] };
}

/** The deployment proxy: creates contracts with CREATE2, and reverts without a reason if that fails. */
function callProxy(state: State, message: Message): CallResult {
  if (size(message.data) < 32) throw new Revert('0x', 100n);
  const code = size(message.data) === 32 ? '0x' : slice(message.data, 32);
  const address = addressOf(message.to, message.data, code);
  // A creation at an address in use consumes all of its gas.
  if (state.contract(address) !== undefined) throw new Revert('0x', message.gas - message.gas / 64n);
  try {
    const { gasUsed, logs } = create(state, message, address, code);
    return { data: address, gasUsed, logs };
  } catch (error) {
    throw error instanceof Revert ? new Revert('0x', error.gasUsed, error.isOutOfGas) : error;
  }
}

const addresses = new Map<Hex, Address>();

/** The address of a CREATE2 contract, cached because estimates repeat the same creation. */
function addressOf(from: Address, data: Hex, bytecode: Hex): Address {
  const known = addresses.get(data);
  if (known !== undefined) return known;
  const address = lower(getContractAddress({ opcode: 'CREATE2', from, salt: slice(data, 0, 32), bytecode }));
  addresses.set(data, address);
  return address;
}

/**
 * Creates one of the product's contracts at an address.
 * @throws {Revert} as its constructor would, or if the code belongs to no contract that the model knows.
 */
export function create(state: State, message: Message, address: Address, code: Hex): CallResult {
  const made = contractOf(code);
  const gasUsed = GAS.create + GAS.constructor + GAS.codeByte * BigInt(size(code));
  if (message.gas < gasUsed) throw outOfGas(message);
  if (made.kind === 'forwarder') {
    state.setContract(address, made);
    return { data: codeOf(made), gasUsed, logs: [] };
  }
  if (made.owner === zeroAddress) throw revertWith(standard721.abi, 'OwnableInvalidOwner', [zeroAddress], 5_000n);
  state.setContract(address, made);
  const log: EventLog = encodeLog(standard721.abi, address, 'OwnershipTransferred', {
    previousOwner: zeroAddress,
    newOwner: made.owner,
  });
  return { data: codeOf(made), gasUsed, logs: [log] };
}

function contractOf(code: Hex): Extract<Contract, { kind: 'forwarder' }> | TokenContract {
  if (code === minimalForwarder.bytecode) return { kind: 'forwarder', nonces: new Map() };
  const token = TOKENS.find(({ artifact }) => code.startsWith(artifact.bytecode));
  if (token === undefined) throw new Revert('0x', 1_000n);
  const { abi, bytecode } = token.artifact;
  const { args } = decodeDeployData({ abi, bytecode, data: code });
  // Of a certificate contract, the argument after the base URI says who may burn.
  const [, , owner, forwarder, baseUri, burnAuth] = args as readonly unknown[] as readonly [
    string,
    string,
    Address,
    Address,
    string,
    unknown,
  ];
  return {
    kind: 'token',
    standard: token.standard,
    isCertificate: token.isCertificate,
    burnAuth: token.isCertificate ? Number(burnAuth) : 1,
    owner: lower(owner),
    forwarder: lower(forwarder),
    baseUri: storedBase(baseUri),
    holders: new Map(),
    balances: new Map(),
    records: new Map(),
  };
}

function lower(address: string): Address {
  return address.toLowerCase() as Address;
}
