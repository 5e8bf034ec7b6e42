import { setTimeout as delay } from 'node:timers/promises';
import { Client as Postgres } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bodyInTwoParts, REQUESTS_IN_PARTS } from '../fixtures/body-in-two-parts.ts';
import { createTestClient, http, parseEther, type Address } from 'viem';
import {
  call,
  cleanUpAfter,
  createMetadata,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
} from '../fixtures/client.ts';
import { setFaults } from '../fixtures/fault-proxy.ts';
import { allowErrors } from '../record/service-errors.ts';
import { deployForwarder, newSigner, signedTransfer } from '../fixtures/gasless.ts';

// What an upload stores is refused, unless the whole request is.
allowErrors('asset.insert_failed');

/** The time after which a change of an account is in effect (docs/operations.md). */
const PROMISED_MS = 2_000;

let database: Postgres;
beforeAll(async () => {
  database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await database.connect();
});
afterEach(() => setFaults(stack.proxies.database, [], 'status'));
afterAll(() => database.end());

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const ask = async (name: string) =>
  (
    await call('/contracts', {
      headers: { 'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '', 'x-corporate-id': name },
    })
  ).status;

const setAccountStatus = (client: Client, status: string) =>
  database.query('update corporate_accounts set status = $2 where id = $1', [client.account._id, status]);

it('a name that means another account is not taken for the former one two seconds later', async () => {
  const [former, next] = [await newClient(), await newClient()];
  const [name, other] = [former.account.corporateId, next.account.corporateId];
  const key = crypto.randomUUID();
  const create = () =>
    former.post(
      '/webhooks/endpoints',
      { url: 'http://127.0.0.1:9/' },
      { 'idempotency-key': key, 'x-corporate-id': name },
    );
  expect((await former.get('/webhooks/endpoints')).status).toBe(200);
  const rename = (id: string, to: string) =>
    database.query('update corporate_accounts set corporate_id = $2 where id = $1', [id, to]);
  await rename(next.account._id, `${other}-former`);
  await rename(former.account._id, other);
  await rename(next.account._id, name);
  await pause(PROMISED_MS);
  const created = await create();
  expect(created.status).toBe(201);
  const { rows } = await database.query('select corporate_account_id as id from webhook_endpoints where id = $1', [
    created.body.id,
  ]);
  expect(rows).toEqual([{ id: next.account._id }]);
  const held = await database.query('select corporate_account_id as holder from idempotency_keys where key = $1', [
    key,
  ]);
  expect(held.rows).toEqual([{ holder: next.account._id }]);
});

describe('an account that becomes INACTIVE', () => {
  it('is refused two seconds later under either of its ids, however busy it is, and works again once ACTIVE', async () => {
    const client = await newClient();
    const names = [client.account.corporateId, client.account._id];
    const state = { isBusy: true };
    const busy = names.map(async (name) => {
      while (state.isBusy) await ask(name);
    });
    expect(await Promise.all(names.map(ask))).toEqual([200, 200]);
    await setAccountStatus(client, 'INACTIVE');
    await pause(PROMISED_MS);
    expect(await Promise.all(names.map(ask))).toEqual([403, 403]);
    await setAccountStatus(client, 'ACTIVE');
    await pause(PROMISED_MS);
    expect(await Promise.all(names.map(ask))).toEqual([200, 200]);
    state.isBusy = false;
    await Promise.all(busy);
  });

  it('is refused even while a lookup that started before the change is still running', async () => {
    const client = await newClient();
    const { corporateId } = client.account;
    await setFaults(
      stack.proxies.database,
      [{ match: corporateId, effect: 'stall', times: 1, milliseconds: 6_000 }],
      'status',
    );
    const slow = ask(corporateId);
    await pause(500);
    await setAccountStatus(client, 'INACTIVE');
    await pause(PROMISED_MS);
    expect(await ask(corporateId)).toBe(403);
    await slow;
    expect(await ask(corporateId)).toBe(403);
  });
});

describe('a request whose body is still arriving when the account becomes INACTIVE', () => {
  it.each(REQUESTS_IN_PARTS)('is refused at its end: POST %s', async (path, contentType, parts) => {
    const client = await newClient();
    const { corporateId } = client.account;
    const { body, finish } = bodyInTwoParts(parts);
    const answer = call(path, {
      method: 'POST',
      headers: {
        'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '',
        'x-corporate-id': corporateId,
        'content-type': contentType,
      },
      body,
      duplex: 'half',
    });
    await pause(500);
    await setAccountStatus(client, 'INACTIVE');
    await pause(PROMISED_MS);
    finish();
    expect((await answer).status).toBe(403);
    const { rows } = await database.query('select id from assets where corporate_account_id = $1', [
      client.account._id,
    ]);
    expect(rows).toEqual([]);
  });
});

describe('a new account', () => {
  it('works two seconds later, even if its id was looked up before', async () => {
    const corporateId = crypto.randomUUID();
    expect(await ask(corporateId)).toBe(403);
    await newClient({ corporateId });
    await pause(PROMISED_MS);
    expect(await ask(corporateId)).toBe(200);
  });
});

describe('an account that becomes INACTIVE while its orders wait', () => {
  const chainId = '43114';
  const contractFields = { name: 'Waits', symbol: 'W', ercStandard: '721', contractType: 'standard' };

  /** Accepts one order of each kind. @returns their ids by kind. */
  async function orderOfEachKind(client: Client, prepared: () => Promise<void>): Promise<Map<string, string>> {
    // Two, so that the transfer does not wait for the relayed mint.
    const [signer, holder] = [newSigner(), newSigner()];
    const forwarder = await deployForwarder(client);
    const [own, transferred, signers] = await Promise.all([
      deployContract(client),
      deployContract(client),
      deployContract(client, { currentOwnerAddress: signer.address }),
    ]);
    const mint = async (contractAddress: Address, tokenId: string, receiver: Address = receiverAddress) => ({
      chainId,
      contractAddress,
      receiverAddress: receiver,
      tokenId,
      metadataId: await createMetadata(client),
    });
    const held = await client.post('/minting/order', await mint(own.contractAddress, '1', holder.address));
    await client.until(`/minting/${held.body.id}`, ['CONFIRMED']);
    const relayed = { ...(await mint(signers.contractAddress, '2')), from: signer.address };
    const { body: signed } = await client.post('/minting/signature', { ...relayed, privateKey: signer.privateKey });
    const { signature, forwarderAddress, request } = signed;
    const orders: [string, string, object][] = [
      ['deployment', '/contracts/deploy', contractFields],
      ['forwarder', '/contracts/forwarder', { chainId, alias: 'waits' }],
      ['mint', '/minting/order', await mint(own.contractAddress, '3')],
      [
        'relayed mint',
        '/minting/relay',
        { ...relayed, signature, forwarderAddress, forwarderNonce: request.nonce, gasLimit: request.gas },
      ],
      [
        'transfer',
        '/transfer/execute',
        signedTransfer(
          holder,
          forwarder,
          { contractAddress: own.contractAddress, to: receiverAddress, tokenId: '1' },
          { nonce: 0 },
        ),
      ],
      [
        'ownership transfer',
        '/contracts/transfer-ownership',
        { chainId, contractAddress: transferred.contractAddress, newOwnerAddress: receiverAddress },
      ],
    ];
    await prepared();
    const accepted = new Map<string, string>();
    for (const [kind, path, body] of orders) {
      const reply = await client.post(path, body);
      expect([kind, reply.status < 300, reply.body.errors]).toEqual([kind, true, undefined]);
      accepted.set(kind, String(reply.body.id ?? reply.body._id ?? reply.body.jobId));
    }
    return accepted;
  }

  it('has an order of no kind signed, and all of them FAILED after a day', async () => {
    const client = await newClient();
    const anvil = createTestClient({ mode: 'anvil', transport: http(stack.rpcUrls[chainId]) });
    const setBalance = (coins: string) =>
      anvil.setBalance({ address: client.account.walletAddress, value: parseEther(coins) });
    const orders = await orderOfEachKind(client, async () => {
      await setBalance('0.000001');
      // A driver uses what it has read of the chain for half a second.
      await delay(1_000);
    });
    expect(orders.size).toBe(6);
    const transactions = async () =>
      (
        await database.query(
          `select hold_reason, state, error_message, (select count(*)::int from attempts where transaction_id = t.id) as attempts
           from orders t where order_id = any($1)`,
          [[...orders.values()]],
        )
      ).rows;
    const each = (row: object) => Array.from(orders, () => row);
    await expect
      .poll(transactions)
      .toEqual(each({ hold_reason: 'funds', state: 'waiting', error_message: null, attempts: 0 }));

    await setAccountStatus(client, 'INACTIVE');
    await setBalance('10');
    // More than once: a driver that is about to hold an order sets the time of its next try.
    const transactionsOnceWoken = async () => {
      await database.query(`update orders set next_try_at = now() - interval '10 minutes' where order_id = any($1)`, [
        [...orders.values()],
      ]);
      await cleanUpAfter(1);
      return await transactions();
    };
    await expect
      .poll(transactionsOnceWoken, { interval: 2_000 })
      .toEqual(each({ hold_reason: 'inactive', state: 'waiting', error_message: null, attempts: 0 }));

    await database.query("update orders set held_since = now() - interval '25 hours' where order_id = any($1)", [
      [...orders.values()],
    ]);
    await expect
      .poll(transactionsOnceWoken, { interval: 2_000 })
      .toEqual(each({ hold_reason: null, state: 'failed', error_message: 'The account is INACTIVE', attempts: 0 }));
  });
});
