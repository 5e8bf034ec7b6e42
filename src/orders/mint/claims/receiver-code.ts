import type { Address } from 'viem';
import type { Chain, Chains } from '../../../chains/client.ts';
import { classifyCallError } from '../../../chains/rpc-error.ts';
import type { InputIssue } from '../../../core/domain-error.ts';
import { within } from '../../../core/within.ts';
import type { Call } from '../../../engine/order-kind.ts';
import { encodeMint, type MintRequest } from '../mint-call.ts';

/**
 * The gas that the code of a claim's receiver may use: a stranger names it, and the account's wallet pays. The hooks of
 * smart wallets, and of accounts that have delegated to one (EIP-7702), need less than half.
 */
const RECEIVER_GAS = 50_000n;

/** An address that has no code, because nobody has its key: the last bytes of keccak256("receiver without code"). */
const WITHOUT_CODE = '0x07115914a9c889af6287810347054d5a54fc0517';

/** What bounds the gas of a mint whose receiver a stranger has named. */
export function receiverBound(mint: MintRequest): NonNullable<Call['bound']> {
  return { data: encodeMint({ ...mint, receiverAddress: WITHOUT_CODE }), more: RECEIVER_GAS };
}

/** How long whoever claims waits for the chain, in milliseconds. */
const PATIENCE_MS = 3_000;

/**
 * Why a receiver cannot get the token of a claim: its code refuses it, or uses too much gas. Before a mint is signed
 * this is decided again, so that what is not known now is no issue: its code may change, and the chain may not answer.
 */
export async function receiverIssue(
  chains: Chains,
  claim: MintRequest & { readonly chainId: string; readonly walletAddress: Address },
  receiverAddress: Address,
): Promise<InputIssue | undefined> {
  const chain = chains.get(claim.chainId);
  if (chain === undefined) return undefined;
  const reason = (await within(PATIENCE_MS, simulateMint(chain, claim, receiverAddress)))?.result;
  if (reason === undefined) return undefined;
  const message = `is a contract that refuses the token, or uses more than ${RECEIVER_GAS} gas to receive it (${reason}): name another address`;
  return { path: 'receiverAddress', code: 'not_allowed', message };
}

/** Why the mint fails with the gas that it may use; undefined if it does not, or that is not known. */
async function simulateMint(
  { client }: Chain,
  { walletAddress: account, ...mint }: MintRequest & { readonly walletAddress: Address },
  receiverAddress: Address,
): Promise<string | undefined> {
  const { contractAddress: to } = mint;
  const { data, more } = receiverBound(mint);
  let gas: bigint;
  try {
    const call = { from: account, to, data };
    const [code, plain] = await Promise.all([
      client.getCode({ address: receiverAddress }),
      client.request({ method: 'eth_estimateGas', params: [call, 'latest'] }),
    ]);
    if (code === undefined) return undefined;
    gas = BigInt(plain) + more;
  } catch {
    return undefined;
  }
  try {
    await client.call({ account, to, data: encodeMint({ ...mint, receiverAddress }), gas });
    return undefined;
  } catch (error) {
    const failure = classifyCallError(error);
    return failure.kind === 'reverted' ? (failure.reason ?? 'no reason given') : undefined;
  }
}
