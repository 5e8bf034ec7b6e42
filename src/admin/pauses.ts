import { z } from 'zod';
import { instantField } from '../core/fields.ts';
import { notFound } from '../core/domain-error.ts';
import { holdPaused, releaseHeld, type Paused } from '../engine/store/pauses.ts';
import { wakeLanes } from '../engine/wake-lanes.ts';
import type { Services } from '../services.ts';
import { wakeEndpoints } from '../webhooks/wake-endpoints.ts';
import { engineEvents } from '../webhooks/engine-hooks.store.ts';
import {
  findAccountPause,
  findChainPause,
  pauseAccount as storeAccountPause,
  pauseChain as storeChainPause,
  resumeAccount as removeAccountPause,
  resumeChain as removeChainPause,
} from './pauses.store.ts';
import { chainIdReply, corporateIdReply } from '../core/reply-fields.ts';

const pausedAt = instantField.nullable().meta({ description: 'Paused since, UTC; null while it is not paused' });

export const accountPauseSchema = z.object({ corporateId: corporateIdReply, pausedAt }).meta({ id: 'AccountPause' });
export const chainPauseSchema = z.object({ chainId: chainIdReply, pausedAt }).meta({ id: 'ChainPause' });

type AccountPause = z.output<typeof accountPauseSchema>;
type ChainPause = z.output<typeof chainPauseSchema>;

/**
 * Pauses an account: its orders are accepted and wait. None of them is signed for the first time once this has
 * returned; what is signed continues. Pausing it again changes nothing.
 * @param isRetry Whether an earlier attempt of the same request has done so: it may have been resumed since.
 * @throws {DomainError} `not-found`.
 */
export async function pauseAccount(services: Services, corporateId: string, isRetry: boolean): Promise<AccountPause> {
  const { db, clock } = services;
  const account = isRetry
    ? await findAccountPause(db, corporateId)
    : await storeAccountPause(db, corporateId, new Date(clock.now()));
  return await accountPause(services, corporateId, account);
}

/**
 * Resumes an account: its paused orders become due.
 * @param isRetry As for {@link pauseAccount}.
 * @throws {DomainError} `not-found`.
 */
export async function resumeAccount(services: Services, corporateId: string, isRetry: boolean): Promise<AccountPause> {
  if (isRetry) return await accountPause(services, corporateId, await findAccountPause(services.db, corporateId));
  const id = await removeAccountPause(services.db, corporateId);
  return await accountPause(services, corporateId, id === undefined ? undefined : { id, pausedAt: null });
}

async function accountPause(
  services: Services,
  corporateId: string,
  account: { readonly id: string; readonly pausedAt: Date | null } | undefined,
): Promise<AccountPause> {
  if (account === undefined) throw notFound('Account');
  return { corporateId, pausedAt: await carryOut(services, { accountId: account.id }, account.pausedAt) };
}

/**
 * {@link pauseAccount} for all accounts on one chain.
 * @throws {DomainError} `not-found` if the chain is not allowed.
 */
export async function pauseChain(services: Services, chainId: string, isRetry: boolean): Promise<ChainPause> {
  const { db, clock, chains } = services;
  if (!chains.has(chainId)) throw notFound('Chain');
  const since = isRetry ? await findChainPause(db, chainId) : await storeChainPause(db, chainId, new Date(clock.now()));
  return { chainId, pausedAt: await carryOut(services, { chainId }, since) };
}

/** {@link resumeAccount} for a chain. @throws {DomainError} `not-found` if the chain is not allowed. */
export async function resumeChain(services: Services, chainId: string, isRetry: boolean): Promise<ChainPause> {
  if (!services.chains.has(chainId)) throw notFound('Chain');
  const since = isRetry ? await findChainPause(services.db, chainId) : null;
  if (!isRetry) await removeChainPause(services.db, chainId);
  return { chainId, pausedAt: await carryOut(services, { chainId }, since) };
}

/** Holds the orders of what is paused, or releases those of what is not. @returns since when it is paused. */
async function carryOut(services: Services, paused: Paused, since: Date | null): Promise<string | null> {
  const { db, clock } = services;
  const now = new Date(clock.now());
  if (since === null) wakeLanes(services, { queue: 'mint' }, await releaseHeld(db, paused, 'paused', now));
  else wakeEndpoints(services, await holdPaused(db, engineEvents, paused, now));
  return since?.toISOString() ?? null;
}
