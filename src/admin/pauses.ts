import { z } from 'zod';
import { instantField } from '../core/fields.ts';
import { notFound } from '../core/domain-error.ts';
import {
  holdPaused,
  pauseAccount as storeAccountPause,
  pauseChain as storeChainPause,
  releaseHeld,
  resumeAccount as removeAccountPause,
  resumeChain as removeChainPause,
  type Paused,
} from '../engine/store/pauses.ts';
import { wakeLanes } from '../engine/wake-lanes.ts';
import type { Services } from '../services.ts';
import { wakeEndpoints } from '../webhooks/wake-endpoints.ts';
import { chainIdReply, corporateIdReply } from '../core/reply-fields.ts';

const pausedAt = instantField.nullable().meta({ description: 'Paused since, UTC; null while it is not paused' });

export const accountPauseSchema = z.object({ corporateId: corporateIdReply, pausedAt }).meta({ id: 'AccountPause' });
export const chainPauseSchema = z.object({ chainId: chainIdReply, pausedAt }).meta({ id: 'ChainPause' });

type AccountPause = z.output<typeof accountPauseSchema>;
type ChainPause = z.output<typeof chainPauseSchema>;

/**
 * Pauses an account: its orders are accepted and wait. None of them is signed for the first time once this has returned; what is signed
 * continues. Pausing it again changes nothing.
 * @throws {DomainError} `not-found`.
 */
export async function pauseAccount(services: Services, corporateId: string): Promise<AccountPause> {
  const { db, clock } = services;
  const now = new Date(clock.now());
  const account = await storeAccountPause(db, corporateId, now);
  if (account === undefined) throw notFound('Account');
  wakeEndpoints(services, await holdPaused(db, { accountId: account.id }, now));
  return { corporateId, pausedAt: (account.pausedAt ?? now).toISOString() };
}

/** Resumes an account: its paused orders become due. @throws {DomainError} `not-found`. */
export async function resumeAccount(services: Services, corporateId: string): Promise<AccountPause> {
  const accountId = await removeAccountPause(services.db, corporateId);
  if (accountId === undefined) throw notFound('Account');
  await release(services, { accountId });
  return { corporateId, pausedAt: null };
}

/** {@link pauseAccount} for all accounts on one chain. @throws {DomainError} `not-found` if the chain is not allowed. */
export async function pauseChain(services: Services, chainId: string): Promise<ChainPause> {
  const { db, clock, chains } = services;
  if (!chains.has(chainId)) throw notFound('Chain');
  const now = new Date(clock.now());
  const since = await storeChainPause(db, chainId, now);
  wakeEndpoints(services, await holdPaused(db, { chainId }, now));
  return { chainId, pausedAt: since.toISOString() };
}

/** {@link resumeAccount} for a chain. @throws {DomainError} `not-found` if the chain is not allowed. */
export async function resumeChain(services: Services, chainId: string): Promise<ChainPause> {
  if (!services.chains.has(chainId)) throw notFound('Chain');
  await removeChainPause(services.db, chainId);
  await release(services, { chainId });
  return { chainId, pausedAt: null };
}

async function release(services: Services, paused: Paused): Promise<void> {
  const lanes = await releaseHeld(services.db, paused, 'paused', new Date(services.clock.now()));
  wakeLanes(services, { queue: 'mint' }, lanes);
}
