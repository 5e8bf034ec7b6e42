import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Address } from 'viem';
import {
  findLinkedDocuments,
  findVersions,
  linkMetadata,
  lockLinked,
} from '../../src/catalog/metadata/token-documents.store.ts';
import type { LowerCaseAddress } from '../../src/core/lower-case.ts';
import { newId } from '../../src/core/record-id.ts';
import { mintKind } from '../../src/orders/mint/mint-kind.ts';
import { insertOrders, selectTokenUse } from '../../src/orders/mint/minting-orders.store.ts';
import { runBatch, tenantOf } from '../../src/platform/database/client.ts';
import { startWorld, type World } from './lane-world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

/** Copies a document, without its link. */
async function copyOf(metadataId: unknown): Promise<string> {
  const id = newId();
  await world.pool.query(
    `insert into metadata (id, corporate_account_id, chain_id, schema_version, standard_fields)
     select $1, corporate_account_id, chain_id, schema_version, standard_fields
     from metadata where id = $2`,
    [id, metadataId],
  );
  return id;
}

/** An order for more of a token. */
const again = (minted: Record<string, unknown>, metadataId: string) => ({
  id: newId(),
  contractId: String(minted['contract_id']),
  chainId: String(minted['chain_id']),
  contractAddress: minted['contract_address'] as LowerCaseAddress,
  ercStandard: '1155' as const,
  receiverAddress: minted['receiver_address'] as Address,
  tokenId: String(minted['token_id']),
  amount: 1,
  metadataId,
  tokenUri: null,
  metadataHash: null,
  status: 'PENDING' as const,
  mode: 'direct' as const,
  createdAt: new Date(),
  updatedAt: new Date(),
});

it('more units of an ERC-1155 token by another document are accepted, and leave the token its own', async () => {
  const driver = world.driver();
  const [first = ''] = await world.acceptMints(1);
  await driver.finish();
  const minted = await world.order(first);
  const same = again(minted, String(minted['metadata_id']));
  const free = await copyOf(minted['metadata_id']);
  const other = again(minted, free);
  const { db } = driver.context.services;
  const stored = await insertOrders(
    { ...tenantOf(db, world.accountId), isLimited: true },
    mintKind,
    world.wallet,
    [other, same],
    new Date(),
  );
  expect(stored.map(({ id }) => id).toSorted()).toEqual([same.id, other.id].toSorted());
  await driver.finish();
  expect((await world.order(other.id))['status']).toBe('CONFIRMED');
  expect((await findVersions(db, [{ id: free }, { id: same.metadataId }])).map(({ id }) => id)).toEqual([
    same.metadataId,
  ]);
});

it('of two documents linked to an ERC-1155 token at once, the token gets one', async () => {
  const { db } = world.driver().context.services;
  const [order = ''] = await world.acceptMints(1);
  const { metadata_id, contract_id, contract_address } = await world.order(order);
  for (let round = 0; round < 25; round += 1) {
    const documents = [await copyOf(metadata_id), await copyOf(metadata_id)];
    const results = await Promise.all(
      documents.map(async (metadataId) => {
        const link = {
          orderId: order,
          metadataId,
          contractId: String(contract_id),
          ercStandard: '1155' as const,
          contractAddress: contract_address as LowerCaseAddress,
          tokenId: String(1_000_000 + round),
          at: new Date(),
        };
        const { linked } = await runBatch(db, {
          lock: lockLinked(db, [link]),
          linked: linkMetadata(db, () => sql`true`, [link]),
        });
        return linked;
      }),
    );
    expect(results.flat()).toHaveLength(1);
  }
});

it('a document of the same address and token id on another chain changes nothing for the token', async () => {
  const driver = world.driver();
  const { db } = driver.context.services;
  const [order = ''] = await world.acceptMints(1);
  await driver.finish();
  const minted = await world.order(order);
  const metadataId = String(minted['metadata_id']);
  const elsewhere = async (tokenId: string) => {
    const id = await copyOf(metadataId);
    await world.pool.query(
      `update metadata set chain_id = '43113', standard_fields = standard_fields || '{"name":"Elsewhere"}',
         contract_address = $2, token_id = $3, linked_at = now() + interval '1 day' where id = $1`,
      [id, minted['contract_address'], tokenId],
    );
    return { id };
  };
  const contractAddress = minted['contract_address'] as LowerCaseAddress;
  const tokenId = String(minted['token_id']);
  const copy = await elsewhere(tokenId);
  const unminted = { contractAddress, tokenId: '900000' };
  const served = async () =>
    (await findLinkedDocuments(db, [{ contractAddress, tokenId }, unminted], ['43114', '43113'])).linked;
  await elsewhere(unminted.tokenId);
  expect(await served()).toEqual([expect.objectContaining({ tokenId, chainId: minted['chain_id'], document: {} })]);
  expect((await findVersions(db, [{ id: metadataId }, copy])).map(({ id }) => id)).toEqual([metadataId]);

  const more = again(minted, metadataId);
  const tenant = tenantOf(db, world.accountId);
  expect(await insertOrders({ ...tenant, isLimited: true }, mintKind, world.wallet, [more], new Date())).toHaveLength(
    1,
  );
  expect(await selectTokenUse(tenant, more)).toEqual([{ orders: 2, metadataId }]);
  await driver.finish();

  const free = await copyOf(metadataId);
  const link = {
    orderId: order,
    metadataId: free,
    contractId: String(minted['contract_id']),
    ercStandard: '1155' as const,
    ...unminted,
    at: new Date(),
  };
  const { linked } = await runBatch(db, { linked: linkMetadata(db, () => sql`true`, [link]) });
  // Not the first with its URL: caches may have the other one.
  expect(linked).toEqual([expect.objectContaining({ id: free, isFirst: false })]);
  expect((await served()).map((token) => token.tokenId)).toEqual([tokenId, unminted.tokenId].toSorted());
});
