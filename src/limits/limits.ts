import { formatEther, formatGwei, parseEther, parseGwei } from 'viem';
import { z } from 'zod';
import type { Chains } from '../chains/client.ts';
import { invalidInput, notFound, type InputIssue } from '../core/domain-error.ts';
import { addressField, chainIdField, contractAddressField, instantField, recordField } from '../core/fields.ts';
import { lowerCase } from '../core/lower-case.ts';
import { dayEnd } from './account-limits.ts';
import { readUsage, storeLimits } from './limits.store.ts';
import { releaseHeld } from '../engine/store/pauses.ts';
import { wakeLanes } from '../engine/wake-lanes.ts';
import type { StoredLimits, StoredSpendLimits } from '../platform/database/schema.ts';
import type { Services, TenantServices } from '../services.ts';
import {
  addressReply,
  chainIdReply,
  coinsReply,
  contractAddressReply,
  corporateIdReply,
} from '../core/reply-fields.ts';

/** The most entries of a list. */
const MAX_ENTRIES = 1_000;

const countField = z.int().min(0).max(1_000_000_000);
const coinsField = z
  .string()
  .regex(/^\d{1,12}(\.\d{1,18})?$/, 'must be coins in decimal, with at most 18 places')
  .meta({ description: 'Coins, decimal', example: '1.5' });
const gweiField = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,9})?$/, 'must be gwei in decimal, with at most 9 places')
  .meta({ description: 'Gwei, decimal', example: '60' });

const listOf = <Field extends z.ZodType>(field: Field, description: string) =>
  z.array(field).max(MAX_ENTRIES, `must have at most ${MAX_ENTRIES} entries`).nullish().meta({ description });

const spendInput = z.strictObject({
  perDay: coinsField
    .nullish()
    .meta({ description: 'Coins in a UTC day. 429 above it; accepted orders wait for the next day' }),
  perOrder: coinsField.nullish().meta({ description: 'Coins. An order that may cost more waits' }),
  gasPrice: gweiField.nullish().meta({ description: 'Gwei. Orders wait while a unit of gas costs more' }),
});

/** All limits of an account; what is absent or null is not limited. */
export const limitsInput = z
  .strictObject({
    ordersPerDay: countField
      .nullish()
      .meta({ description: 'Orders accepted in a UTC day. 429 above it', example: 10_000 }),
    pendingOrders: countField
      .nullish()
      .meta({ description: 'Orders accepted and not ended. 429 above it', example: 1_000 }),
    receivers: listOf(
      addressField,
      "Who may receive tokens and contracts, besides the account's main wallet. 403 for others",
    ),
    contracts: listOf(contractAddressField, 'Contracts that orders may act on. 403 for others'),
    chains: listOf(chainIdField, 'Chains that orders may use. 403 for others'),
    spend: recordField(chainIdField, spendInput).optional().meta({ description: 'By chain id, in coins of the chain' }),
  })
  .meta({ id: 'SetLimits' });

const spendSchema = z.object({
  perDay: coinsReply.nullable().meta({ description: 'Coins in a UTC day; null: not limited' }),
  perOrder: coinsReply.nullable().meta({ description: 'Coins for one order; null: not limited' }),
  gasPrice: coinsReply.nullable().meta({ description: 'Gwei for a unit of gas; null: not limited', example: '60' }),
});

const limitsFields = {
  ordersPerDay: z
    .int()
    .nullable()
    .meta({ description: 'Orders accepted in a UTC day; null: not limited', example: 10_000 }),
  pendingOrders: z
    .int()
    .nullable()
    .meta({ description: 'Orders accepted and not ended; null: not limited', example: 1_000 }),
  receivers: z
    .array(addressReply)
    .nullable()
    .meta({ description: 'Who may receive tokens and contracts, in lower case; null: anyone' }),
  contracts: z
    .array(contractAddressReply)
    .nullable()
    .meta({ description: 'Contracts that orders may act on, in lower case; null: all of the account' }),
  chains: z.array(chainIdReply).nullable().meta({ description: 'Chains that orders may use; null: all' }),
  spend: z.record(z.string(), spendSchema).meta({ description: 'By chain id: coins, and gwei for a unit of gas' }),
};

export const storedLimitsSchema = z
  .object({ corporateId: corporateIdReply, ...limitsFields })
  .meta({ id: 'AccountLimits' });

export const limitsSchema = z
  .object({
    ...limitsFields,
    used: z
      .object({
        ordersToday: z.int().meta({ description: 'Orders accepted since the UTC day began', example: 12 }),
        pendingOrders: z.int().meta({ description: 'Orders accepted and not ended', example: 2 }),
        spentToday: z.record(z.string(), coinsReply).meta({
          description: 'By chain id, in coins: what ended orders have cost, and the most that signed ones may cost',
        }),
      })
      .meta({ description: 'Current usage of the limits' }),
    dayEndsAt: instantField.meta({ description: 'When the UTC day ends' }),
  })
  .meta({ id: 'LimitsAndUsage' });

const UNLIMITED: StoredLimits = {
  ordersPerDay: null,
  pendingOrders: null,
  receivers: null,
  contracts: null,
  chains: null,
  spend: {},
};

/**
 * Replaces an account's limits. Orders held by the old ones become due, and nothing is signed under the old ones once
 * this has returned.
 * @throws {DomainError} `not-found`; `invalid` if a chain is not allowed, because a limit for a misspelled chain would
 *   limit nothing.
 */
export async function setLimits(
  services: Services,
  corporateId: string,
  input: z.output<typeof limitsInput>,
): Promise<z.output<typeof storedLimitsSchema>> {
  const { db, clock, chains } = services;
  const unknown = unknownChains(input, chains);
  if (unknown.length > 0) throw invalidInput(unknown);
  const now = new Date(clock.now());
  const limits: StoredLimits = {
    ordersPerDay: input.ordersPerDay ?? null,
    pendingOrders: input.pendingOrders ?? null,
    receivers: input.receivers?.map(lowerCase) ?? null,
    contracts: input.contracts ?? null,
    chains: input.chains ?? null,
    spend: Object.fromEntries(
      Object.entries(input.spend ?? {}).map(([chainId, spend]) => [chainId, storedSpend(spend)]),
    ),
  };
  const accountId = await storeLimits(db, corporateId, limits, now);
  if (accountId === undefined) throw notFound('Account');
  wakeLanes(services, { queue: 'mint' }, await releaseHeld(db, { accountId }, 'limit', now));
  return { corporateId, ...limitsReply(limits) };
}

/** The account's limits, and what is used of them: spend only on chains that the caller may see. */
export async function getLimits({ db, clock }: TenantServices): Promise<z.output<typeof limitsSchema>> {
  const now = clock.now();
  const { limits, ordersToday, pendingOrders, spent } = await readUsage(db, new Date(now));
  const { spend, ...others } = limitsReply(limits ?? UNLIMITED);
  return {
    ...others,
    spend: Object.fromEntries(Object.entries(spend).filter(([chainId]) => db.chainIds?.includes(chainId) !== false)),
    used: {
      ordersToday,
      pendingOrders,
      spentToday: Object.fromEntries(spent.map(({ chainId, wei }) => [chainId, formatEther(BigInt(wei))])),
    },
    dayEndsAt: new Date(dayEnd(now)).toISOString(),
  };
}

function unknownChains({ chains = null, spend = {} }: z.output<typeof limitsInput>, known: Chains): InputIssue[] {
  const message = `must be one of ${[...known.keys()].join(', ')}`;
  return [
    ...(chains ?? []).flatMap((chainId, index) => (known.has(chainId) ? [] : [{ path: `chains.${index}`, message }])),
    ...Object.keys(spend).flatMap((chainId) => (known.has(chainId) ? [] : [{ path: `spend.${chainId}`, message }])),
  ];
}

function storedSpend({
  perDay = null,
  perOrder = null,
  gasPrice = null,
}: z.output<typeof spendInput>): StoredSpendLimits {
  return {
    perDay: perDay === null ? null : parseEther(perDay).toString(),
    perOrder: perOrder === null ? null : parseEther(perOrder).toString(),
    gasPrice: gasPrice === null ? null : parseGwei(gasPrice).toString(),
  };
}

function spendReply({ perDay, perOrder, gasPrice }: StoredSpendLimits): z.output<typeof spendSchema> {
  return {
    perDay: perDay === null ? null : formatEther(BigInt(perDay)),
    perOrder: perOrder === null ? null : formatEther(BigInt(perOrder)),
    gasPrice: gasPrice === null ? null : formatGwei(BigInt(gasPrice)),
  };
}

function limitsReply({ receivers, contracts, chains, spend, ...counts }: StoredLimits) {
  return {
    ...counts,
    receivers: receivers && [...receivers],
    contracts: contracts && [...contracts],
    chains: chains && [...chains],
    spend: Object.fromEntries(Object.entries(spend).map(([chainId, own]) => [chainId, spendReply(own)])),
  };
}
