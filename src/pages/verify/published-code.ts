import type { Hex } from 'viem';
import { getContractAddress, keccak256, sliceHex } from 'viem/utils';
import { decodeAddress } from './abi.ts';
import { CannotTell } from '../shared/visitors/cannot-tell.ts';
import { fetchBytes, UnexpectedStatus, utf8 } from '../shared/visitors/fetch-bytes.ts';
import { CERTIFICATE_CONTRACTS, FORWARDERS, type PublishedContract } from './published-contracts.ts';
import { isRecord } from '../shared/is-record.ts';
import type { Chain, Deployment, Settings } from '../shared/visitors/settings.ts';

/** The deterministic deployment proxy. */
const DEPLOYMENT_PROXY = '0x4e59b44847b379578588920cA78FbF26c0B4956C';
/** How long this site may take, in milliseconds: the visitor waits for the verdict. */
const PATIENCE_MS = 5_000;

/** A certificate contract that can only be what published code makes it. */
export interface PublishedCode {
  readonly deployment: Deployment;
  /** The published contracts: its own and the forwarder's, if it trusts one. */
  readonly names: readonly string[];
}

/** The contract is not known to have published code. */
export class OtherCode extends CannotTell {
  constructor(address: string) {
    super(({ reasons }) => reasons.otherCode(address));
  }
}

/**
 * How a contract was created, as this site or the saved page says. It need not be trusted: the address proves it.
 * @throws {OtherCode} if this site does not know; {CannotTell} or what `fetch` throws, when it does not answer.
 */
export async function readDeployment(
  chain: Chain,
  contractAddress: string,
  { origin, saved }: Settings,
): Promise<Deployment> {
  if (saved !== undefined) return saved.deployment;
  try {
    const bytes = await fetchBytes(`${origin}/deployments/${chain.id}/${contractAddress}`, {}, PATIENCE_MS);
    const reply: unknown = JSON.parse(utf8(bytes));
    if (!isRecord(reply)) throw new OtherCode(contractAddress);
    return { creation: calldataOf(reply['creation']), forwarderCreation: calldataOf(reply['forwarderCreation']) };
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof UnexpectedStatus && error.status === 404)) {
      throw new OtherCode(contractAddress);
    }
    throw error;
  }
}

/** Whole bytes in hex; null if it is anything else. */
function calldataOf(value: unknown): Hex | null {
  return typeof value === 'string' && /^0x(?:[0-9a-f]{2})+$/.test(value) ? `0x${value.slice(2)}` : null;
}

/**
 * Requires that a certificate contract, and the forwarder it trusts, was created by published code. Comparing the code
 * that is there now would not do: whoever writes the creation code can fill the storage beforehand, such as with
 * certificates that the issuer never issued. An address that CREATE2 has assigned is a hash of the whole creation code
 * (EIP-1014), so nobody can forge one.
 * @throws {OtherCode} if one was not.
 */
export function requirePublishedCode(contractAddress: string, deployment: Deployment): PublishedCode {
  const contract = requireCreation(contractAddress, deployment.creation, CERTIFICATE_CONTRACTS);
  // Arguments: name, symbol, owner, forwarder, base URI, who may burn.
  const forwarder = decodeAddress(contract.args.slice(2 + 3 * 64, 2 + 4 * 64));
  if (forwarder === undefined) throw new OtherCode(contractAddress);
  if (/^0x0*$/.test(forwarder)) return { deployment, names: [contract.name] };
  const { name } = requireCreation(forwarder, deployment.forwarderCreation, FORWARDERS);
  return { deployment, names: [contract.name, name] };
}

/** @returns which published contract was created at an address, and with which constructor arguments. */
function requireCreation(
  address: string,
  creation: Hex | null,
  published: readonly PublishedContract[],
): { readonly name: string; readonly args: Hex } {
  for (const { name, bytes, hash } of published) {
    const start = 2 + 2 * (32 + bytes);
    if (creation === null || creation.length < start) continue;
    const bytecode = sliceHex(creation, 32, 32 + bytes);
    if (keccak256(bytecode) === hash && createdAddress(creation) === address) {
      return { name, args: `0x${creation.slice(start)}` };
    }
  }
  throw new OtherCode(address);
}

/** Where the proxy creates a contract with calldata: 32 bytes of salt, then the creation code. Lower case. */
function createdAddress(creation: Hex): string {
  const [salt, bytecode] = [sliceHex(creation, 0, 32), sliceHex(creation, 32)];
  return getContractAddress({ opcode: 'CREATE2', from: DEPLOYMENT_PROXY, salt, bytecode }).toLowerCase();
}
