import { zeroAddress } from 'viem';
import { z } from 'zod';
import { DomainError, invalidInput, type InputIssue } from '../../../core/domain-error.ts';
import { momentField, tokenIdField } from '../../../core/fields.ts';
import { wakeLanes } from '../../../engine/wake-lanes.ts';
import { laneOf } from '../../../engine/wallet-lane.ts';
import type { TenantServices } from '../../../services.ts';
import { acceptEach, acceptOne, batchItems, storeWithinLimits } from '../../accept-batch.ts';
import { conflictsAmong, countRefused } from '../conflicts-among.ts';
import { draftOrders, mintFields, type OrderDraft } from '../draft-orders.ts';
import { mintKind } from '../mint-kind.ts';
import { forestalled, mayExist } from '../mint-rules.ts';
import { newClaimSecret, pinHash, secretHash } from './claim-secret.ts';
import { claimsWith, insertClaims, type Claim, type NewClaim } from './claims.store.ts';

/** The most token ids of the ranges of a request: each that an order has is looked up. */
const MAX_RANGE = 10_000;

const rangeField = z
  .strictObject({
    from: tokenIdField.meta({ description: 'The lowest, decimal', example: '1' }),
    to: tokenIdField.meta({ description: 'The highest, decimal', example: '500' }),
  })
  .superRefine(({ from, to }, context) => {
    // zod calls this for malformed ids too.
    if (![from, to].every((id) => /^\d{1,78}$/.test(id))) return;
    const size = BigInt(to) - BigInt(from) + 1n;
    const message =
      size < 1n ? 'must not be lower than from' : size > MAX_RANGE ? `must span at most ${MAX_RANGE} ids` : undefined;
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['to'], message });
  })
  .meta({
    description: `Instead of tokenId: the lowest of these ids that no order of the account has, not counting FAILED and CANCELLED ones. At most ${MAX_RANGE} ids; not for certificates`,
  });

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 365;

const { receiverAddress: _, tokenId, ...tokenFields } = mintFields;

/** A mint order whose receiver is named later. */
export const claimInput = z
  .strictObject({
    ...tokenFields,
    tokenId: tokenId.optional(),
    tokenIds: rangeField.optional(),
    expiresAt: momentField.optional().meta({
      type: 'string',
      format: 'date-time',
      description: `When it expires: a minute to ${MAX_DAYS} days from now. Default: ${DEFAULT_DAYS} days`,
      example: '2026-12-01T00:00:00Z',
    }),
    pin: z
      .string()
      .regex(/^\d{4,12}$/, 'must be 4 to 12 digits')
      .optional()
      .meta({
        description: 'Required in addition to the link, 4 to 12 digits: send it separately',
        example: '4711',
      }),
  })
  .meta({ id: 'CreateClaim' });

type ClaimInput = z.output<typeof claimInput>;
type NamedClaim = ClaimInput & { readonly id: string };

/** A claim, and its link; null if an earlier attempt of the same request has stored it. */
export interface AcceptedClaim {
  readonly claim: Claim;
  readonly url: string | null;
}

/**
 * Accepts claims individually: stores each with its minting order, as {@link acceptMints} does orders, and with a
 * secret that nothing but the link has.
 * @returns the claims, and why the others are refused, by their ids.
 */
async function acceptClaims(
  services: TenantServices,
  inputs: readonly NamedClaim[],
): Promise<ReadonlyMap<string, AcceptedClaim | DomainError>> {
  const { account, clock, db, isRetry, origin } = services;
  const now = new Date(clock.now());
  const ids = inputs.map(({ id }) => id);
  const earlier = isRetry ? await claimsWith(db, ids, now) : [];
  const left = inputs.filter(({ id }) => earlier.every((claim) => claim.id !== id));
  const drafted = await draftClaims(services, left, now);
  const news = drafted.flatMap(({ draft }) => (draft instanceof DomainError ? [] : [draft]));
  const { stored: inserted, refused } = await storeWithinLimits(services, news, (accepting, allowed) =>
    insertClaims(accepting, mintKind, account.walletAddress, allowed, now),
  );
  const reserved = drafted.map((one) => one.reserved);
  await countRefused(services, reserved, refused);
  wakeLanes(
    services,
    mintKind,
    inserted.stored.map(({ chainId }) => laneOf(chainId, account.walletAddress)),
  );
  const stored = new Map(inserted.stored.map((claim) => [claim.id, claim]));
  const results = drafted.map(({ input, secret, draft }): [string, AcceptedClaim | DomainError] => {
    const { id } = input;
    if (draft instanceof DomainError) return [id, draft];
    const claim = stored.get(id);
    if (claim !== undefined) return [id, { claim, url: `${origin}/claim/${id}#${secret}` }];
    return [id, refused.get(id) ?? (inserted.withoutToken.has(id) ? tokenTaken(input) : forestalled(draft.order))];
  });
  return new Map([...earlier.map((claim) => [claim.id, { claim, url: null }] as const), ...results]);
}

function tokenTaken({ tokenId: named, tokenIds }: ClaimInput): DomainError {
  const message =
    tokenIds === undefined
      ? `An order for token ${named} is under way`
      : `Every token from ${tokenIds.from} to ${tokenIds.to} has an order`;
  return new DomainError('token_unavailable', message);
}

/** A claim that could be stored, or why it is refused. */
interface Drafted {
  readonly input: NamedClaim;
  readonly secret: string;
  readonly reserved: OrderDraft | DomainError;
  readonly draft: NewClaim | DomainError;
}

async function draftClaims(services: TenantServices, inputs: readonly NamedClaim[], now: Date): Promise<Drafted[]> {
  const orders = inputs.map((input) => ({
    ...input,
    receiverAddress: zeroAddress,
    tokenId: input.tokenId ?? input.tokenIds?.from ?? '0',
  }));
  const drafts = await draftOrders(services, orders);
  const beyond = beyondSearch(inputs);
  const reserved = inputs.map((input, index) => {
    const draft = drafts[index];
    if (draft === undefined) throw new Error('A claim had no draft');
    return beyond.get(input) ?? reservedBy(services, input, draft, now);
  });
  const conflicts = await conflictsAmong(services, reserved);
  return await Promise.all(
    inputs.map(async (input, index) => {
      const secret = newClaimSecret();
      const own = conflicts[index] ?? reserved[index];
      if (own === undefined) throw new Error('A claim had no draft');
      const draft = own instanceof DomainError ? own : await makeClaim(input, own, secret, now);
      return { input, secret, reserved: own, draft };
    }),
  );
}

/** The claims with whose ranges those of a request have too many ids, and why they are refused. */
function beyondSearch(inputs: readonly NamedClaim[]): ReadonlyMap<NamedClaim, DomainError> {
  const message = `The ranges of a request have ${MAX_RANGE} ids at most; one that several claims name counts once`;
  const counted = new Set<string>();
  const refused = new Map<NamedClaim, DomainError>();
  let total = 0n;
  for (const input of inputs) {
    const { chainId, contractAddress, tokenIds } = input;
    if (tokenIds === undefined) continue;
    const key = `${chainId} ${contractAddress} ${tokenIds.from} ${tokenIds.to}`;
    const size = counted.has(key) ? 0n : BigInt(tokenIds.to) - BigInt(tokenIds.from) + 1n;
    if (total + size > MAX_RANGE) {
      refused.set(input, invalidInput([{ path: 'tokenIds', code: 'not_allowed', message }]));
      continue;
    }
    counted.add(key);
    total += size;
  }
  return refused;
}

/** The order of a claim, or why its fields are refused. */
function reservedBy(
  services: TenantServices,
  input: NamedClaim,
  draft: OrderDraft | DomainError,
  now: Date,
): OrderDraft | DomainError {
  const issues = claimIssues(services, input, draft, now);
  if (draft instanceof DomainError) {
    return issues.length > 0 && draft.issues !== undefined ? invalidInput([...issues, ...draft.issues]) : draft;
  }
  if (issues.length > 0) return invalidInput(issues);
  // Which token of a range it will be is not known yet.
  return input.tokenIds === undefined ? draft : { ...draft, subjects: { ...draft.subjects, token: undefined } };
}

async function makeClaim(input: NamedClaim, { order }: OrderDraft, secret: string, now: Date): Promise<NewClaim> {
  const { id, tokenIds, pin, expiresAt = new Date(now.getTime() + DEFAULT_DAYS * DAY_MS) } = input;
  return {
    id,
    order,
    tokenIds,
    secretHash: await secretHash(secret),
    pinHash: pin === undefined ? null : await pinHash(secret, pin),
    expiresAt,
  };
}

/** The issues of the fields that an order does not have. */
function claimIssues(
  services: TenantServices,
  { tokenId: named, tokenIds, expiresAt }: ClaimInput,
  draft: OrderDraft | DomainError,
  now: Date,
): InputIssue[] {
  const issues: InputIssue[] = [];
  if (named === undefined && tokenIds === undefined) {
    issues.push({ path: 'tokenId', code: 'required', message: 'is required, unless tokenIds is given' });
  }
  if (tokenIds !== undefined) {
    const message = named === undefined ? rangeIssue(services, draft) : 'must be absent with tokenId';
    if (message !== undefined) issues.push({ path: 'tokenIds', code: 'not_allowed', message });
  }
  const wait = expiresAt === undefined ? undefined : expiresAt.getTime() - now.getTime();
  if (wait !== undefined && (wait < MINUTE_MS || wait > MAX_DAYS * DAY_MS)) {
    issues.push({ path: 'expiresAt', message: `must be between a minute and ${MAX_DAYS} days from now` });
  }
  return issues;
}

/** Why the token of a contract must be named; undefined if it may be the lowest of a range. */
function rangeIssue(services: TenantServices, draft: OrderDraft | DomainError): string | undefined {
  if (draft instanceof DomainError) return undefined;
  const { subjects } = draft;
  if (subjects.contract.contractType === 'certificate') {
    return 'must be absent for a certificate: tokenUri names its token';
  }
  return mayExist(services, { ...subjects, token: undefined })
    ? 'must be absent for this contract: it may have tokens that no order of this service has minted'
    : undefined;
}

/** {@link acceptClaims} for one claim. @throws {DomainError} why it is refused. */
export async function acceptClaim(services: TenantServices, input: ClaimInput): Promise<AcceptedClaim> {
  return await acceptOne(services, input, acceptClaims);
}

export const claimBatchInput = z
  .strictObject({ claims: batchItems('claim', { schema: 'CreateClaim', path: 'POST /claims' }) })
  .meta({ id: 'CreateClaims' });

/** Accepts or refuses each claim individually. @returns for each, in order, the claim or why it is refused. */
export async function acceptClaimBatch(
  services: TenantServices,
  { claims }: z.output<typeof claimBatchInput>,
): Promise<(AcceptedClaim | DomainError)[]> {
  return await acceptEach(services, claims, claimInput, acceptClaims);
}
