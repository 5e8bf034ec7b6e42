import type { Address } from 'viem';
import { z } from 'zod';
import { missingContracts, type ContractPlace } from '../../catalog/contracts/missing-contract.ts';
import { requireOwner } from '../../catalog/contracts/require-owner.ts';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { type Chain } from '../../chains/client.ts';
import { readContract, valueOf, type ContractRead } from '../../chains/contract-reads.ts';
import { credibleHeight } from '../../chains/credible-height.ts';
import type { Holding } from '../../chains/token-transfer.ts';
import { burnAuthView, ownerView } from '../../catalog/contracts/views.ts';
import { DomainError, invalidInput } from '../../core/domain-error.ts';
import {
  amountField,
  addressField,
  chainIdField,
  contractAddressField,
  tokenIdField,
  textIssue,
} from '../../core/fields.ts';
import { timeOf } from '../../core/record-id.ts';
import { broken } from '../../core/validation-messages.ts';
import { wakeLanes } from '../../engine/wake-lanes.ts';
import { laneOf } from '../../engine/wallet-lane.ts';
import { checkHolding } from '../../relay/check-holding.ts';
import type { TenantServices } from '../../services.ts';
import { acceptEach, acceptOne, batchItems, storeWithinLimits } from '../accept-batch.ts';
import { unlessUnderWay, type NewSingularOrder } from '../equal-orders.store.ts';
import { insertOrders, ordersWith, type Carrier } from '../orders.store.ts';
import type { NewOrderOf } from '../stored-orders.ts';
import { certificateRevocationKind, type CertificateRevocation } from './certificate-revocation-kind.ts';
import { certificateContractsAt } from './revocations.store.ts';
import { certificateRevocations } from '../order-forms.ts';

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
type NamedRevocation = RevocationInput & { readonly id: string };

/**
 * Accepts revocations of certificates of the account's contracts individually: the number of round trips is the same
 * for any number of them, but for one more where an equal order is under way, or the account's limits refuse some.
 * @returns the orders, and why the others are refused, by their ids: `not-found` if the account has no such ACTIVE
 *   certificate contract; `invalid` if `from` does not hold the certificate; `conflict` if the contract lets its issuer
 *   revoke nothing, the account's wallet is not its owner, or an equal order is under way; `upstream` if the chain does
 *   not answer.
 */
async function acceptCertificateRevocations(
  services: TenantServices,
  inputs: readonly NamedRevocation[],
): Promise<Map<string, CertificateRevocation | DomainError>> {
  const { account, clock, db, isRetry } = services;
  const ids = inputs.map(({ id }) => id);
  const earlier = isRetry ? await ordersWith(db, certificateRevocations, [certificateRevocationKind], ids) : [];
  const left = inputs.filter(({ id }) => earlier.every((order) => order.id !== id));
  const drafts = await draftRevocations(services, left);
  const valid = drafts.flatMap((draft) => (draft instanceof DomainError ? [] : [draft]));
  const { stored, refused } = await storeWithinLimits(services, valid, (accepting, allowed) =>
    unlessUnderWay('revokes the same', () =>
      insertOrders(accepting, certificateRevocations, certificateRevocationKind, allowed, new Date(clock.now())),
    ),
  );
  const orders = [...earlier, ...stored.orders];
  const lanes = orders.map(({ chainId }) => laneOf(chainId, account.walletAddress));
  wakeLanes(services, certificateRevocationKind, lanes);
  const results = new Map<string, CertificateRevocation | DomainError>([
    ...refused,
    ...orders.map((order) => [order.id, order] as const),
  ]);
  for (const [index, draft] of drafts.entries()) {
    if (draft instanceof DomainError) results.set(left[index]?.id ?? '', draft);
  }
  return results;
}

/** {@link acceptCertificateRevocations} for one. @throws {DomainError} why it is refused. */
export async function acceptCertificateRevocation(
  services: TenantServices,
  input: RevocationInput,
): Promise<CertificateRevocation> {
  return await acceptOne(services, input, acceptCertificateRevocations);
}

/** POST /certificates/revoke/batch. */
export const revocationBatchInput = z
  .strictObject({
    revocations: batchItems('revocation', { schema: 'RevokeCertificate', path: 'POST /certificates/revoke' }),
  })
  .meta({ id: 'RevokeCertificates' });

/** Accepts or refuses each revocation individually. @returns for each, in order, its order or why it is refused. */
export async function acceptRevocationBatch(
  services: TenantServices,
  { revocations }: z.output<typeof revocationBatchInput>,
): Promise<(CertificateRevocation | DomainError)[]> {
  return await acceptEach(services, revocations, certificateRevocationInput, acceptCertificateRevocations);
}

/** A revocation that may be stored. */
export interface RevocationDraft extends NewSingularOrder {
  readonly id: string;
  readonly order: NewOrderOf<typeof certificateRevocations>;
  readonly transaction: Carrier;
}

/**
 * Validates revocations against the account's contracts, in one query, and against the chain, whose reads are one batch.
 * @returns for each, in order, the draft, or why there is none.
 */
export async function draftRevocations(
  services: TenantServices,
  inputs: readonly NamedRevocation[],
): Promise<(RevocationDraft | DomainError)[]> {
  const places = await placeRevocations(services, inputs);
  const owners = new Map<string, Promise<ContractRead<Address>>>();
  const checked = places.map((place) => {
    if (place instanceof DomainError) return place;
    const { chain, order } = place;
    const owner = owners.get(order.contractId) ?? readContract(chain.client, ownerView(order.contractAddress));
    owners.set(order.contractId, owner);
    return orRefusal(() => requireRevocable(services, place, owner));
  });
  // Last in the batch, so that nothing read before them is from a newer block.
  const chains = new Set(places.flatMap((place) => (place instanceof DomainError ? [] : [place.chain])));
  const heights = new Map(Array.from(chains, (chain) => [chain, orRefusal(() => credibleHeight(chain))] as const));
  return await Promise.all(
    checked.map(async (check) => {
      const place = await check;
      if (place instanceof DomainError) return place;
      const notBeforeBlock = await heights.get(place.chain);
      if (notBeforeBlock instanceof DomainError) return notBeforeBlock;
      const { order } = place;
      const transaction = { walletAddress: services.account.walletAddress, notBeforeBlock };
      const same = { tokenId: order.tokenId, holderAddress: order.from, amount: order.amount };
      return { id: order.id, order, transaction, same };
    }),
  );
}

/** A revocation on a chain and a contract that are allowed. */
interface PlacedRevocation {
  readonly chain: Chain;
  readonly order: RevocationDraft['order'];
}

/** Each but the first, which its route counts, counts as a read of the account. */
async function placeRevocations(
  services: TenantServices,
  inputs: readonly NamedRevocation[],
): Promise<(PlacedRevocation | DomainError)[]> {
  const { db, chains, countRead } = services;
  const addresses = inputs.map(({ contractAddress }) => contractAddress);
  const contracts = await certificateContractsAt(db, addresses);
  const contractOf = ({ chainId, contractAddress }: ContractPlace) =>
    contracts.find((one) => one.chainId === chainId && one.contractAddress === contractAddress);
  const absent = inputs.filter((input) => contractOf(input) === undefined);
  const missing = await missingContracts(db, absent, 'Active certificate contract');
  const place = async (input: NamedRevocation, isFirst: boolean): Promise<PlacedRevocation> => {
    const { id, chainId, reason } = input;
    const chain = requireAllowedChain(chains, chainId);
    const contract = contractOf(input);
    if (contract === undefined) throw missing(input);
    const holding = requireHolding(contract.ercStandard, input);
    const tooMany = isFirst ? undefined : await countRead();
    if (tooMany !== undefined) throw tooMany;
    const createdAt = new Date(timeOf(id));
    const fields = { id, contractId: contract.id, chainId, reason, createdAt };
    return { chain, order: { ...fields, ...holding } };
  };
  return await Promise.all(inputs.map((input, index) => orRefusal(() => place(input, index === 0))));
}

async function orRefusal<Result>(work: () => Promise<Result>): Promise<Result | DomainError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

/** @throws {DomainError} `invalid` for an amount that the standard does not have. */
function requireHolding(
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

/** @param owner Of the contract. @throws {DomainError} as {@link acceptCertificateRevocations}. */
async function requireRevocable(
  { account }: TenantServices,
  placed: PlacedRevocation,
  owner: Promise<ContractRead<Address>>,
): Promise<PlacedRevocation> {
  const { chain, order } = placed;
  const [issues, burnAuth, ownerRead] = await Promise.all([
    checkHolding(chain, order),
    readContract(chain.client, burnAuthView(order.contractAddress, BigInt(order.tokenId))),
    owner,
  ]);
  if (issues.length > 0) throw invalidInput(issues);
  const who = valueOf(burnAuth);
  if (who !== 'issuer' && who !== 'both') {
    const those = who === 'neither' ? 'nobody' : 'only their holders';
    const message = `The contract was deployed so that ${those} can burn its certificates (burnAuth): you can never revoke them. Certificates that you want to be able to revoke need a contract with burnAuth issuer or both`;
    throw new DomainError('conflict', message);
  }
  requireOwner(ownerRead, account.walletAddress);
  return placed;
}
