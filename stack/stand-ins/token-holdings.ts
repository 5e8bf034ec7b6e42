import { type Address, erc1155Abi, erc721Abi, getAddress, isAddressEqual, parseAbiItem, type PublicClient } from 'viem';

/** A token that a wallet holds on chain. */
export interface Holding {
  readonly standard: 'ERC721' | 'ERC1155';
  readonly contract: Address;
  readonly tokenId: bigint;
  readonly amount: bigint;
  /** Where the wallet first received it. Holdings are sorted by it, so their order is stable. */
  readonly position: Position;
}

/** Block number, log index in the block, token index in the log. */
export type Position = readonly [block: number, log: number, token: number];

type Candidate = Omit<Holding, 'amount'>;

const transfer = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)');
const transferSingle = parseAbiItem(
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
);
const transferBatch = parseAbiItem(
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
);

const compare = (a: Position, b: Position) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2];

/** Every token that the wallet ever received, once each, in the order of first receipt. */
async function receivedTokens(client: PublicClient, wallet: Address): Promise<Candidate[]> {
  // Strict, to skip ERC-20 Transfers, which have the same signature and one topic less.
  const filter = { args: { to: wallet }, fromBlock: 'earliest', toBlock: 'latest', strict: true } as const;
  const [singles721, singles1155, batches1155] = await Promise.all([
    client.getLogs({ event: transfer, ...filter }),
    client.getLogs({ event: transferSingle, ...filter }),
    client.getLogs({ event: transferBatch, ...filter }),
  ]);
  const all: Candidate[] = [
    ...singles721.map(({ address, args, blockNumber, logIndex }) => ({
      standard: 'ERC721' as const,
      contract: getAddress(address),
      tokenId: args.tokenId,
      position: [Number(blockNumber), logIndex, 0] as const,
    })),
    ...singles1155.map(({ address, args, blockNumber, logIndex }) => ({
      standard: 'ERC1155' as const,
      contract: getAddress(address),
      tokenId: args.id,
      position: [Number(blockNumber), logIndex, 0] as const,
    })),
    ...batches1155.flatMap(({ address, args, blockNumber, logIndex }) =>
      args.ids.map((tokenId, index) => ({
        standard: 'ERC1155' as const,
        contract: getAddress(address),
        tokenId,
        position: [Number(blockNumber), logIndex, index] as const,
      })),
    ),
  ];
  const first = new Map<string, Candidate>();
  for (const candidate of all.toSorted((a, b) => compare(a.position, b.position))) {
    const key = `${candidate.contract}:${candidate.tokenId}`;
    if (!first.has(key)) first.set(key, candidate);
  }
  return [...first.values()];
}

/** The wallet's current amount of a token; 0 if the contract does not implement its standard. */
async function currentAmount(client: PublicClient, wallet: Address, token: Candidate): Promise<bigint> {
  const { contract: address, tokenId } = token;
  try {
    if (token.standard === 'ERC1155') {
      return await client.readContract({
        address,
        abi: erc1155Abi,
        functionName: 'balanceOf',
        args: [wallet, tokenId],
      });
    }
    const owner = await client.readContract({ address, abi: erc721Abi, functionName: 'ownerOf', args: [tokenId] });
    return isAddressEqual(owner, wallet) ? 1n : 0n;
  } catch {
    // Burned, or another kind of contract with the same event.
    return 0n;
  }
}

const CHUNK = 100;

/**
 * Finds the tokens that a wallet holds: those in the chain's logs whose current holder it is.
 * @param after Only tokens after this position.
 * @param limit The maximum number of tokens.
 */
export async function readHoldings(
  client: PublicClient,
  wallet: Address,
  after: Position | undefined,
  limit: number,
): Promise<Holding[]> {
  const candidates = (await receivedTokens(client, wallet)).filter(
    ({ position }) => after === undefined || compare(position, after) > 0,
  );
  const holdings: Holding[] = [];
  for (let start = 0; start < candidates.length && holdings.length < limit; start += CHUNK) {
    const chunk = candidates.slice(start, start + CHUNK);
    const amounts = await Promise.all(chunk.map((token) => currentAmount(client, wallet, token)));
    for (const [index, token] of chunk.entries()) {
      const amount = amounts[index] ?? 0n;
      if (amount > 0n) holdings.push({ ...token, amount });
    }
  }
  return holdings.slice(0, limit);
}
