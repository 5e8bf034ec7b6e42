import { erc1155Abi, erc721Abi, numberToHex, type PublicClient } from 'viem';
import { z } from 'zod';
import type { Holding } from './token-holdings.ts';

/** What an index says about a token besides its holder. Unavailable fields are empty. */
export interface TokenDescription {
  readonly collectionName: string;
  readonly symbol: string;
  readonly tokenUrl: string;
  readonly name: string;
  readonly imageUrl: string;
  readonly traits: readonly { readonly trait_type: string; readonly value: unknown }[];
}

const DOCUMENT_TIMEOUT_MS = 2_000;
const DOCUMENT_LIMIT = 1024 * 1024;

const text = z.string().catch('');
const documentSchema = z.object({
  name: text,
  image: text,
  attributes: z.array(z.object({ trait_type: z.string(), value: z.unknown() })).catch([]),
});
type Document = z.output<typeof documentSchema>;

const EMPTY: Document = { name: '', image: '', attributes: [] };

async function documentAt(url: string): Promise<Document> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(DOCUMENT_TIMEOUT_MS) });
    if (!response.ok || Number(response.headers.get('content-length') ?? 0) > DOCUMENT_LIMIT) {
      await response.body?.cancel();
      return EMPTY;
    }
    return documentSchema.parse(await response.json());
  } catch {
    // Not a URL, no response, not JSON: the index still lists the token.
    return EMPTY;
  }
}

/** ERC-1155: `{id}` is replaced by the token id as 64 lower-case hex digits. */
const withId = (uri: string, tokenId: bigint) =>
  uri.replaceAll('{id}', numberToHex(tokenId, { size: 32 }).slice('0x'.length));

const orEmpty = (reading: Promise<string>) => reading.catch(() => '');

/**
 * Reads a token's collection name, symbol and URI, and the document at that URI if it is available within two seconds.
 */
export async function describeToken(client: PublicClient, token: Holding): Promise<TokenDescription> {
  const { contract: address, tokenId } = token;
  const [collectionName, symbol, tokenUrl] = await Promise.all([
    // An ERC-1155 contract may have both as well, with the same signatures.
    orEmpty(client.readContract({ address, abi: erc721Abi, functionName: 'name' })),
    orEmpty(client.readContract({ address, abi: erc721Abi, functionName: 'symbol' })),
    orEmpty(
      token.standard === 'ERC721'
        ? client.readContract({ address, abi: erc721Abi, functionName: 'tokenURI', args: [tokenId] })
        : client
            .readContract({ address, abi: erc1155Abi, functionName: 'uri', args: [tokenId] })
            .then((uri) => withId(uri, tokenId)),
    ),
  ]);
  const document = tokenUrl === '' ? EMPTY : await documentAt(tokenUrl);
  return {
    collectionName,
    symbol,
    tokenUrl,
    name: document.name,
    imageUrl: document.image,
    traits: document.attributes,
  };
}
