// The engine with a kind of its own, a payment in a token, whose accounts have no limits and are told nothing: the
// shortest way to see what the engine is given, and what it does.
import { sql } from 'drizzle-orm';
import { encodeFunctionData, isAddressEqual, parseEventLogs, type Address } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { addressField } from '../../src/core/fields.ts';
import { newId } from '../../src/core/record-id.ts';
import type { Admission } from '../../src/engine/admission.ts';
import type { Hooks } from '../../src/engine/hooks.ts';
import type { OrderKind } from '../../src/engine/order-kind.ts';
import { PLAIN } from '../../src/engine/plain-kind.ts';
import { insertionOf } from '../../src/engine/transactions.store.ts';
import { startWorld, type World } from './lane-world.ts';

const paymentSchema = z.object({ token: addressField, to: addressField, amount: z.string() });
type Payment = z.output<typeof paymentSchema>;
const { abi } = standard1155;
const TOKEN_ID = 1n;

const payment: OrderKind<Payment, null, never> = {
  ...PLAIN,
  name: 'payment',
  queue: 'transfer',
  resource: null,
  events: null,
  columns: (details) => ({ details }),
  parties: ({ token, to }) => ({ contract: token, receivers: [to] }),
  gasCeiling: () => 100_000n,
  reading: { parse: ({ details }) => paymentSchema.parse(details) },
  call({ order: { token, to, amount }, account: { walletAddress } }) {
    const args = [walletAddress, to, TOKEN_ID, BigInt(amount), '0x'] as const;
    return { to: token, data: encodeFunctionData({ abi, functionName: 'safeTransferFrom', args }) };
  },
  readReceipt({ order }, { logs }) {
    const transfers = parseEventLogs({ abi, eventName: 'TransferSingle', logs: [...logs] });
    const isPaid = transfers.some(
      ({ args: { to, value } }) => isAddressEqual(to, order.to) && value === BigInt(order.amount),
    );
    return isPaid ? { effect: null } : { failure: 'The logs do not show the payment' };
  },
};

const noLimits: Admission = {
  standings: () => sql`null`,
  read: () => new Map(),
  guard: (db) => ({ lock: db.sql.execute(sql`select`), check: db.sql.execute(sql`select`) }),
  isExceeded: () => false,
  held: () => [],
};
const nobody = sql`added as (select null as endpoint_id where false)`;
const noHooks: Hooks = {
  held: () => nobody,
  ofLane: () => nobody,
  sent: () => undefined,
  ended: (db) => db.sql.execute(sql`select`),
  receiversOf: () => [],
  wake: () => Promise.resolve(),
  afterwards: () => Promise.resolve(),
};

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

it('carries out each order of a kind of its own once', async () => {
  const { services, ...lane } = world.driver().context;
  const driver = world.driver(undefined, 500, {
    ...lane,
    services: { ...services, admission: noLimits, hooks: noHooks },
    kinds: new Map([[payment.name, payment]]),
  });
  const { rows } = await world.pool.query("select contract_address from contracts where erc_standard = '1155'");
  const token: Address = rows[0].contract_address;
  await world.chain.impersonateAccount({ address: world.wallet });
  const units = { address: token, abi, functionName: 'mint', args: [world.wallet, TOKEN_ID, 1_000n] } as const;
  await world.chain.writeContract({ ...units, account: world.wallet, chain: null });
  const receivers = Array.from(
    { length: 20 },
    (_, index): Address => `0x${(index + 1).toString(16).padStart(40, '0')}`,
  );
  const orders = receivers.map((to, index) => ({
    orderId: newId(),
    accountId: world.accountId,
    chainId: lane.lane.chainId,
    walletAddress: world.wallet,
    columns: payment.columns({ token, to, amount: String(index + 1) }),
  }));
  await services.db.sql.execute(insertionOf(undefined, payment, orders, new Date(), { batchId: newId() }));
  await driver.finish();
  for (const [index, to] of receivers.entries()) {
    const call = { address: token, abi, functionName: 'balanceOf', args: [to, TOKEN_ID] } as const;
    expect(await world.chain.readContract(call)).toBe(BigInt(index + 1));
    expect(await world.order(orders[index]?.orderId ?? '')).toMatchObject({ state: 'confirmed', endings: 1 });
  }
});
