import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionResult,
  getAddress,
  keccak256,
  maxUint256,
  size,
  slice,
  stringToHex,
  toEventSelector,
  zeroAddress,
  type Abi,
  type AbiEvent,
  type Address,
  type Hex,
} from 'viem';
import { certificate1155 } from '../../../../contracts/artifacts/Certificate1155.ts';
import { certificate721 } from '../../../../contracts/artifacts/Certificate721.ts';
import { standard1155 } from '../../../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../../../contracts/artifacts/Standard721.ts';
import { Revert, handedOn, outOfGas, revertWith, type CallResult, type EventLog, type Message } from './call.ts';
import type { State, TokenContract } from './state.ts';

/** Approximate gas of the contracts' functions, without that of receivers. */
const GAS = {
  view: 3_000n,
  mint: 52_000n,
  batch: 3_000n,
  mintOfBatch: { '721': 48_000n, '1155': 29_000n },
  record: 45_000n,
  word: 22_200n,
  transfer: 38_000n,
  burn: 30_000n,
  revoke: 55_000n,
  transferOwnership: 8_000n,
  notify: 5_000n,
  setBase: 14_000n,
};

const ZERO_HASH: Hex = `0x${'0'.repeat(64)}`;

function abiOf({ standard, isCertificate }: Pick<TokenContract, 'standard' | 'isCertificate'>): Abi {
  if (isCertificate) return standard === '721' ? certificate721.abi : certificate1155.abi;
  return standard === '721' ? standard721.abi : standard1155.abi;
}

/** A call in progress: its actual sender and the gas used so far. */
interface Frame {
  readonly state: State;
  readonly message: Message;
  readonly contract: TokenContract;
  readonly abi: Abi;
  readonly sender: Address;
}

/** The token contracts, modelled by the effects of their functions on holders, owner and records. */
export function callToken(state: State, message: Message, contract: TokenContract): CallResult {
  const abi = abiOf(contract);
  const isForwarded =
    message.from === contract.forwarder && contract.forwarder !== zeroAddress && size(message.data) >= 24;
  const sender = isForwarded ? slice(message.data, -20) : message.from;
  const frame: Frame = { state, message, contract, abi, sender };
  if (message.gas < GAS.view) throw outOfGas(message);
  let call: { functionName: string; args?: readonly unknown[] | undefined };
  try {
    call = decodeFunctionData({ abi, data: message.data });
  } catch {
    throw new Revert('0x', GAS.view);
  }
  const args = call.args ?? [];
  if (call.functionName === 'mint') return mint(frame, args);
  if (call.functionName === 'mintMany') return mintMany(frame, args[0] as readonly BatchItem[]);
  if (call.functionName === 'safeTransferFrom') return transfer(frame, args);
  if (call.functionName === 'notifyMetadataUpdate') return notify(frame, args[0] as bigint);
  if (call.functionName === 'setBaseURI') return setBaseUri(frame, String(args[0]));
  if (call.functionName === 'burn') return burn(frame, args);
  if (call.functionName === 'revoke') return revoke(frame, args);
  if (call.functionName === 'transferOwnership') return transferOwnership(frame, lower(args[0]));
  const value = view(frame, call.functionName, args);
  return {
    data: encodeFunctionResult({ abi, functionName: call.functionName, args, result: value } as never),
    gasUsed: GAS.view,
    logs: [],
  };
}

function lower(value: unknown): Address {
  return String(value).toLowerCase() as Address;
}

function onlyOwner({ contract, sender, abi }: Frame): void {
  if (sender !== contract.owner) throw revertWith(abi, 'OwnableUnauthorizedAccount', [sender], GAS.view);
}

function mint(frame: Frame, args: readonly unknown[]): CallResult {
  onlyOwner(frame);
  const { logs, gasUsed } = issue(frame, args, GAS.mint);
  return { data: '0x', logs, gasUsed: gasUsed + askReceiver(frame, lower(args[0]), gasUsed) };
}

/** An item of a batch; contracts that have no amounts or no documents have fewer members. */
interface BatchItem {
  readonly to: Address;
  readonly id?: bigint;
  readonly tokenId?: bigint;
  readonly amount?: bigint;
  readonly documentURI?: string;
  readonly metadataHash?: Hex;
}

/** Mints what it can, without a call to any receiver, and skips the rest. */
function mintMany(frame: Frame, items: readonly BatchItem[]): CallResult {
  const { state, message, abi, contract } = frame;
  onlyOwner(frame);
  if (items.length > 256) throw revertWith(abi, 'IssuanceBatchTooLong', [], GAS.view);
  const logs: EventLog[] = [];
  let gasUsed = GAS.batch;
  let minted = 0n;
  for (const [place, { to, id, tokenId, amount, documentURI, metadataHash }] of items.entries()) {
    const current = state.contract(message.to);
    if (current?.kind !== 'token') throw new Error('A contract stays one');
    if (to === zeroAddress || hasCode(frame, lower(to))) continue;
    const args = [to, id ?? tokenId, amount, documentURI, metadataHash].filter((value) => value !== undefined);
    try {
      const item = issue({ ...frame, contract: current }, args, GAS.mintOfBatch[contract.standard]);
      logs.push(...item.logs);
      gasUsed += item.gasUsed;
      minted |= 1n << BigInt(place);
    } catch (error) {
      if (!(error instanceof Revert)) throw error;
    }
  }
  if (message.gas < gasUsed) throw outOfGas(message);
  return { data: encodeFunctionResult({ abi, functionName: 'mintMany', result: minted }), logs, gasUsed };
}

/** A mint without the receiver's part. @param base Its gas, without that of a certificate's record. */
function issue(frame: Frame, args: readonly unknown[], base: bigint): Pick<CallResult, 'logs' | 'gasUsed'> {
  const { state, message, contract, abi } = frame;
  const [receiver, tokenId] = [lower(args[0]), args[1] as bigint];
  const is721 = contract.standard === '721';
  const amount = is721 ? 1n : (args[2] as bigint);
  const record = contract.isCertificate ? recordOf(args.slice(is721 ? 2 : 3)) : undefined;
  const held = contract.holders.get(tokenId);
  if (held !== undefined) {
    throw contract.isCertificate
      ? revertWith(abi, 'CertificateAlreadyIssued', [tokenId], GAS.view)
      : revertWith(abi, 'ERC721InvalidSender', [zeroAddress], GAS.view);
  }
  if (!is721 && amount === 0n) throw revertWith(abi, 'IssuanceZeroAmount', [tokenId], GAS.view);

  const logs: EventLog[] = [];
  let gas = base;
  const isNewRecord = record !== undefined && checkRecord(frame, tokenId, record);
  if (record !== undefined && isNewRecord) {
    gas += GAS.record + GAS.word * BigInt(Math.ceil(record.uri.length / 32));
    logs.push(logOf(frame, 'CertificateRecorded', { tokenId, metadataHash: record.hash }));
    if (!is721) logs.push(logOf(frame, 'URI', { value: record.uri, id: tokenId }));
  }
  state.setContract(message.to, {
    ...contract,
    ...give(contract, receiver, tokenId, amount),
    records: record === undefined ? contract.records : new Map(contract.records).set(tokenId, record),
  });
  logs.push(moveLog(frame, zeroAddress, receiver, tokenId, amount));
  if (record !== undefined) {
    logs.push(logOf(frame, 'Locked', { tokenId }));
    const issued = { from: frame.sender, to: receiver, tokenId, burnAuth: contract.burnAuth };
    if (is721) logs.push(logOf(frame, 'Issued', issued));
  }
  return { logs, gasUsed: gas };
}

function recordOf([uri, hash]: readonly unknown[]): { uri: string; hash: Hex } {
  return { uri: String(uri), hash: hash as Hex };
}

/** @returns whether the token had no record before. */
function checkRecord({ contract, abi }: Frame, tokenId: bigint, record: { uri: string; hash: Hex }): boolean {
  if (record.uri === '') throw revertWith(abi, 'CertificateURIEmpty', [], GAS.view);
  if (record.hash === ZERO_HASH) throw revertWith(abi, 'CertificateHashZero', [], GAS.view);
  const known = contract.records.get(tokenId);
  if (known === undefined) return true;
  if (known.hash !== record.hash || keccak256(stringToHex(known.uri)) !== keccak256(stringToHex(record.uri))) {
    throw revertWith(abi, 'CertificateRecordMismatch', [tokenId], GAS.view);
  }
  return false;
}

function give(contract: TokenContract, receiver: Address, tokenId: bigint, amount: bigint) {
  if (contract.standard === '721') return { holders: new Map(contract.holders).set(tokenId, receiver) };
  const key = `${receiver}/${tokenId}`;
  return { balances: new Map(contract.balances).set(key, (contract.balances.get(key) ?? 0n) + amount) };
}

function transfer(frame: Frame, args: readonly unknown[]): CallResult {
  const { state, message, contract, abi, sender } = frame;
  const [from, to, tokenId] = [lower(args[0]), lower(args[1]), args[2] as bigint];
  if (contract.isCertificate) throw revertWith(abi, 'CertificateNonTransferable', [], GAS.view);
  const is721 = contract.standard === '721';
  const amount = is721 ? 1n : (args[3] as bigint);
  if (!is721 && sender !== from) throw revertWith(abi, 'ERC1155MissingApprovalForAll', [sender, from], GAS.view);
  checkHolding(frame, from, tokenId, amount);
  const without = is721 ? contract : { ...contract, ...give(contract, from, tokenId, -amount) };
  state.setContract(message.to, { ...without, ...give(without, to, tokenId, amount) });
  const logs = [moveLog(frame, from, to, tokenId, amount)];
  return { data: '0x', logs, gasUsed: GAS.transfer + askReceiver(frame, to, GAS.transfer) };
}

/** By the holder. */
function burn(frame: Frame, args: readonly unknown[]): CallResult {
  const { contract, abi, sender } = frame;
  const [from, tokenId, amount] =
    contract.standard === '721'
      ? [sender, args[0] as bigint, 1n]
      : [lower(args[0]), args[1] as bigint, args[2] as bigint];
  if (contract.isCertificate && contract.burnAuth !== 1 && contract.burnAuth !== 2) {
    throw revertWith(abi, 'CertificateBurnBlocked', [], GAS.view);
  }
  if (contract.standard === '1155' && sender !== from) {
    throw revertWith(abi, 'ERC1155MissingApprovalForAll', [sender, from], GAS.view);
  }
  checkHolding(frame, from, tokenId, amount);
  return destroy(frame, from, tokenId, amount, []);
}

/** By the issuer. */
function revoke(frame: Frame, args: readonly unknown[]): CallResult {
  const { contract, abi, sender } = frame;
  onlyOwner(frame);
  const [from, tokenId, amount = 1n] = [lower(args[0]), args[1] as bigint, args[2] as bigint | undefined];
  if (contract.burnAuth !== 0 && contract.burnAuth !== 2) {
    throw revertWith(abi, 'CertificateRevocationBlocked', [], GAS.view);
  }
  checkHolding({ ...frame, sender: contract.holders.get(tokenId) ?? sender }, from, tokenId, amount);
  return destroy(frame, from, tokenId, amount, [
    logOf(frame, 'CertificateRevoked', { tokenId, from, by: sender, amount }),
  ]);
}

function destroy(frame: Frame, from: Address, tokenId: bigint, amount: bigint, more: readonly EventLog[]): CallResult {
  const { state, message, contract, abi } = frame;
  if (amount === 0n) throw revertWith(abi, 'IssuanceZeroAmount', [tokenId], GAS.view);
  const gasUsed = more.length === 0 ? GAS.burn : GAS.revoke;
  if (message.gas < gasUsed) throw outOfGas(message);
  const holders = new Map(contract.holders);
  holders.delete(tokenId);
  const left = contract.standard === '721' ? { holders } : give(contract, from, tokenId, -amount);
  state.setContract(message.to, { ...contract, ...left });
  return { data: '0x', logs: [moveLog(frame, from, zeroAddress, tokenId, amount), ...more], gasUsed };
}

function checkHolding({ contract, abi, sender }: Frame, from: Address, tokenId: bigint, amount: bigint): void {
  if (contract.standard === '1155') {
    const balance = contract.balances.get(`${from}/${tokenId}`) ?? 0n;
    if (balance < amount)
      throw revertWith(abi, 'ERC1155InsufficientBalance', [from, balance, amount, tokenId], GAS.view);
    return;
  }
  const holder = contract.holders.get(tokenId);
  if (holder === undefined) throw revertWith(abi, 'ERC721NonexistentToken', [tokenId], GAS.view);
  if (holder !== sender) throw revertWith(abi, 'ERC721InsufficientApproval', [sender, tokenId], GAS.view);
  if (holder !== from) throw revertWith(abi, 'ERC721IncorrectOwner', [from, tokenId, holder], GAS.view);
}

function transferOwnership(frame: Frame, newOwner: Address): CallResult {
  const { state, message, contract, abi } = frame;
  onlyOwner(frame);
  if (newOwner === zeroAddress) throw revertWith(abi, 'OwnableInvalidOwner', [newOwner], GAS.view);
  state.setContract(message.to, { ...contract, owner: newOwner });
  const log = logOf(frame, 'OwnershipTransferred', { previousOwner: contract.owner, newOwner });
  return { data: '0x', logs: [log], gasUsed: GAS.transferOwnership };
}

function notify(frame: Frame, tokenId: bigint): CallResult {
  const { contract, abi, message } = frame;
  onlyOwner(frame);
  if (contract.standard === '721' && !contract.holders.has(tokenId)) {
    throw revertWith(abi, 'ERC721NonexistentToken', [tokenId], GAS.view);
  }
  const logs = [logOf(frame, 'MetadataUpdate', { _tokenId: tokenId })];
  if (contract.standard === '1155' && contract.baseUri !== '') {
    logs.push(logOf(frame, 'URI', { value: `${contract.baseUri}/${message.to}/{id}`, id: tokenId }));
  }
  return { data: '0x', logs, gasUsed: GAS.notify };
}

/** Of standard contracts alone: that of certificates never changes. */
function setBaseUri(frame: Frame, base: string): CallResult {
  const { state, message, contract } = frame;
  onlyOwner(frame);
  const gasUsed = GAS.setBase + GAS.word * BigInt(Math.ceil(base.length / 32));
  if (message.gas < gasUsed) throw outOfGas(message);
  state.setContract(message.to, { ...contract, baseUri: storedBase(base) });
  const all = { _fromTokenId: 0n, _toTokenId: maxUint256 };
  const logs = [logOf(frame, 'BatchMetadataUpdate', all), logOf(frame, 'ContractURIUpdated', {})];
  return { data: '0x', logs, gasUsed };
}

/** A base URI as the contracts store it: without its trailing slashes, unless it is only a scheme. */
export function storedBase(base: string): string {
  return base.replace(/(?<!:\/?)\/+$/, '');
}

/**
 * Calls the receiver hook of a contract.
 * @param spent Gas used by the call so far.
 * @returns the gas used by the hook.
 */
function askReceiver({ state, message, contract, abi }: Frame, receiver: Address, spent: bigint): bigint {
  if (message.gas < spent) throw outOfGas(message);
  const found = state.contract(receiver);
  if (found === undefined || !hasCode({ state, message }, receiver)) return 0n;
  const given = handedOn(message.gas - spent);
  const refusal = contract.standard === '721' ? 'ERC721InvalidReceiver' : 'ERC1155InvalidReceiver';
  const burnt = () => revertWith(abi, refusal, [getAddress(receiver)], spent + given);
  if (found.kind !== 'receiver') throw revertWith(abi, refusal, [getAddress(receiver)], spent + 1_000n);
  const { reception } = found;
  switch (reception.kind) {
    case 'accepts':
      if (given < reception.gas) throw burnt();
      return reception.gas;
    case 'refuses':
      throw new Revert(reception.reason, spent + 1_000n);
    case 'burns':
      throw burnt();
    case 'burns-when-paid':
      if (message.gasPrice > 0n) throw burnt();
      return 3_000n;
    case 'delegated':
      return 3_000n;
    case 'moody':
      break;
  }
  if (message.blockNumber % 2 === 1) throw new Revert(reception.reason, spent + 1_000n);
  return 3_000n;
}

/** An account that has delegated to a contract (EIP-7702) has code in some blocks. */
function hasCode({ state, message }: Pick<Frame, 'state' | 'message'>, address: Address): boolean {
  const found = state.contract(address);
  if (found?.kind === 'receiver' && found.reception.kind === 'delegated') return message.blockNumber % 3 === 0;
  return found !== undefined;
}

function moveLog(frame: Frame, from: Address, to: Address, tokenId: bigint, amount: bigint): EventLog {
  return frame.contract.standard === '721'
    ? logOf(frame, 'Transfer', { from, to, tokenId })
    : logOf(frame, 'TransferSingle', { operator: frame.sender, from, to, id: tokenId, value: amount });
}

function logOf({ abi, message }: Frame, eventName: string, args: Record<string, unknown>): EventLog {
  return encodeLog(abi, message.to, eventName, args);
}

/** A contract's event in the form of a receipt's log. */
export function encodeLog(abi: Abi, address: Address, eventName: string, args: Record<string, unknown>): EventLog {
  const event = abi.find((item): item is AbiEvent => item.type === 'event' && item.name === eventName);
  if (event === undefined) throw new Error(`The contract has no event ${eventName}`);
  const topics = encodeEventTopics({ abi: [event], eventName, args }) as readonly Hex[];
  const rest = event.inputs.filter(({ indexed }) => indexed !== true);
  const data = encodeAbiParameters(rest, rest.map(({ name }) => args[String(name)]) as never);
  if (topics[0] !== toEventSelector(event)) throw new Error(`The event ${eventName} has another selector`);
  return { address, topics, data };
}

const INTERFACES: Readonly<Record<'721' | '1155', readonly string[]>> = {
  '721': ['0x01ffc9a7', '0x80ac58cd', '0x5b5e139f'],
  '1155': ['0x01ffc9a7', '0xd9b67a26', '0x0e89341c'],
};

function view({ contract, abi, message }: Frame, functionName: string, args: readonly unknown[]): unknown {
  const tokenId = args[0] as bigint;
  switch (functionName) {
    case 'owner':
      return contract.owner;
    case 'ownerOf': {
      const holder = contract.holders.get(tokenId);
      if (holder === undefined) throw revertWith(abi, 'ERC721NonexistentToken', [tokenId], GAS.view);
      return holder;
    }
    case 'balanceOf':
      if (contract.standard === '1155') return contract.balances.get(`${lower(args[0])}/${args[1] as bigint}`) ?? 0n;
      return BigInt([...contract.holders.values()].filter((holder) => holder === lower(args[0])).length);
    case 'isTrustedForwarder':
      return contract.forwarder !== zeroAddress && lower(args[0]) === contract.forwarder;
    case 'trustedForwarder':
      return contract.forwarder;
    case 'supportsInterface':
      return (
        INTERFACES[contract.standard].includes(String(args[0])) ||
        (!contract.isCertificate && args[0] === '0x2a55205a') ||
        (contract.isCertificate &&
          contract.standard === '721' &&
          ['0xb45a3c0e', '0x0489b56f'].includes(String(args[0])))
      );
    case 'getMetadataHash': {
      const record = contract.records.get(tokenId);
      requireCertificate(contract, abi, tokenId);
      return record?.hash;
    }
    case 'burnAuth':
      requireCertificate(contract, abi, tokenId);
      return contract.burnAuth;
    case 'baseURI':
      return contract.baseUri;
    default:
      throw new Error(`The model has no ${functionName} of ${message.to}`);
  }
}

function requireCertificate({ standard, holders, balances }: TokenContract, abi: Abi, tokenId: bigint): void {
  if (standard === '721') {
    if (!holders.has(tokenId)) throw revertWith(abi, 'ERC721NonexistentToken', [tokenId], GAS.view);
    return;
  }
  const isThere = [...balances].some(([key, units]) => key.endsWith(`/${tokenId}`) && units > 0n);
  if (!isThere) throw revertWith(abi, 'CertificateNonexistent', [tokenId], GAS.view);
}
