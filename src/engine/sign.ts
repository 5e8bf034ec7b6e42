import { keccak256 } from 'viem';
import type { Address, Hex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { GasPrice } from './fees.ts';
import type { Job, NewAttempt } from './job.ts';
import type { ReadyJob } from './prepare.ts';
import { pause } from './pause.ts';

/** Signatures between yields to the event loop; each blocks it for about half a millisecond. */
const SIGNATURES_PER_YIELD = 20;

/** Gas of a plain transfer. */
export const CANCEL_GAS = 21_000n;

/** The transaction to sign for a job. */
interface Signing {
  readonly job: Job;
  readonly signer: PrivateKeyAccount;
  readonly purpose: NewAttempt['purpose'];
  readonly to: Address;
  readonly data: Hex;
  readonly gas: bigint;
  readonly nonce: number;
  readonly offer: GasPrice;
}

/** Signs first attempts, each with its nonce. Sends nothing. */
export async function signFirst(
  chainId: string,
  ready: readonly ReadyJob[],
  nonces: readonly number[],
  createdAt: Date,
): Promise<NewAttempt[]> {
  const signed: NewAttempt[] = [];
  for (const [index, { job, call, gas, signer, offer }] of ready.entries()) {
    const nonce = nonces[index];
    if (nonce === undefined) break;
    if (index % SIGNATURES_PER_YIELD === SIGNATURES_PER_YIELD - 1) await pause(0);
    signed.push(
      await sign(
        chainId,
        { job, signer, purpose: 'effect', to: call.to, data: call.data, gas, nonce, offer },
        createdAt,
      ),
    );
  }
  return signed;
}

export async function sign(
  chainId: string,
  { job, signer, purpose, to, data, gas, nonce, offer }: Signing,
  createdAt: Date,
): Promise<NewAttempt> {
  const raw = await signer.signTransaction({
    type: 'eip1559',
    chainId: Number(chainId),
    nonce,
    to,
    data,
    gas,
    value: 0n,
    ...offer,
  });
  return { job, nonce, raw, hash: keccak256(raw), purpose, gas, offer, createdAt };
}
