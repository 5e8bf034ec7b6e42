import type { Hex } from 'viem';
import { getContractAddress, keccak256, sliceHex } from 'viem/utils';
import { decodeAddress } from './abi.ts';
import { CannotTell } from '../shared/visitors/cannot-tell.ts';
import type { ChainReader } from './chain-reader.ts';
import { CERTIFICATE_CONTRACTS, FORWARDERS, type PublishedContract } from './published-contracts.ts';
import type { Deployments } from '../shared/visitors/settings.ts';

/** The deterministic deployment proxy. */
const DEPLOYMENT_PROXY = '0x4e59b44847b379578588920cA78FbF26c0B4956C';

/** A contract that can only be what its published code makes it. */
export interface PublishedCode {
  readonly deployments: Deployments;
  /** The published contracts: its own and the forwarder's, if it trusts one. */
  readonly names: readonly string[];
}

/**
 * Requires that a certificate contract, and the forwarder it trusts, was created by published code. Comparing the code
 * that is there now would not do: whoever writes the creation code can fill the storage beforehand, such as with
 * certificates that the issuer never issued. An address that CREATE2 has assigned is a hash of the whole creation code
 * (EIP-1014), so neither nodes nor whoever names the transactions can forge one.
 * @throws {CannotTell} if one was not, or its deployment cannot be read.
 */
export async function requirePublishedCode(
  reader: ChainReader,
  contractAddress: string,
  deployments: Deployments,
): Promise<PublishedCode> {
  const { deployTxHash, forwarderDeployTxHash } = deployments;
  const contract = await publishedAt(reader, contractAddress, deployTxHash, CERTIFICATE_CONTRACTS);
  // Arguments: name, symbol, owner, forwarder, base URI, who may burn.
  const forwarder = decodeAddress(sliceHex(contract.args, 96, 128).slice(2));
  if (forwarder === undefined) throw new CannotTell(({ reasons }) => reasons.otherCode(contractAddress));
  if (/^0x0*$/.test(forwarder)) return { deployments, names: [contract.name] };
  const { name } = await publishedAt(reader, forwarder, forwarderDeployTxHash, FORWARDERS);
  return { deployments, names: [contract.name, name] };
}

/** @returns what was deployed at an address, and with which constructor arguments. */
async function publishedAt(
  reader: ChainReader,
  address: string,
  transactionHash: string | null,
  published: readonly PublishedContract[],
): Promise<{ readonly name: string; readonly args: Hex }> {
  const otherCode = new CannotTell(({ reasons }) => reasons.otherCode(address));
  if (transactionHash === null) throw otherCode;
  const input = await reader.inputOf(transactionHash);
  if (input === undefined) throw new CannotTell(({ reasons }) => reasons.noDeployment(transactionHash));
  const salt: Hex = `0x${input.slice(0, 64)}`;
  const code: Hex = `0x${input.slice(64)}`;
  const found = published.find(
    ({ bytes, hash }) => code.length >= 2 + 2 * bytes && keccak256(sliceHex(code, 0, bytes)) === hash,
  );
  if (found === undefined || createdAddress(salt, code) !== address) throw otherCode;
  return { name: found.name, args: `0x${code.slice(2 + 2 * found.bytes)}` };
}

/** Where the proxy creates a contract; lower case. */
function createdAddress(salt: Hex, code: Hex): string {
  return getContractAddress({ opcode: 'CREATE2', from: DEPLOYMENT_PROXY, salt, bytecode: code }).toLowerCase();
}
