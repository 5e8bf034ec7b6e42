import type { PreparedRequest, PrepareBurn, PrepareTransferInput } from './api.ts';
import { ClientError } from './errors.ts';

type Hex = `0x${string}`;

/**
 * What a wallet signs (EIP-712), as viem's `signTypedData` takes it; `domain`, `types` and `message` are the arguments
 * of that of ethers.
 */
export interface ForwardRequestData {
  readonly domain: {
    readonly name: 'MinimalForwarder';
    readonly version: '1.0';
    readonly chainId: number;
    /** The forwarder. */
    readonly verifyingContract: Hex;
  };
  readonly types: { readonly ForwardRequest: { name: string; type: string }[] };
  readonly primaryType: 'ForwardRequest';
  readonly message: {
    readonly from: Hex;
    readonly to: Hex;
    /** Numbers are decimal strings. */
    readonly value: string;
    readonly gas: string;
    readonly nonce: string;
    readonly data: Hex;
  };
}

/** The service has prepared another request than the one that was asked for: do not let it be signed. */
export class PreparedRequestError extends ClientError {
  override readonly name = 'PreparedRequestError';
}

/** docs/gasless.md, "What a client signs". */
const FORWARD_REQUEST = [
  ['from', 'address'],
  ['to', 'address'],
  ['value', 'uint256'],
  ['gas', 'uint256'],
  ['nonce', 'uint256'],
  ['data', 'bytes'],
] as const;
const EIP712_DOMAIN = [
  ['name', 'string'],
  ['version', 'string'],
  ['chainId', 'uint256'],
  ['verifyingContract', 'address'],
] as const;
const fieldsOf = (fields: readonly (readonly [string, string])[]) => fields.map(([name, type]) => ({ name, type }));

/**
 * What the holder signs for a transfer, or for using up a nonce.
 * @param prepared The reply to `prepareTransfer`.
 * @param asked What it was asked for.
 * @throws {PreparedRequestError} if it is for something else.
 */
export function transferTypedData(prepared: PreparedRequest, asked: PrepareTransferInput): ForwardRequestData {
  if (asked.purpose === 'cancel') {
    // cancel(uint256)
    return checked(prepared, asked, prepared.domain.verifyingContract, [
      call('40e58ee5', asked.forwarderNonce ?? prepared.request.nonce),
    ]);
  }
  const { from, to, tokenId, amount = 1, contractAddress } = asked;
  return checked(prepared, asked, contractAddress, [
    // safeTransferFrom(address,address,uint256)
    ...(amount === 1 ? [call('42842e0e', from, to, tokenId)] : []),
    // safeTransferFrom(address,address,uint256,uint256,bytes)
    ...(asked.amount === undefined ? [] : [call('f242432a', from, to, tokenId, amount, 5 * 32, 0)]),
  ]);
}

/**
 * What the holder signs for a burn.
 * @param prepared The reply to `prepareBurn`.
 * @param asked What it was asked for.
 * @throws {PreparedRequestError} if it is for something else.
 */
export function burnTypedData(prepared: PreparedRequest, asked: PrepareBurn): ForwardRequestData {
  const { from, tokenId, amount = 1, contractAddress } = asked;
  return checked(prepared, asked, contractAddress, [
    // burn(uint256)
    ...(amount === 1 ? [call('42966c68', tokenId)] : []),
    // burn(address,uint256,uint256)
    ...(asked.amount === undefined ? [] : [call('f5298aca', from, tokenId, amount)]),
  ]);
}

/** What the owner of a contract signs for a mint: the reply to `prepareMint`, not compared with anything. */
export function mintTypedData({ domain, request }: PreparedRequest): ForwardRequestData {
  return {
    domain: { ...domain, verifyingContract: hex(domain.verifyingContract) },
    types: { ForwardRequest: fieldsOf(FORWARD_REQUEST) },
    primaryType: 'ForwardRequest',
    message: { ...request, from: hex(request.from), to: hex(request.to), data: hex(request.data) },
  };
}

/** The second parameter of `eth_signTypedData_v4`, as browser wallets take it. */
export function jsonOfTypedData({ types, ...data }: ForwardRequestData): string {
  return JSON.stringify({ ...data, types: { EIP712Domain: fieldsOf(EIP712_DOMAIN), ...types } });
}

/** What `executeTransfer`, `executeBurn` and `relayMint` take besides what the request was prepared for. */
export function signedFields({ domain, request, deadline }: PreparedRequest, signature: string) {
  return {
    signature,
    gasLimit: request.gas,
    forwarderNonce: request.nonce,
    forwarderAddress: domain.verifyingContract,
    ...(deadline === null ? {} : { deadline }),
  };
}

interface Asked {
  readonly chainId: string;
  readonly from: string;
  readonly forwarderAddress?: string;
  readonly forwarderNonce?: string;
  readonly deadline?: unknown;
}

/** @param calls The calldata of each standard; a deadline follows it. */
function checked(prepared: PreparedRequest, asked: Asked, to: string, calls: readonly string[]): ForwardRequestData {
  const { domain, request, deadline } = prepared;
  const seconds = secondsOf(deadline);
  const suffix = seconds === undefined ? '' : word(seconds);
  const differences = Object.entries({
    chainId: String(domain.chainId) === asked.chainId,
    forwarderAddress: isAddress(domain.verifyingContract, asked.forwarderAddress ?? domain.verifyingContract),
    from: isAddress(request.from, asked.from),
    to: isAddress(request.to, to),
    value: request.value === '0',
    nonce: request.nonce === (asked.forwarderNonce ?? request.nonce),
    deadline: seconds === secondsOf(asked.deadline),
    data: calls.some((calldata) => request.data === `0x${calldata}${suffix}`),
  }).flatMap(([field, isSame]) => (isSame ? [] : [field]));
  if (differences.length > 0) {
    throw new PreparedRequestError(`The service has prepared another request: ${differences.join(', ')}`);
  }
  return mintTypedData(prepared);
}

/** A deadline as it is signed, in whole Unix seconds; undefined for none. */
const secondsOf = (deadline: unknown) =>
  typeof deadline === 'string' ? Math.floor(Date.parse(deadline) / 1_000) : undefined;
const isAddress = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** @param selector The first four bytes, in hex. @param words Numbers, and addresses in hex. */
function call(selector: string, ...words: (string | number)[]): string {
  return `${selector}${words.map(word).join('')}`;
}

/** 32 bytes in hex. @throws {SyntaxError} if it is no number. */
const word = (value: string | number) => BigInt(value).toString(16).padStart(64, '0');

/** @throws {PreparedRequestError} if it is not hex. */
function hex(text: string): Hex {
  if (!/^0x[0-9a-f]*$/i.test(text)) throw new PreparedRequestError('The service has prepared what is not hex');
  return `0x${text.slice(2)}`;
}
