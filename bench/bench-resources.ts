import { DEFAULT_CHAIN } from '../src/chains/list.ts';
import type { Api } from '../scripts/demo/api.ts';

export const chainId = DEFAULT_CHAIN.id;
export const receiverAddress = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

/** Deploys an ERC-721 contract. @returns its address. */
export async function deployContract(api: Api): Promise<unknown> {
  const accepted = await api.post('/contracts/deploy', {
    chainId,
    name: 'Bench',
    symbol: 'B',
    ercStandard: '721',
    contractType: 'standard',
  });
  const { contractAddress } = await api.result(`/contracts/${String(accepted['_id'])}`);
  return contractAddress;
}

/** Creates metadata for the given number of mints. @returns the ids. */
export async function createMetadata(api: Api, count: number): Promise<unknown[]> {
  const metadata: unknown[] = [];
  while (metadata.length < count) {
    const created = await Promise.all(
      Array.from({ length: Math.min(20, count - metadata.length) }, () =>
        api.post('/metadata', {
          chainId,
          name: 'Bench',
          imageUrl: 'https://example.com/b.png',
          utility: { type: 'Flexible', data: { status: 'Unused' } },
        }),
      ),
    );
    metadata.push(...created.map(({ _id }) => _id));
  }
  return metadata;
}
