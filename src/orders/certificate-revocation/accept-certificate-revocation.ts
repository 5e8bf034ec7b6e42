import { isAddressEqual } from 'viem';
import { z } from 'zod';
import { findContractByAddress } from '../../catalog/contracts/contracts.store.ts';
import { missingContract } from '../../catalog/contracts/missing-contract.ts';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { type Chain } from '../../chains/client.ts';
import { readContract, valueOf } from '../../chains/contract-reads.ts';
import { credibleHeight } from '../../chains/credible-height.ts';
import type { Holding } from '../../chains/token-transfer.ts';
import { burnAuthView, ownerView } from '../../chains/views.ts';
import { DomainError, invalidInput } from '../../core/domain-error.ts';
import {
  amountField,
  addressField,
  chainIdField,
  contractAddressField,
  tokenIdField,
  textIssue,
} from '../../core/fields.ts';
import { broken } from '../../core/validation-messages.ts';
import { newRecord } from '../../core/record-id.ts';
import { wakeLanes } from '../../engine/wake-lanes.ts';
import { laneOf } from '../../engine/wallet-lane.ts';
import { withinLimits } from '../../engine/within-limits.ts';
import { certificateRevocations } from '../../platform/database/schema.ts';
import { checkHolding } from '../../relay/check-holding.ts';
import type { TenantServices } from '../../services.ts';
import { unlessUnderWay } from '../equal-orders.store.ts';
import { findEarlier } from '../find-earlier.ts';
import { insertOrder } from '../orders.store.ts';
import { certificateRevocationKind, type CertificateRevocation } from './certificate-revocation-kind.ts';

const MAX_REASON = 500;
const LENGTH = `must have 1 to ${MAX_REASON} characters`;

/** POST /certificates/revoke. */
export const certificateRevocationInput = z
  .strictObject({
    chainId: chainIdField,
    contractAddress: contractAddressField,
    tokenId: tokenIdField,
    from: addressField.meta({ description: 'Who holds the certificate' }),
    amount: amountField.meta({ description: 'Number of units. ERC-721: absent or 1. ERC-1155: required', example: 1 }),
    reason: z
      .string()
      .refine((text) => text.trim() !== '', broken('too_short', LENGTH))
      .refine((text) => Array.from(text).length <= MAX_REASON, broken('too_long', LENGTH))
      .refine((text) => textIssue(text) === undefined, 'must be valid Unicode without U+0000')
      .meta({
        minLength: 1,
        maxLength: MAX_REASON,
        description:
          'Why it is revoked. Anyone can read it here and in the certificate check, but it is not on the chain',
        example: 'Reported stolen',
      }),
  })
  .meta({ id: 'RevokeCertificate' });

type RevocationInput = z.output<typeof certificateRevocationInput>;

/**
 * Accepts the revocation of a certificate of one of the account's contracts.
 * @throws {DomainError} `not-found` if the account has no such ACTIVE certificate contract; `invalid` if `from` does
 *   not hold the certificate; `conflict` if the contract lets its issuer revoke nothing, the account's wallet is not
 *   its owner, or an equal order is under way; `upstream` if the chain does not answer.
 */
export async function acceptCertificateRevocation(
  services: TenantServices,
  input: RevocationInput,
): Promise<CertificateRevocation> {
  const { db, account, chains } = services;
  const { id, now } = newRecord(services);
  const earlier = await findEarlier(services, [certificateRevocationKind], id);
  if (earlier !== undefined) return earlier;

  const chain = requireAllowedChain(chains, input.chainId);
  const contract = await findContractByAddress(db, input.chainId, input.contractAddress);
  if (contract?.contractType !== 'certificate' || contract.ercStandard === 'Forwarder') {
    throw await missingContract(db, input, 'Active certificate contract');
  }
  const holding = holdingOf(contract.ercStandard, input);
  const blockNumber = await requireRevocable(services, chain, holding);
  const draft = {
    id,
    contractId: contract.id,
    chainId: chain.id,
    ...holding,
    reason: input.reason,
    status: 'PENDING' as const,
    createdAt: now,
    updatedAt: now,
  };
  const transaction = { walletAddress: account.walletAddress, notBeforeBlock: blockNumber };
  const same = { tokenId: draft.tokenId, from: draft.from, amount: draft.amount };
  const { order } = await unlessUnderWay('revokes the same', () =>
    withinLimits(services, () =>
      insertOrder(db, certificateRevocations, certificateRevocationKind, draft, transaction, same),
    ),
  );
  wakeLanes(services, certificateRevocationKind, [laneOf(chain.id, account.walletAddress)]);
  return order;
}

/** @throws {DomainError} `invalid` for an amount that the standard does not have. */
function holdingOf(
  ercStandard: Holding['ercStandard'],
  { contractAddress, tokenId, from, amount }: RevocationInput,
): Holding {
  if (ercStandard === '721' && amount !== undefined && amount !== 1) {
    throw invalidInput([
      { path: 'amount', message: 'must be absent or 1 for an ERC-721 contract', code: 'not_allowed' },
    ]);
  }
  if (ercStandard === '1155' && amount === undefined) {
    throw invalidInput([{ path: 'amount', message: 'is required for an ERC-1155 contract', code: 'required' }]);
  }
  return { contractAddress, ercStandard, tokenId, from, amount: amount ?? 1 };
}

/** @returns the block that was read, or a later one. @throws {DomainError} as {@link acceptCertificateRevocation}. */
async function requireRevocable({ account }: TenantServices, chain: Chain, holding: Holding): Promise<number> {
  const { client } = chain;
  const [issues, burnAuth, owner, blockNumber] = await Promise.all([
    checkHolding(chain, holding),
    readContract(client, burnAuthView(holding.contractAddress, BigInt(holding.tokenId))),
    readContract(client, ownerView(holding.contractAddress)),
    // Last in the batch, so that nothing read before it is from a newer block.
    credibleHeight(chain),
  ]);
  if (issues.length > 0) throw invalidInput(issues);
  const who = valueOf(burnAuth);
  if (who !== 'issuer' && who !== 'both') {
    const those = who === 'neither' ? 'nobody' : 'only their holders';
    const message = `The contract was deployed so that ${those} can burn its certificates (burnAuth): you can never revoke them. Certificates that you want to be able to revoke need a contract with burnAuth issuer or both`;
    throw new DomainError('conflict', message);
  }
  const issuer = valueOf(owner);
  if (issuer === undefined || !isAddressEqual(issuer, account.walletAddress)) {
    throw new DomainError('not_owner', `The owner of the contract is ${issuer ?? 'nobody'}, not the account's wallet`);
  }
  return blockNumber;
}
