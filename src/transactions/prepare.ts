import type { PrivateKeyAccount } from 'viem/accounts';
import { hexToBigInt } from 'viem';
import { SigningKeyRefused } from '../accounts/signing-keys.ts';
import { callVerdict } from '../chains/rpc-error.ts';
import { gasLimitFor, gasPriceAt } from './fees.ts';
import type { GasPrice } from './fees.ts';
import type { Job, Lane } from './job.ts';
import { OperationDeferred, OperationRefused } from './operation.ts';
import type { Call, Claim } from './operation.ts';

/** A job with all that its signature needs, but the nonce. */
export interface ReadyJob<Order> extends Job<Order> {
  readonly call: Call;
  readonly gasLimit: bigint;
}

/** How each job of a batch stands after what can fail was tried: before any nonce is taken. */
export interface Prepared<Order> {
  readonly ready: readonly ReadyJob<Order>[];
  /** These can never succeed. */
  readonly refused: readonly { readonly job: Job<Order>; readonly reason: string }[];
  /** The wallet cannot pay for these now. */
  readonly unfunded: readonly { readonly job: Job<Order>; readonly reason: string }[];
  /** Nothing is known of these yet: the node gave no answer that says anything. */
  readonly unanswered: readonly Job<Order>[];
  readonly signer: PrivateKeyAccount | undefined;
  readonly gasPrice: GasPrice;
  /** How many transactions of the wallet are mined. */
  readonly chainNonce: number;
}

/**
 * Does everything that can fail before a nonce is taken: the key, the call, the estimate, the funds. A certain revert
 * ends here and costs nothing.
 */
export async function prepare<Order>(
  lane: Lane<Order, unknown>,
  jobs: readonly Job<Order>[],
): Promise<Prepared<Order>> {
  const { client } = lane.chain;
  const from = lane.account.walletAddress;
  const signer = await signerOf(lane);
  const built = await Promise.all(jobs.map(async (job) => ({ job, call: await buildCall(lane, job) })));

  // One JSON-RPC batch: what is asked in the same tick leaves together.
  const [block, tip, chainNonce, balance, estimates] = await Promise.all([
    client.getBlock({ blockTag: 'latest' }),
    client.request({ method: 'eth_maxPriorityFeePerGas' }).then(hexToBigInt),
    client.getTransactionCount({ address: from, blockTag: 'latest' }),
    client.getBalance({ address: from }),
    Promise.all(built.map(async ({ job, call }) => (call instanceof Error ? call : await estimate(lane, job, call)))),
  ]);
  const gasPrice = gasPriceAt(block, tip);

  const ready: ReadyJob<Order>[] = [];
  const refused: { job: Job<Order>; reason: string }[] = [];
  const unfunded: { job: Job<Order>; reason: string }[] = [];
  const unanswered: Job<Order>[] = [];
  let spent = 0n;
  const lacks = (wei: bigint) =>
    `The wallet ${from} lacks funds on chain ${lane.chain.id}: ${wei - balance} wei more are needed`;

  for (const [index, { job, call }] of built.entries()) {
    const answer = estimates[index];
    if (signer instanceof SigningKeyRefused) refused.push({ job, reason: signer.message });
    else if (call instanceof OperationRefused) refused.push({ job, reason: call.message });
    else if (call instanceof OperationDeferred) unanswered.push(job);
    else if (typeof answer === 'bigint') {
      const gasLimit = gasLimitFor(answer, call.reservedGas);
      const cost = gasLimit * gasPrice.maxFeePerGas;
      if (spent + cost > balance) unfunded.push({ job, reason: lacks(spent + cost) });
      else {
        spent += cost;
        ready.push({ ...job, call, gasLimit });
      }
    } else if (answer === undefined || answer instanceof Error || answer.kind === 'unknown') {
      unanswered.push(job);
    } else if (answer.kind === 'no-funds') unfunded.push({ job, reason: lacks(balance + 1n) });
    else refused.push({ job, reason: answer.reason });
  }
  return {
    ready,
    refused,
    unfunded,
    unanswered,
    signer: signer instanceof SigningKeyRefused ? undefined : signer,
    gasPrice,
    chainNonce,
  };
}

async function signerOf(
  lane: Pick<Lane<never, never>, 'services' | 'account'>,
): Promise<PrivateKeyAccount | SigningKeyRefused> {
  try {
    return await lane.services.keys.signerOf(lane.account);
  } catch (error) {
    if (error instanceof SigningKeyRefused) return error;
    throw error;
  }
}

async function buildCall<Order>(
  lane: Lane<Order, unknown>,
  { claim }: Job<Order>,
): Promise<Call | OperationRefused | OperationDeferred> {
  try {
    return await lane.operation.buildCall(lane.services, claim);
  } catch (error) {
    if (error instanceof OperationRefused || error instanceof OperationDeferred) return error;
    throw error;
  }
}

/** Gas of the call in units, or what its failure means; of a revert, the order's `errorMessage`. */
async function estimate<Order>(lane: Lane<Order, unknown>, { claim }: Job<Order>, call: Call) {
  const from = lane.account.walletAddress;
  try {
    return hexToBigInt(
      await lane.chain.client.request({ method: 'eth_estimateGas', params: [{ from, to: call.to, data: call.data }] }),
    );
  } catch (error) {
    const verdict = callVerdict(error);
    if (verdict.kind !== 'reverted') return verdict;
    const words = verdict.reason ?? (await probeReason(lane, call)) ?? 'the contract gave no reason';
    return { kind: 'reverted' as const, reason: await explained(lane, claim, `Reverted: ${words}`) };
  }
}

/** The reason of a revert, in the operation's words where it has some. */
export async function explained<Order>(
  { operation, services }: Lane<Order, unknown>,
  claim: Claim<Order>,
  reason: string,
): Promise<string> {
  return (await operation.explainRevert?.(services, claim, reason)) ?? reason;
}

/**
 * Asks the call's probe why the call reverts.
 * @param blockNumber The block after which it is asked; the newest when absent.
 */
export async function probeReason(
  lane: Pick<Lane<never, never>, 'chain'>,
  call: Call,
  blockNumber?: bigint,
): Promise<string | undefined> {
  if (call.probe === undefined) return undefined;
  const { from, to, data } = call.probe;
  try {
    await lane.chain.client.call({
      account: from,
      ...(to === undefined ? {} : { to }),
      data,
      ...(blockNumber === undefined ? {} : { blockNumber }),
    });
    return undefined;
  } catch (error) {
    const verdict = callVerdict(error);
    return verdict.kind === 'reverted' ? verdict.reason : undefined;
  }
}
