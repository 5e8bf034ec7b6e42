import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Address } from 'viem';
import { newId } from '../../src/core/record-id.ts';
import { ownershipTransferKind } from '../../src/orders/ownership/ownership-transfer-kind.ts';
import { insertOrder } from '../../src/orders/orders.store.ts';
import { tenantOf } from '../../src/platform/database/client.ts';
import { startWorld, type World } from './lane-world.ts';
import { allowErrors } from '../record/service-errors.ts';
import { ownershipTransfers } from '../../src/orders/order-forms.ts';

allowErrors('block.reorganized');

const FINALITY = 6;
const newOwnerAddress: Address = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';

let world: World;
beforeAll(async () => {
  world = await startWorld({ FINALITY_43114: String(FINALITY) });
});
afterAll(() => world.stop());

it('the record of a contract has its owner on chain, also after the block of the transfer was reorganized out', async () => {
  const { rows: contracts } = await world.pool.query(
    `update contracts set current_owner_address = $1 where erc_standard = '721' returning id, contract_address`,
    [world.wallet],
  );
  const { id: contractId, contract_address: contractAddress } = contracts[0];
  const ownerOnRecord = async () =>
    (await world.pool.query('select current_owner_address from contracts where id = $1', [contractId])).rows[0]
      .current_owner_address;
  const driver = world.driver();
  const { db } = driver.context.services;
  const now = new Date();
  const values = { id: newId(), contractId, chainId: '43114', contractAddress, newOwnerAddress };
  const snapshot = await world.chain.snapshot();
  await insertOrder(
    { ...tenantOf(db, world.accountId), isLimited: true },
    ownershipTransfers,
    ownershipTransferKind,
    { ...values, createdAt: now },
    { walletAddress: world.wallet },
    { receiverAddress: newOwnerAddress },
  );
  await driver.finish();
  expect(await ownerOnRecord()).toBe(newOwnerAddress);

  await world.chain.revert({ id: snapshot });
  await world.chain.mine({ blocks: FINALITY + 2 });
  await world.chain.setAutomine(false);
  await driver.until(async () => (await ownerOnRecord()) === world.wallet);

  await world.chain.setAutomine(true);
  await world.chain.mine({ blocks: 1 });
  await driver.finish();
  expect(await ownerOnRecord()).toBe(newOwnerAddress);
});
