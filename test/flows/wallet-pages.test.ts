import { beforeAll, describe, expect, it } from 'vitest';
import { deployContract, mint, newClient, stack, type Client } from '../fixtures/client.ts';
import { newSigner } from '../fixtures/gasless.ts';

let own: Client;
let other: Client;

beforeAll(async () => {
  [own, other] = await Promise.all([newClient(), newClient()]);
});

const newWallet = () => newSigner().address;
const list = (client: Client, wallet: string, query = '') => client.get(`/api/wallet/nfts?wallet=${wallet}${query}`);

describe('a wallet with more tokens than a page', () => {
  it('continues after an empty page: there is a next page token until the end', async () => {
    const wallet = newWallet();
    // The index reads the document of every token, so it must be available at once.
    const fields = { metadataBaseUri: `${stack.url}/metadata` };
    const [foreign, mine] = await Promise.all([deployContract(other, fields), deployContract(own, fields)]);
    await Promise.all(
      Array.from({ length: 51 }, (_, index) =>
        mint(other, { chainId: '43114', contractAddress: foreign.contractAddress, tokenId: String(index) }, wallet),
      ),
    );
    await mint(own, { chainId: '43114', contractAddress: mine.contractAddress, tokenId: '1' }, wallet);

    const first = await list(own, wallet);
    expect(first.body.items).toEqual([]);
    expect(first.body.nextPageToken).toEqual(expect.any(String));
    const second = await list(own, wallet, `&pageToken=${encodeURIComponent(first.body.nextPageToken)}`);
    expect(second.body.items).toHaveLength(1);
    expect(second.body.nextPageToken).toBeNull();

    const ids: string[] = [];
    let pageToken = '';
    do {
      const { body } = await list(other, wallet, `&pageToken=${encodeURIComponent(pageToken)}`);
      ids.push(...body.items.map(({ tokenId }: { tokenId: string }) => tokenId));
      pageToken = body.nextPageToken ?? '';
    } while (pageToken !== '');
    expect(ids.map(Number).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 51 }, (_, index) => index));
  });
});
