import { createPublicClient, getAddress, http, isAddress, type PublicClient } from 'viem';
import { z } from 'zod';
import { BodyTooLargeError, type HttpServer, readBody, sendJson, startHttpServer } from '../http-server.ts';
import { describeToken } from './token-description.ts';
import { type Holding, readHoldings, type Position } from './token-holdings.ts';

export interface NftIndexOptions {
  /** The chains that it indexes: the provider's name and the RPC URL of each. */
  readonly chains: readonly { readonly blockchain: string; readonly rpcUrl: string }[];
  /** Default: any free port. */
  readonly port?: number;
}

const BODY_LIMIT = 64 * 1024;
const MAX_PAGE_SIZE = 50;

/** A JSON-RPC error; the provider sends it with HTTP 200. */
class RpcError extends Error {
  readonly code: number;
  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const requestSchema = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]),
  method: z.string(),
  params: z.unknown(),
});

const paramsSchema = z.object({
  walletAddress: z.string().refine((value) => isAddress(value, { strict: false }), 'is not an address'),
  blockchain: z.union([z.string().transform((name) => [name]), z.array(z.string())]).optional(),
  pageSize: z.int().min(1).max(MAX_PAGE_SIZE).default(10),
  pageToken: z.string().optional(),
});

/** The last token of a page: its chain and its position there. */
const cursorSchema = z.tuple([z.string(), z.tuple([z.int(), z.int(), z.int()])]);

const toPageToken = (blockchain: string, position: Position) =>
  Buffer.from(JSON.stringify([blockchain, position])).toString('base64url');

function fromPageToken(token: string): z.output<typeof cursorSchema> {
  try {
    return cursorSchema.parse(JSON.parse(Buffer.from(token, 'base64url').toString()));
  } catch (error) {
    throw new RpcError(-32_602, 'invalid pageToken', { cause: error });
  }
}

interface Chain {
  readonly blockchain: string;
  readonly client: PublicClient;
}

async function asset({ blockchain, client }: Chain, holding: Holding): Promise<object> {
  return {
    blockchain,
    ...(await describeToken(client, holding)),
    tokenId: holding.tokenId.toString(),
    contractAddress: holding.contract.toLowerCase(),
    contractType: holding.standard,
    ...(holding.standard === 'ERC1155' ? { quantity: holding.amount.toString() } : {}),
  };
}

async function nftsByOwner(chains: readonly Chain[], input: unknown): Promise<object> {
  const { walletAddress, blockchain, pageSize, pageToken } = paramsSchema.parse(input);
  const owner = getAddress(walletAddress);
  const unknown = blockchain?.find((name) => chains.every((chain) => chain.blockchain !== name));
  if (unknown !== undefined) throw new RpcError(-32_602, `unsupported blockchain: ${unknown}`);
  const requested = chains.filter((chain) => blockchain?.includes(chain.blockchain) ?? true);

  const [startName, startAfter] = pageToken === undefined ? [] : fromPageToken(pageToken);
  const start = startName === undefined ? 0 : requested.findIndex((chain) => chain.blockchain === startName);
  if (start < 0) throw new RpcError(-32_602, 'pageToken belongs to another request');

  const found: { chain: Chain; holding: Holding }[] = [];
  for (const chain of requested.slice(start)) {
    const after = chain.blockchain === startName ? startAfter : undefined;
    // One more than the page has, to know whether there is a next page.
    const wanted = pageSize + 1 - found.length;
    const holdings = wanted > 0 ? await readHoldings(chain.client, owner, after, wanted) : [];
    found.push(...holdings.map((holding) => ({ chain, holding })));
  }
  const page = found.slice(0, pageSize);
  const last = found.length > pageSize ? page.at(-1) : undefined;
  return {
    owner,
    assets: await Promise.all(page.map(({ chain, holding }) => asset(chain, holding))),
    nextPageToken: last === undefined ? '' : toPageToken(last.chain.blockchain, last.holding.position),
  };
}

function rpcErrorOf(error: unknown): { code: number; message: string } {
  if (error instanceof RpcError) return { code: error.code, message: error.message };
  if (error instanceof z.ZodError) return { code: -32_602, message: `invalid params: ${z.prettifyError(error)}` };
  return { code: -32_603, message: `internal error: ${error instanceof Error ? error.message : String(error)}` };
}

/**
 * Starts an NFT index that implements the provider's `ankr_getNFTsByOwner` on the logs of the local chains. Its results
 * reflect the chains at the time of the request.
 */
export function startNftIndex({ chains: served, port }: NftIndexOptions): Promise<HttpServer> {
  const chains = served.map(({ blockchain, rpcUrl }) => ({
    blockchain,
    client: createPublicClient({ transport: http(rpcUrl, { batch: true, retryCount: 0 }) }),
  }));
  return startHttpServer(
    'NFT index',
    async (request, response) => {
      let id: string | number | null = null;
      try {
        const body: unknown = JSON.parse((await readBody(request, BODY_LIMIT)).toString());
        const call = requestSchema.parse(body);
        ({ id } = call);
        if (call.method !== 'ankr_getNFTsByOwner')
          throw new RpcError(-32_601, `the method ${call.method} does not exist`);
        sendJson(response, 200, { jsonrpc: '2.0', id, result: await nftsByOwner(chains, call.params) });
      } catch (error) {
        if (error instanceof BodyTooLargeError) sendJson(response, 413, { message: error.message });
        else if (error instanceof SyntaxError) {
          sendJson(response, 200, { jsonrpc: '2.0', id, error: { code: -32_700, message: 'parse error' } });
        } else sendJson(response, 200, { jsonrpc: '2.0', id, error: rpcErrorOf(error) });
      }
    },
    port,
  );
}
