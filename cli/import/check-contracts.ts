import { getAddress, isAddressEqual, parseEventLogs, type Address, type Hex } from 'viem';
import { certificate721 } from '../../contracts/artifacts/Certificate721.ts';
import { inspectContract } from '../../src/catalog/contracts/inspect-contract.ts';
import type { Chain, Chains } from '../../src/chains/client.ts';
import { readContract, valueOf } from '../../src/chains/contract-reads.ts';
import { receiptOf } from '../../src/chains/rpc-values.ts';
import { metadataHashView, ownerView } from '../../src/catalog/contracts/views.ts';
import { DomainError } from '../../src/core/domain-error.ts';
import type { ArchivedCertificate, ArchivedContract } from './check-records.ts';
import type { Faults } from './faults.ts';

/** A contract as its chain has it. */
export interface ContractOnChain {
  readonly owner: Address;
  /** The block at which it was read, or a later one. */
  readonly blockNumber: number;
}

/**
 * Asks the chains for the contracts of an archive.
 * @returns by id, those that are what the archive says.
 * @throws when a chain does not answer.
 */
export async function checkContracts(
  contracts: readonly ArchivedContract[],
  chains: Chains,
  faults: Faults,
): Promise<ReadonlyMap<string, ContractOnChain>> {
  const found = new Map<string, ContractOnChain>();
  for (const { id, chain_id: chainId, contract_address: text, ...claim } of contracts) {
    if (text === null) continue;
    const chain = chains.get(chainId);
    if (chain === undefined) {
      faults.add(`contracts: ${text} is on chain ${chainId}: set RPC_URL_${chainId}`);
      continue;
    }
    const address = getAddress(text);
    const owner = valueOf(await readContract(chain.client, ownerView(address)));
    if (owner === undefined) {
      faults.add(`contracts: ${text} is not a contract on chain ${chainId}, or has no owner`);
      continue;
    }
    try {
      const { erc_standard: ercStandard, contract_type: contractType } = claim;
      const inspected = await inspectContract(chain, { contractAddress: address, ercStandard, contractType }, owner);
      found.set(id, { owner, blockNumber: inspected.blockNumber });
    } catch (error) {
      if (!(error instanceof DomainError) || error.issues === undefined) throw error;
      for (const { path, message } of error.issues) faults.add(`contracts: ${text} ${path} ${message}`);
    }
  }
  return found;
}

/** Certificates that are asked for at a time. */
const AT_ONCE = 500;

/**
 * Asks the chains for the hashes of certificates. One that is gone has none: the receipt of its mint has it.
 * @throws when a chain does not answer.
 */
export async function checkCertificates(
  certificates: readonly ArchivedCertificate[],
  chains: Chains,
  faults: Faults,
): Promise<void> {
  for (let from = 0; from < certificates.length; from += AT_ONCE) {
    const asked = certificates.slice(from, from + AT_ONCE).map(async (certificate) => {
      const { chainId, contractAddress, tokenId, hash, mints } = certificate;
      const chain = chains.get(chainId);
      if (chain === undefined) return;
      const found = valueOf(await readContract(chain.client, metadataHashView(contractAddress, BigInt(tokenId))));
      const refuse = (why: string) => {
        faults.add(`orders: ${contractAddress.toLowerCase()}/${tokenId} ${why} on chain ${chainId}`);
      };
      const isGone = found === undefined && mints !== undefined;
      if (isGone && !(await wasMinted(chain, { ...certificate, mints }))) refuse('was not minted as its orders say');
      if (found !== undefined && found !== hash) refuse('has another hash');
    });
    await Promise.all(asked);
  }
}

/** Whether one of the transactions of a certificate has recorded its hash. */
async function wasMinted(
  { id, rpc }: Chain,
  { contractAddress, tokenId, hash, mints }: ArchivedCertificate & { readonly mints: readonly Hex[] },
): Promise<boolean> {
  for (const mint of new Set(mints)) {
    const replies = (await rpc.requestOfEach([{ method: 'eth_getTransactionReceipt', params: [mint] }])).flat();
    if (!replies.some((reply) => 'result' in reply)) throw new Error(`Chain ${id} does not answer`);
    // Some nodes have no old ones.
    const logs = replies.flatMap((reply) => receiptOf(reply, mint)?.logs ?? []);
    const recorded = parseEventLogs({ abi: certificate721.abi, eventName: 'CertificateRecorded', logs });
    const isIts = ({ address, args }: (typeof recorded)[number]) =>
      isAddressEqual(address, contractAddress) && args.tokenId === BigInt(tokenId) && args.metadataHash === hash;
    if (recorded.some(isIts)) return true;
  }
  return false;
}
