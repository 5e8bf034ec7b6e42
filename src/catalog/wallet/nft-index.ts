import type { Address } from 'viem';
import { z } from 'zod';
import type { ChainDefinition } from '../../chains/definition.ts';
import { DomainError, invalidInput } from '../../core/domain-error.ts';
import type { Log } from '../../core/log.ts';
import { readJsonText, BodyTooLargeError, sendRequest } from '../../core/send-request.ts';

const TIMEOUT_MS = 10_000;
/** The provider's maximum page size. */
const PAGE_SIZE = 50;
/** Several times the size of a page, in bytes. */
const MAX_REPLY_BYTES = 8 * 1_024 * 1_024;
/** The longest page token that a caller may send back. */
export const MAX_PAGE_TOKEN = 4_096;
/** JSON-RPC error code for invalid parameters. */
const INVALID_PARAMS = -32_602;

/** A token held by a wallet, according to the index. Unknown fields are empty. */
export interface IndexedToken {
  readonly chain: ChainDefinition;
  /** Lower case. */
  readonly contractAddress: string;
  /** Decimal. */
  readonly tokenId: string;
  /** Decimal; 1 for ERC-721. */
  readonly amount: string;
  readonly name: string;
  readonly symbol: string;
  readonly tokenUrl: string;
  readonly imageUrl: string;
}

export interface IndexQuery {
  readonly wallet: Address;
  readonly chains: readonly ChainDefinition[];
  /** `nextPageToken` of the previous page; empty for the first. */
  readonly pageToken: string;
}

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
/** Up to the length of a uint256: converting a number of a million digits would take seconds. */
const wholeNumber = z
  .union([z.string().regex(/^(\d{1,78}|0x[0-9a-fA-F]{1,64})$/), z.int().nonnegative()])
  .transform((value) => BigInt(value).toString());

const replySchema = z.union([
  z.object({
    result: z.object({
      // Counted before any is read: millions of invalid ones would have as many issues.
      assets: z
        .array(z.unknown())
        .max(PAGE_SIZE)
        .pipe(
          z.array(
            z.object({
              blockchain: z.string(),
              contractAddress: z.string().transform((address) => address.toLowerCase()),
              tokenId: wholeNumber,
              quantity: wholeNumber.nullish(),
              name: text,
              symbol: text,
              tokenUrl: text,
              imageUrl: text,
            }),
          ),
        ),
      nextPageToken: z
        .string()
        .max(MAX_PAGE_TOKEN)
        .nullish()
        .transform((value) => value ?? ''),
    }),
  }),
  z.object({ error: z.object({ code: z.int() }) }),
]);

/**
 * Fetches one page of a wallet's tokens from the NFT index (Ankr's `ankr_getNFTsByOwner`). `indexUrl` contains the
 * provider's key: neither it nor the provider's error message is passed on.
 * @throws {DomainError} `upstream` when the index fails, times out or sends an invalid response; `invalid` when it
 *   rejects the page token.
 */
export async function tokensOfWallet(
  indexUrl: string,
  { wallet, chains, pageToken }: IndexQuery,
  log: Log,
): Promise<{ tokens: IndexedToken[]; nextPageToken: string | null }> {
  const fail = (message: string, fields: Record<string, unknown> = {}): never => {
    log.warn('nft_index.failed', { reason: message, ...fields });
    throw new DomainError('upstream', message);
  };
  const params = {
    walletAddress: wallet,
    blockchain: chains.map(({ indexName }) => indexName),
    pageSize: PAGE_SIZE,
    ...(pageToken === '' ? {} : { pageToken }),
  };
  let body: unknown;
  try {
    const reply = await sendRequest(indexUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ankr_getNFTsByOwner', params }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!reply.ok) {
      await reply.body?.cancel();
      return fail(`The NFT index answered ${reply.status}`);
    }
    body = JSON.parse(await readJsonText(reply, MAX_REPLY_BYTES));
  } catch (error) {
    if (error instanceof DomainError) throw error;
    if (error instanceof SyntaxError) return fail('The NFT index answered with a body that is not JSON');
    if (error instanceof BodyTooLargeError) return fail('The response of the NFT index is too large');
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    return fail(
      timedOut ? `The NFT index did not answer within ${TIMEOUT_MS / 1_000} seconds` : 'The NFT index is unreachable',
    );
  }
  const parsed = replySchema.safeParse(body);
  if (!parsed.success) {
    const paths = parsed.error.issues.map(({ path }) => path.join('.'));
    return fail('The NFT index answered with an unexpected body', { paths });
  }
  if ('error' in parsed.data) {
    const { code } = parsed.data.error;
    if (code === INVALID_PARAMS && pageToken !== '') {
      throw invalidInput([{ path: 'pageToken', message: 'is not the nextPageToken of this listing' }]);
    }
    return fail('The NFT index answered with an error', { code });
  }
  const { assets, nextPageToken } = parsed.data.result;
  return {
    tokens: assets.flatMap(({ blockchain, quantity, ...token }) => {
      const chain = chains.find(({ indexName }) => indexName === blockchain);
      return chain === undefined ? [] : [{ ...token, chain, amount: quantity ?? '1' }];
    }),
    nextPageToken: nextPageToken === '' ? null : nextPageToken,
  };
}
