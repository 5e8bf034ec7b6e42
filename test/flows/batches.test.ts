import { beforeAll, describe, expect, it } from 'vitest';
import type { Address } from 'viem';
import { newId } from '../../src/core/record-id.ts';
import { createMetadata, deployContract, newClient, receiverAddress, type Client } from '../fixtures/client.ts';

let client: Client;
let erc721: Address;

beforeAll(async () => {
  client = await newClient();
  erc721 = (await deployContract(client)).contractAddress;
});

const order = (fields: { readonly metadataId: string; readonly tokenId: string }) => ({
  chainId: '43114',
  contractAddress: erc721,
  receiverAddress,
  ...fields,
});

describe('POST /minting/orders/batch', () => {
  it('accepts 95 of 100 and explains the other five, in order', async () => {
    const metadata = await Promise.all(Array.from({ length: 100 }, () => createMetadata(client)));
    const orders = metadata.map((metadataId, index) => order({ metadataId, tokenId: String(20_000 + index) }));
    const good = orders[50];
    Object.assign(orders[3] ?? {}, { receiverAddress: 'nobody', tokenId: '-1' });
    Object.assign(orders[17] ?? {}, { contractAddress: receiverAddress });
    Object.assign(orders[42] ?? {}, { metadataId: newId() });
    Object.assign(orders[60] ?? {}, { metadataId: good?.metadataId });
    Object.assign(orders[99] ?? {}, { amount: 2 });
    const { status, body } = await client.post('/minting/orders/batch', { orders });
    expect(status).toBe(200);
    expect(body).toMatchObject({ accepted: 95, refused: 5 });
    const bad = [3, 17, 42, 60, 99];
    expect(bad.map((index) => body.results[index].statusCode)).toEqual([400, 404, 404, 409, 400]);
    expect(body.results[3].errors.map(({ path }: { path: string }) => path)).toEqual(['receiverAddress', 'tokenId']);
    for (const index of bad) {
      const { statusCode, message, errors } = body.results[index];
      const alone = await client.post('/minting/order', orders[index]);
      expect({ statusCode, message, errors }).toEqual({
        statusCode: alone.status,
        message: alone.body.message,
        errors: alone.body.errors,
      });
    }
    const accepted = body.results.filter((result: { statusCode: number }) => result.statusCode === 201);
    expect(accepted.map(({ order: { tokenId } }: { order: { tokenId: string } }) => tokenId)).toEqual(
      orders.filter((_, index) => !bad.includes(index)).map(({ tokenId }) => tokenId),
    );
    for (const {
      order: { id },
    } of accepted) {
      expect(await client.until(`/minting/${id}`, ['CONFIRMED', 'FAILED'])).toMatchObject({ status: 'CONFIRMED' });
    }
  });
});
