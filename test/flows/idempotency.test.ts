import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Address } from 'viem';
import {
  call,
  chainClient,
  createMetadata,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
} from '../fixtures/client.ts';
import { deployForwarder, newSigner, signedBurn, signedTransfer } from '../fixtures/gasless.ts';
import { setFaults, statementTagged } from '../fixtures/fault-proxy.ts';
import { deployElsewhere } from '../fixtures/foreign-contract.ts';
import { forgetReply } from '../fixtures/forget-reply.ts';
import { adminOf, ask, keyHeaders, makeKey } from '../fixtures/keys.ts';
import { startOtherWorker } from '../fixtures/other-worker.ts';
import { expectErrors } from '../record/service-errors.ts';

expectErrors('request.failed');

let client: Client;
let contractAddress: Address;
let nextToken = 1;
beforeAll(async () => {
  client = await newClient();
  ({ contractAddress } = await deployContract(client));
});

const key = (value: string) => ({ 'idempotency-key': value });

async function order(by = client, address = contractAddress) {
  nextToken += 1;
  return {
    chainId: '43114',
    contractAddress: address,
    receiverAddress,
    tokenId: String(nextToken),
    metadataId: await createMetadata(by),
  };
}

/** The ids of the records in a reply. */
function idsIn(reply: Record<string, unknown>): unknown {
  const { results, id, _id, jobId } = reply;
  return Array.isArray(results) ? results.map(({ order: { id: of } = { id: null } }) => of) : (id ?? _id ?? jobId);
}

/** An order that is accepted. */
async function ordered() {
  const body = await order();
  expect((await client.post('/minting/order', body)).status).toBe(201);
  return body;
}

describe('a POST sent again with the same Idempotency-Key', () => {
  it('gets the first reply, status and body, and creates nothing more', async () => {
    const body = await order();
    const first = await client.post('/minting/order', body, key('again'));
    expect(first.status).toBe(201);
    await client.until(`/minting/${first.body.id}`, ['CONFIRMED']);
    const second = await client.post('/minting/order', body, key('again'));
    expect({ status: second.status, body: second.body }).toEqual({ status: 201, body: first.body });
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect((await client.get('/minting?limit=100')).body.items).toHaveLength(1);
  });

  it.each([
    [400, () => ({ receiverAddress: 'nobody' })],
    [404, () => ({ contractAddress: receiverAddress })],
    [409, async () => ({ metadataId: (await ordered()).metadataId })],
  ])('is a new request if the first one was refused with %i: the corrected body is accepted', async (status, fault) => {
    const body = await order();
    const name = key(`refused-${status}`);
    const refused = { ...body, ...(await fault()) };
    expect((await client.post('/minting/order', refused, name)).status).toBe(status);
    const accepted = await client.post('/minting/order', body, name);
    expect(accepted.status).toBe(201);
    expect((await client.post('/minting/order', refused, name)).status).toBe(422);
    expect((await client.post('/minting/order', body, name)).body).toEqual(accepted.body);
  });

  it('is a new request if every order of its batch was refused: corrected, or once a limit allows them', async () => {
    const limited = await newClient();
    const own = await deployContract(limited);
    const limits = `/admin/accounts/${limited.account.corporateId}/limits`;
    const setLimits = (fields: object) =>
      call(limits, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', 'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '' },
        body: JSON.stringify(fields),
      });
    const body = await order(limited, own.contractAddress);
    const batch = async (fields: object = {}) => {
      const reply = await limited.post('/minting/orders/batch', { orders: [{ ...body, ...fields }] }, key('batch'));
      return [reply.status, reply.body.accepted, reply.headers.get('idempotent-replayed')];
    };
    expect(await batch({ receiverAddress: 'nobody' })).toEqual([200, 0, null]);
    expect((await setLimits({ ordersPerDay: 0 })).status).toBe(200);
    expect(await batch()).toEqual([200, 0, null]);
    expect((await setLimits({})).status).toBe(200);
    expect(await batch()).toEqual([200, 1, null]);
    expect(await batch()).toEqual([200, 1, 'true']);
  });

  it('keeps its body after an attempt without a reply, which may still take effect', async () => {
    await client.post('/minting/order', await order(), key('died-with-body'));
    await forgetReply('died-with-body');
    expect((await client.post('/minting/order', await order(), key('died-with-body'))).status).toBe(422);
  });

  it('is not validated again after an attempt that crashed: it finds what was accepted, whatever is allowed now', async () => {
    const forwarder = await deployForwarder(client);
    const trusting = (await deployContract(client, { trustedForwarder: forwarder })).contractAddress;
    const holder = newSigner();
    const held = async () => {
      const body = { ...(await order(client, trusting)), receiverAddress: holder.address };
      await client.until(`/minting/${(await client.post('/minting/order', body)).body.id}`, ['CONFIRMED']);
      return { contractAddress: trusting, tokenId: body.tokenId };
    };
    const announced = await order();
    await client.until(`/minting/${(await client.post('/minting/order', announced)).body.id}`, ['CONFIRMED']);
    const [burned, moved] = [await held(), await held()];
    const owned = (await deployContract(client)).contractAddress;
    const contract = { name: 'Kept', symbol: 'KEPT', ercStandard: '721', contractType: 'standard' };
    const metadata = {
      chainId: '43114',
      name: 'Kept',
      imageUrl: 'https://example.com/1.png',
      utility: { type: 'Flexible', data: {} },
    };
    const owner = newSigner();
    const ofOwner = await deployContract(client, { trustedForwarder: forwarder, currentOwnerAddress: owner.address });
    const mint = { ...(await order(client, ofOwner.contractAddress)), from: owner.address };
    const { privateKey } = owner;
    const { signature, request } = (await client.post('/minting/signature', { ...mint, privateKey })).body;
    const writes: Readonly<Record<string, object>> = {
      '/minting/order': await order(),
      '/minting/orders/batch': { orders: [{ tokenId: 'x' }, await order(), await order()] },
      '/minting/relay': { ...mint, signature, forwarderNonce: request.nonce, gasLimit: Number(request.gas) },
      '/transfer/execute': signedTransfer(holder, forwarder, { ...moved, to: receiverAddress }, { nonce: 0 }),
      '/burn/execute': signedBurn(holder, forwarder, burned, { nonce: 1 }).body,
      '/contracts/deploy': contract,
      '/contracts/forwarder': { chainId: '43114', alias: 'kept' },
      '/contracts/transfer-ownership': { chainId: '43114', contractAddress: owned, newOwnerAddress: receiverAddress },
      '/contracts/register': {
        chainId: '43114',
        contractAddress: await deployElsewhere(client.account.walletAddress),
        ercStandard: '721',
        contractType: 'standard',
      },
      '/contracts/base-uri': { chainId: '43114', contractAddress: trusting },
      '/chain-notifications': { metadataId: announced.metadataId },
      '/metadata': metadata,
    };
    const accepted = new Map<string, unknown>();
    for (const [path, body] of Object.entries(writes)) {
      const { status, body: reply } = await client.post(path, body, key(`kept-${path}`));
      expect({ path, status, reply }).toMatchObject({ path, status: expect.toBeOneOf([200, 201]) });
      accepted.set(path, idsIn(reply));
      await forgetReply(`kept-${path}`);
    }
    const elsewhere = await startOtherWorker({ ALLOWED_CHAIN_IDS: '43113' });
    for (const [path, body] of Object.entries(writes)) {
      const { body: reply } = await elsewhere.post(client, path, body, key(`kept-${path}`));
      expect({ path, ids: idsIn(reply) }).toEqual({ path, ids: accepted.get(path) });
    }
    await elsewhere.stop();
  });

  it('is not affected by the keys of another caller of the account', async () => {
    const weak = keyHeaders(await makeKey(client, { scopes: ['status'] }));
    const metadataId = await createMetadata(client);
    const body = await order();
    const name = key('order-1002');
    const change = (status: string) => ask({ ...weak, ...name }, `/metadata/${metadataId}/status`, { status });
    const first = await change('Used');
    expect(first.status).toBe(200);
    const accepted = await client.post('/minting/order', body, name);
    expect(accepted.status).toBe(201);
    expect((await change('Used')).body).toEqual(first.body);
    expect((await change('Stolen')).status).toBe(422);
    expect((await client.post('/minting/order', body, name)).body).toEqual(accepted.body);
  });

  it('is refused with 422 when the body differs', async () => {
    await client.post('/minting/order', await order(), key('other'));
    expect((await client.post('/minting/order', await order(), key('other'))).status).toBe(422);
  });

  it('creates one order when ten arrive concurrently, and answers each with it', async () => {
    const body = await order();
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => client.post('/minting/order', body, key('at-once'))),
    );
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201));
    expect(new Set(replies.map(({ body: { id } }) => id)).size).toBe(1);
  });

  it('finds what the first attempt created, if that attempt crashed before its reply was stored', async () => {
    const body = await order();
    const first = await client.post('/minting/order', body, key('died'));
    await client.until(`/minting/${first.body.id}`, ['CONFIRMED']);
    await forgetReply('died');
    const second = await client.post('/minting/order', body, key('died'));
    expect(second.status).toBe(201);
    expect(second.body.id).toBe(first.body.id);

    const chain = chainClient();
    const before = await chain.getTransactionCount({ address: client.account.walletAddress });
    const contract = { name: 'Once', symbol: 'ONE', ercStandard: '721', contractType: 'standard' };
    const deployed = await client.post('/contracts/deploy', contract, key('died-deploy'));
    await client.until(`/contracts/${deployed.body._id}`, ['ACTIVE']);
    await forgetReply('died-deploy');
    expect((await client.post('/contracts/deploy', contract, key('died-deploy'))).body._id).toBe(deployed.body._id);

    const metadata = {
      chainId: '43114',
      name: 'Once',
      imageUrl: 'https://example.com/1.png',
      utility: { type: 'Flexible', data: {} },
    };
    const stored = await client.post('/metadata', metadata, key('died-metadata'));
    await forgetReply('died-metadata');
    expect((await client.post('/metadata', metadata, key('died-metadata'))).body._id).toBe(stored.body._id);
    expect(await chain.getTransactionCount({ address: client.account.walletAddress })).toBe(before + 1);
  });

  it('finds an order that has been executed since its first attempt crashed, although the chain would refuse another one', async () => {
    const given = (await deployContract(client)).contractAddress;
    const mint = await order(client, given);
    const minted = await client.post('/minting/order', mint);
    await client.until(`/minting/${minted.body.id}`, ['CONFIRMED']);
    const notify = () => client.post('/chain-notifications', { metadataId: mint.metadataId }, key('died-notification'));
    const notification = await notify();
    await client.until(`/chain-notifications/${notification.body.id}`, ['CONFIRMED']);
    const transfer = { chainId: '43114', contractAddress: given, newOwnerAddress: receiverAddress };
    const giveAway = () => client.post('/contracts/transfer-ownership', transfer, key('died-ownership'));
    const ownership = await giveAway();
    await client.until(`/contracts/transfer-ownership/${ownership.body.jobId}`, ['CONFIRMED']);
    await forgetReply('died-notification');
    await forgetReply('died-ownership');
    expect(await notify()).toMatchObject({ status: 201, body: { id: notification.body.id, status: 'CONFIRMED' } });
    expect(await giveAway()).toMatchObject({
      status: ownership.status,
      body: { jobId: ownership.body.jobId, status: 'CONFIRMED' },
    });
  });

  it('is the order of an attempt that got no reply, although a limit would refuse another one now', async () => {
    const limited = await newClient();
    const own = await deployContract(limited);
    const setLimits = (limits: object) =>
      call(`/admin/accounts/${limited.account.corporateId}/limits`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', 'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '' },
        body: JSON.stringify(limits),
      });
    const body = await order(limited, own.contractAddress);
    const name = key('no-reply-limited');
    await setFaults(
      stack.proxies.database,
      [{ match: ['/* claim-key */', body.metadataId], effect: 'lose-reply', times: 1 }],
      'idempotency',
    );
    expect((await limited.post('/minting/order', body, name)).status).toBeGreaterThanOrEqual(500);
    await setFaults(stack.proxies.database, [], 'idempotency');
    expect((await setLimits({ ordersPerDay: 1 })).status).toBe(200);
    expect((await limited.post('/minting/order', await order(limited, own.contractAddress))).status).toBe(429);
    const again = await limited.post('/minting/order', body, name);
    expect(again.status).toBe(201);
    expect((await limited.get('/minting?limit=100')).body.items).toMatchObject([{ id: again.body.id }]);
  });

  it('accepts nothing of a batch that its first attempt has refused, whatever is possible now', async () => {
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    const { receiverAddress: _, ...claimed } = await order();
    const claim = await client.post('/claims', { ...claimed, expiresAt });
    expect(claim.status).toBe(201);
    const orders = [await order(), { ...(await order()), tokenId: claimed.tokenId }];
    const first = await client.post('/minting/orders/batch', { orders }, key('batch-again'));
    expect(first.body).toMatchObject({ accepted: 1, results: [{}, { code: 'token_unavailable' }] });
    await forgetReply('batch-again');
    expect((await client.post(`/claims/${claim.body.id}/cancel`, {})).status).toBe(200);
    const again = await client.post('/minting/orders/batch', { orders }, key('batch-again'));
    expect(idsIn(again.body)).toEqual(idsIn(first.body));
    expect(again.body.results[1]).toMatchObject({ code: 'conflict', statusCode: 409 });
  });

  it('has the headers of a reply to its account, and of no other attempt', async () => {
    const bodies = await Promise.all(Array.from({ length: 4 }, () => order()));
    const replies = await Promise.all(bodies.map((body) => client.post('/minting/order', body, key('headers'))));
    const accepted = replies.findIndex(({ status }) => status === 201);
    const replayed = await client.post('/minting/order', bodies[accepted] ?? {}, key('headers'));
    expect(replayed.headers.get('ratelimit-policy')).toBe(replies[accepted]?.headers.get('ratelimit-policy'));
    for (const refused of replies.toSpliced(accepted, 1)) {
      expect(refused).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
      expect(refused.headers.get('retry-after')).toBeNull();
    }
  });

  it('does not make its change again once another request has undone it', async () => {
    const own = await newClient();
    const send = (path: string, body: object, by = {}) => ask({ ...adminOf(own), ...by }, path, body);
    const pause = (by?: object) => send(`/admin/accounts/${own.account.corporateId}/pause`, {}, by);
    const resume = (by?: object) => send(`/admin/accounts/${own.account.corporateId}/resume`, {}, by);
    const require = (by?: object) => send('/approvals/setting', { required: true }, by);
    const release = (by?: object) => send('/approvals/setting', { required: false }, by);
    for (const [name, change, undo, undone] of [
      ['paused', pause, resume, { pausedAt: null }],
      ['resumed', resume, pause, { pausedAt: expect.any(String) }],
      ['required', require, release, { required: false }],
      ['released', release, require, { required: true }],
    ] as const) {
      expect((await change(key(name))).status).toBe(200);
      await forgetReply(name);
      expect((await undo()).body).toMatchObject(undone);
      expect((await change(key(name))).body).toMatchObject(undone);
    }
    await resume();
  });

  it('holds no key after an attempt that the database did not carry out', async () => {
    const body = await order();
    await setFaults(stack.proxies.database, [{ match: body.metadataId, effect: 'refuse', times: 100 }], 'idempotency');
    expect((await client.post('/minting/order', body, key('refused'))).status).toBeGreaterThanOrEqual(500);
    await setFaults(stack.proxies.database, [], 'idempotency');
    expect((await client.post('/minting/order', await order(), key('refused'))).status).toBe(201);
  });

  it('creates records whose ids tell nothing about the account', async () => {
    const { body } = await client.post('/minting/order', await order(), key('unlinkable'));
    const createdAt = new Date(Number.parseInt(body.id.slice(0, 12), 16)).toISOString();
    const { _id, corporateId } = client.account;
    const known = [_id, corporateId].flatMap((holder) =>
      Array.from({ length: 10 }, (_, count) =>
        createHash('sha256').update(`${holder}:unlinkable:${createdAt}:${count}`).digest('hex').slice(0, 12),
      ),
    );
    expect(known).not.toContain(body.id.slice(12));
  });

  it('is not affected by the keys of another account', async () => {
    const otherClient = await newClient();
    const own = await deployContract(otherClient);
    const mine = await client.post('/minting/order', await order(), key('shared'));
    const theirs = await otherClient.post(
      '/minting/order',
      await order(otherClient, own.contractAddress),
      key('shared'),
    );
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.body.id).not.toBe(mine.body.id);
  });

  it('must be printable and have a valid length', async () => {
    expect((await client.post('/minting/order', await order(), key('x'.repeat(256)))).status).toBe(400);
    expect((await client.post('/minting/order', await order(), key('has space'))).status).toBe(400);
  });
});

it('a retry after a lost reply finds its order, and wakes the wallet that is to execute it', async () => {
  const worker = await startOtherWorker();
  const own = await newClient();
  const { contractAddress: owned } = await deployContract(own);
  const body = { chainId: '43114', contractAddress: owned, newOwnerAddress: receiverAddress };
  const path = '/contracts/transfer-ownership';
  await setFaults(worker.database, [{ match: statementTagged('record-change'), effect: 'lose-reply', times: 1 }]);
  expect((await worker.post(own, path, body, key('lost'))).status).toBe(503);
  const retry = await own.post(path, body, key('lost'));
  expect(retry.status).toBe(200);
  await own.until(`${path}/${retry.body.jobId}`, ['CONFIRMED']);
  await worker.stop();
});
