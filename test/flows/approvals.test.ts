import { Client as Postgres } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Address } from 'viem';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { replyStored } from '../fixtures/forget-reply.ts';
import {
  chainClient,
  cleanUpAfter,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
  type Reply,
} from '../fixtures/client.ts';
import { newSigner } from '../fixtures/gasless.ts';
import { deployPlainForwarder } from '../fixtures/plain-forwarder.ts';
import { adminOf, ask, keyHeaders, makeKey, type MadeKey } from '../fixtures/keys.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';

type Headers = Record<string, string>;

const chainId = '43114';
const WAITING = 'WAITING_FOR_APPROVAL';
const REFUSED = 'Not approved: cancelled or refused';
const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });

let receiver: WebhookReceiver;
let client: Client;
let contractAddress: Address;
/** Two keys of the account that the operator made, each with all scopes. */
let first: MadeKey;
let second: MadeKey;

beforeAll(async () => {
  await database.connect();
  receiver = await startWebhookReceiver();
  client = await newClient({ webhookUrl: receiver.url });
  ({ contractAddress } = await deployContract(client));
  [first, second] = await Promise.all([makeKey(client), makeKey(client)]);
  await client.post('/webhooks/endpoints', { url: receiver.url, eventTypes: ['approval.requested'] });
});
afterAll(() => database.end());
beforeEach(() => setting(adminOf(client), true));

const setting = (headers: Headers, required: boolean) => ask(headers, '/approvals/setting', { required });
const transfer = (headers: Headers, more: Headers = {}, newOwnerAddress: string = receiverAddress) =>
  ask({ ...headers, ...more }, '/contracts/transfer-ownership', { chainId, contractAddress, newOwnerAddress });
const forwarder = (headers: Headers) => ask(headers, '/contracts/forwarder', { chainId, alias: 'Ours' });
const cancel = (id: string) => ask(keyHeaders(first), '/contracts/transfer-ownership/cancel', { id });
const decide = (headers: Headers, id: string, action: 'approve' | 'refuse') =>
  ask(headers, `/approvals/${id}/${action}`, {});
const transferOf = (id: string) => client.get(`/contracts/transfer-ownership/${id}`);

/** A transfer that waits for approval. @returns its id. */
async function waiting(headers: Headers = keyHeaders(first)): Promise<string> {
  const { status, body } = await transfer(headers, {}, newSigner().address);
  expect([status, body.status]).toEqual([200, WAITING]);
  return body.jobId;
}

/** What the account's endpoint is told about an approval that is asked for. */
const noticesOf = (id: string) =>
  receiver.events.flatMap(({ event }) =>
    event.type === 'approval.requested' && event.data['approvalId'] === id ? [event.data] : [],
  );

const ownerOf = () => chainClient().readContract({ ...standard721, address: contractAddress, functionName: 'owner' });

/** The transaction of an order: its state, and how many attempts were signed. */
async function workOn(id: string) {
  const { rows } = await database.query(
    'select state, (select count(*)::int from attempts where transaction_id = t.id) as attempts from orders t where order_id = $1',
    [id],
  );
  return rows[0];
}

/** Moves the end of the time for a decision. */
async function letExpire(id: string): Promise<void> {
  await database.query(
    `with a as (update approvals set expires_at = now() where id = $1)
     update orders set approval_until = now(), next_try_at = now() where order_id = $1`,
    [id],
  );
}

const isRequired = async () => (await client.get('/approvals/setting')).body.required;

const pause = (action: 'pause' | 'resume') =>
  ask(adminOf(client), `/admin/accounts/${client.account.corporateId}/${action}`, {});

/**
 * The states of an approval and its transfer. In a paused account an approved one waits, whether or not a driver has
 * seen it.
 */
async function standOf(id: string): Promise<string> {
  const [job, approval] = [await transferOf(id), await ask(keyHeaders(second), `/approvals/${id}`)];
  return `${approval.body.status} ${job.body.status.replace(/QUEUED|PROCESSING/, 'ACCEPTED')}`;
}

const statusesOf = (replies: readonly Reply[]) =>
  replies.map(({ status }) => status).toSorted((one, other) => one - other);

const eventsOf = (id: string) =>
  receiver.events.filter(({ event }) => [event.data['jobId'], event.data['_id']].includes(id));

async function expectEvent(id: string, type: string, data: unknown): Promise<void> {
  await expect.poll(() => eventsOf(id).map(({ event }) => event.type)).toEqual([type]);
  expect(eventsOf(id)[0]?.event.data).toEqual(data);
}

async function auditOf(id: string) {
  const { rows } = await database.query(
    'select route, key_id from audit_log where $1 = any (resource_ids) and status_code = 200 order by id',
    [id],
  );
  return rows.map(({ route, key_id: keyId }) => [route, keyId]);
}

describe('an ownership transfer', () => {
  it('waits, and is carried out when another key approves it', async () => {
    const own = await newClient({ webhookUrl: receiver.url });
    const [one, two] = await Promise.all([makeKey(own), makeKey(own)]);
    const contract = await deployContract(own);
    await setting(keyHeaders(one), true);
    const { body: job } = await ask(keyHeaders(one), '/contracts/transfer-ownership', {
      chainId,
      contractAddress: contract.contractAddress,
      newOwnerAddress: receiverAddress,
    });
    expect(job).toMatchObject({ status: WAITING, txHash: null, hold: null, errorMessage: null });
    const { body: approval } = await ask(keyHeaders(two), `/approvals/${job.jobId}`);
    expect(approval).toEqual({
      id: job.jobId,
      action: 'TRANSFER_OWNERSHIP',
      status: WAITING,
      chainId,
      contractAddress: contract.contractAddress,
      newOwner: receiverAddress,
      alias: null,
      trustedForwarder: null,
      requestedBy: one.id,
      expiresAt: new Date(Date.parse(job.createdAt) + 24 * 3_600_000).toISOString(),
      decidedAt: null,
      decidedBy: null,
      createdAt: job.createdAt,
    });
    // It has no due time before its end, so nothing signs it, however often its lane is driven.
    await deployContract(own);
    expect(await workOn(job.jobId)).toEqual({ state: 'waiting', attempts: 0 });

    const { status, body: approved } = await decide(keyHeaders(two), job.jobId, 'approve');
    expect([status, approved]).toEqual([
      200,
      { ...approval, status: 'APPROVED', decidedAt: expect.any(String), decidedBy: two.id },
    ]);
    const done = await own.until(`/contracts/transfer-ownership/${job.jobId}`, ['CONFIRMED', 'FAILED']);
    expect(done['status']).toBe('CONFIRMED');
    await expectEvent(job.jobId, 'ownership.transferred', done);
    expect(await auditOf(job.jobId)).toEqual([
      ['/contracts/transfer-ownership', one.id],
      ['/approvals/{id}/approve', two.id],
    ]);
    for (const action of ['approve', 'refuse'] as const) {
      const again = await decide(keyHeaders(await makeKey(own)), job.jobId, action);
      expect([again.status, again.body.message]).toEqual([409, 'It is APPROVED']);
    }
  });

  it('is CANCELLED when another key refuses it', async () => {
    const id = await waiting();
    const { status, body } = await decide(keyHeaders(second), id, 'refuse');
    expect([status, body]).toEqual([200, expect.objectContaining({ status: 'REFUSED', decidedBy: second.id })]);
    const { body: job } = await transferOf(id);
    expect(job).toMatchObject({ status: 'CANCELLED', errorMessage: REFUSED, cancelRequestedAt: body.decidedAt });
    await expectEvent(id, 'ownership.cancelled', job);
    expect(await workOn(id)).toEqual({ state: 'cancelled', attempts: 0 });
    expect((await decide(keyHeaders(second), id, 'approve')).status).toBe(409);
  });

  it('is CANCELLED when it is cancelled while it waits, and can no longer be approved', async () => {
    const id = await waiting();
    const { status, body } = await cancel(id);
    expect([status, body.status, body.errorMessage]).toEqual([200, 'CANCELLED', REFUSED]);
    await expectEvent(id, 'ownership.cancelled', body);
    const reply = await decide(keyHeaders(second), id, 'approve');
    expect([reply.status, reply.body.message]).toEqual([409, 'It is CANCELLED']);
    expect((await ask(keyHeaders(second), `/approvals/${id}`)).body).toMatchObject({
      status: 'CANCELLED',
      decidedAt: null,
    });
  });

  it('is FAILED when nobody decides in time, and cannot be approved after its time, even before it is FAILED', async () => {
    const id = await waiting();
    await database.query('update orders set approval_until = now() where order_id = $1', [id]);
    await database.query('update approvals set expires_at = now() where id = $1', [id]);
    const reply = await decide(keyHeaders(second), id, 'approve');
    expect([reply.status, reply.body.message]).toEqual([409, 'It is EXPIRED']);
    await letExpire(id);
    await deployContract(client);
    const job = await client.until(`/contracts/transfer-ownership/${id}`, ['FAILED', 'CANCELLED', 'CONFIRMED']);
    expect(job).toMatchObject({ status: 'FAILED', errorMessage: expect.stringMatching(/^Not approved by \d{4}-/) });
    await expectEvent(id, 'ownership.failed', job);
    expect((await ask(keyHeaders(second), `/approvals/${id}`)).body.status).toBe('EXPIRED');
  });

  it('stays as it is while its account is paused, and when that ends', async () => {
    const id = await waiting();
    for (const action of ['pause', 'resume'] as const) {
      await pause(action);
      expect((await transferOf(id)).body).toMatchObject({ status: WAITING, hold: null });
    }
    await deployContract(client);
    expect((await transferOf(id)).body).toMatchObject({ status: WAITING, hold: null });
    expect(await workOn(id)).toEqual({ state: 'waiting', attempts: 0 });
    await decide(keyHeaders(second), id, 'refuse');
  });

  it('that is approved while its account is paused waits for the end of the pause', async () => {
    const id = await waiting();
    await pause('pause');
    await decide(keyHeaders(second), id, 'approve');
    const hold = async () => (await transferOf(id)).body.hold?.reason;
    await expect.poll(hold).toBe('PAUSED');
    expect(await workOn(id)).toEqual({ state: 'waiting', attempts: 0 });
    expect((await cancel(id)).body.status).toBe('CANCELLED');
    await pause('resume');
  });

  it('cannot be decided while its account is INACTIVE, and expires all the same', async () => {
    const own = await newClient();
    const [one, two] = await Promise.all([makeKey(own), makeKey(own)]);
    const contract = await deployContract(own);
    await setting(adminOf(own), true);
    const { body: job } = await ask(keyHeaders(one), '/contracts/transfer-ownership', {
      chainId,
      contractAddress: contract.contractAddress,
      newOwnerAddress: receiverAddress,
    });
    await database.query("update corporate_accounts set status = 'INACTIVE' where id = $1", [own.account._id]);
    for (const headers of [keyHeaders(two), adminOf(own)]) {
      await expect.poll(async () => (await ask(headers, '/approvals')).status).toBe(403);
      expect((await decide(headers, job.jobId, 'approve')).status).toBe(403);
    }
    await letExpire(job.jobId);
    await cleanUpAfter(10);
    await expect.poll(() => workOn(job.jobId)).toEqual({ state: 'failed', attempts: 0 });
  });

  it('is accepted once with one Idempotency-Key, and decided once', async () => {
    const key = { 'idempotency-key': 'transfer-once' };
    const [one, again] = [await transfer(keyHeaders(first), key), await transfer(keyHeaders(first), key)];
    expect(again.body).toEqual(one.body);
    const refuse = { ...keyHeaders(second), 'idempotency-key': 'refuse-once' };
    const replies = [await decide(refuse, one.body.jobId, 'refuse')];
    await replyStored('refuse-once');
    replies.push(await decide(refuse, one.body.jobId, 'refuse'));
    expect(replies[1]?.headers.get('idempotent-replayed')).toBe('true');
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    // A decision is found again without a key too: by whoever made it.
    expect((await decide(keyHeaders(second), one.body.jobId, 'refuse')).body).toEqual(replies[0]?.body);
  });
});

describe('a forwarder', () => {
  it('waits, is found by that state only, and is deployed when it is approved', async () => {
    const { status, body } = await forwarder(keyHeaders(first));
    expect([status, body.status]).toEqual([201, WAITING]);
    const idsOf = async (state: string) =>
      (await client.get(`/contracts?status=${state}`)).body.items.map(({ _id }: { _id: string }) => _id);
    expect([(await idsOf(WAITING)).includes(body._id), (await idsOf('DEPLOYING')).includes(body._id)]).toEqual([
      true,
      false,
    ]);
    expect((await ask(keyHeaders(second), `/approvals/${body._id}`)).body).toMatchObject({
      action: 'DEPLOY_FORWARDER',
      alias: 'Ours',
      contractAddress: null,
    });
    expect((await decide(keyHeaders(second), body._id, 'approve')).status).toBe(200);
    const deployed = await client.until(`/contracts/${body._id}`, ['ACTIVE', 'FAILED']);
    expect(deployed['status']).toBe('ACTIVE');
    await expectEvent(body._id, 'contract.deployed', deployed);
  });

  it('is FAILED, as the states of contracts have it, when it is refused', async () => {
    const { body } = await forwarder(keyHeaders(first));
    await decide(keyHeaders(second), body._id, 'refuse');
    const deployed = await client.until(`/contracts/${body._id}`, ['ACTIVE', 'FAILED']);
    expect(deployed).toMatchObject({ status: 'FAILED', errorMessage: REFUSED });
    await expectEvent(body._id, 'contract.cancelled', deployed);
  });

  it('of an account that has not asked for approvals does not wait, nor do its transfers', async () => {
    await setting(adminOf(client), false);
    const { body } = await forwarder(keyHeaders(first));
    expect(body.status).toBe('DEPLOYING');
    // Otherwise it may be signed before it is cancelled.
    await pause('pause');
    const { body: job } = await transfer(keyHeaders(first));
    await cancel(job.jobId);
    await pause('resume');
    await expectEvent(job.jobId, 'ownership.cancelled', (await transferOf(job.jobId)).body);
    expect([noticesOf(body._id), noticesOf(job.jobId)]).toEqual([[], []]);
    expect(job.status).toBe('QUEUED');
    expect((await ask(keyHeaders(second), `/approvals/${body._id}`)).status).toBe(404);
  });
});

describe('a contract', () => {
  const contractFields = { chainId, name: 'Tokens', symbol: 'T', ercStandard: '721', contractType: 'standard' };

  it('that trusts a foreign forwarder waits, since whoever controls that could act for the owner', async () => {
    const trustedForwarder = await deployPlainForwarder(chainId);
    const deploy = () => ask(keyHeaders(first), '/contracts/deploy', { ...contractFields, trustedForwarder });
    const [one, other] = [await deploy(), await deploy()];
    expect([one.status, one.body.status]).toEqual([201, WAITING]);
    const { body: approval } = await ask(keyHeaders(second), `/approvals/${one.body._id}`);
    expect(approval).toMatchObject({ action: 'DEPLOY_CONTRACT', trustedForwarder, alias: null });
    await decide(keyHeaders(second), one.body._id, 'approve');
    const deployed = await client.until(`/contracts/${one.body._id}`, ['ACTIVE', 'FAILED']);
    expect(deployed).toMatchObject({ status: 'ACTIVE', trustedForwarder });
    await decide(keyHeaders(second), other.body._id, 'refuse');
    expect(await client.until(`/contracts/${other.body._id}`, ['ACTIVE', 'FAILED'])).toMatchObject({
      status: 'FAILED',
      errorMessage: REFUSED,
    });
  });

  it('that trusts none, or one of the account, does not wait, whoever becomes its owner', async () => {
    expect((await deployContract(client, { transferOwnerAddress: receiverAddress }))['status']).toBe('ACTIVE');
    const { body } = await forwarder(keyHeaders(first));
    await decide(keyHeaders(second), body._id, 'approve');
    const own = await client.until(`/contracts/${body._id}`, ['ACTIVE', 'FAILED']);
    const trusting = await deployContract(client, { trustedForwarder: own['contractAddress'] });
    expect(trusting['status']).toBe('ACTIVE');
  });
});

describe('the second person', () => {
  it('is told by an event what waits, once: an order, and the end of the setting', async () => {
    const [id, { body: waits }, { body: off }] = await Promise.all([
      waiting(),
      forwarder(keyHeaders(first)),
      setting(keyHeaders(first), false),
    ]);
    expect((await setting(keyHeaders(first), false)).body).toEqual(off);
    const asked = [
      [id, 'TRANSFER_OWNERSHIP', chainId],
      [waits._id, 'DEPLOY_FORWARDER', chainId],
      [off.approval.id, 'SWITCH_OFF_APPROVALS', null],
    ];
    for (const [approvalId, action, ofChain] of asked) {
      await expect.poll(() => noticesOf(approvalId)).not.toEqual([]);
      const { body: approval } = await ask(keyHeaders(second), `/approvals/${approvalId}`);
      const { expiresAt } = approval;
      expect(noticesOf(approvalId)).toEqual([
        { approvalId, action, chainId: ofChain, requestedBy: first.id, expiresAt },
      ]);
      await decide(keyHeaders(second), approvalId, 'refuse');
    }
  });

  const refused: [string, () => Promise<{ requester: Headers; decider: Headers }>][] = [
    ['the key that asked for it', async () => ({ requester: keyHeaders(first), decider: keyHeaders(first) })],
    [
      'a key that descends from it',
      async () => {
        const child = await makeKey(client, {}, keyHeaders(first));
        const grandchild = await makeKey(client, {}, keyHeaders(child));
        return { requester: keyHeaders(first), decider: keyHeaders(grandchild) };
      },
    ],
    [
      'a key that it descends from',
      async () => {
        const child = await makeKey(client, {}, keyHeaders(first));
        const grandchild = await makeKey(client, {}, keyHeaders(child));
        return { requester: keyHeaders(grandchild), decider: keyHeaders(first) };
      },
    ],
    [
      'a key of the same origin: whoever holds that key could have both',
      async () => ({
        requester: keyHeaders(await makeKey(client, {}, keyHeaders(first))),
        decider: keyHeaders(await makeKey(client, {}, keyHeaders(first))),
      }),
    ],
    [
      'a key without the scope ownership',
      async () => ({
        requester: keyHeaders(first),
        decider: keyHeaders(await makeKey(client, { scopes: ['read', 'deploy', 'keys'] })),
      }),
    ],
    [
      'a key for the other kind of chains',
      async () => ({ requester: keyHeaders(first), decider: keyHeaders(await makeKey(client, { kind: 'test' })) }),
    ],
    [
      'a global API key',
      async () => ({
        requester: keyHeaders(first),
        decider: {
          'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '',
          'x-corporate-id': client.account.corporateId,
        },
      }),
    ],
  ];
  it.each(refused)('cannot be %s', async (_, keys) => {
    const { requester, decider } = await keys();
    const id = await waiting(requester);
    for (const action of ['approve', 'refuse'] as const) expect((await decide(decider, id, action)).status).toBe(403);
    expect((await transferOf(id)).body.status).toBe(WAITING);
    await decide(keyHeaders(second), id, 'refuse');
  });

  it('can be the operator, and any key of the account when a global API key asked for it', async () => {
    expect((await decide(adminOf(client), await waiting(), 'refuse')).body).toMatchObject({
      status: 'REFUSED',
      decidedBy: null,
      decidedAt: expect.any(String),
    });
    const { body } = await client.post('/contracts/transfer-ownership', {
      chainId,
      contractAddress,
      newOwnerAddress: receiverAddress,
    });
    expect((await decide(keyHeaders(first), body.jobId, 'refuse')).body).toMatchObject({
      status: 'REFUSED',
      requestedBy: null,
      decidedBy: first.id,
    });
  });

  it('is not answered what a global API key was, which used the same Idempotency-Key', async () => {
    const id = await waiting();
    const key = { 'idempotency-key': crypto.randomUUID() };
    const path = `/approvals/${id}/refuse`;
    expect((await client.post(path, {}, key)).status).toBe(403);
    const { status, body } = await ask({ ...adminOf(client), ...key }, path, {});
    expect([status, body.status]).toEqual([200, 'REFUSED']);
  });

  it('of another account finds nothing', async () => {
    const other = await newClient();
    const id = await waiting();
    for (const headers of [keyHeaders(await makeKey(other)), adminOf(other)]) {
      expect((await decide(headers, id, 'approve')).status).toBe(404);
      expect((await ask(headers, `/approvals/${id}`)).status).toBe(404);
      expect((await ask(headers, '/approvals')).body.items).toEqual([]);
    }
    await decide(keyHeaders(second), id, 'refuse');
  });
});

describe('of decisions at once', () => {
  it.each([
    ['two refusals and a cancellation', ['refuse', 'refuse', 'cancel'], ['CANCELLED']],
    ['two approvals', ['approve', 'approve'], ['CANCELLED', 'CONFIRMED']],
    ['an approval and a refusal', ['approve', 'refuse'], ['CANCELLED', 'CONFIRMED']],
  ] as const)('exactly one has an effect: %s', async (_, actions, ends) => {
    const own = await Promise.all([makeKey(client), makeKey(client)]);
    await pause('pause');
    for (let round = 0; round < 5; round += 1) {
      const id = await waiting();
      const replies = await Promise.all(
        actions.map((action, index) =>
          action === 'cancel' ? cancel(id) : decide(keyHeaders(own[index] ?? second), id, action),
        ),
      );
      // Cancelling what is being refused says so, with 200.
      const decisions = replies.slice(0, actions.filter((action) => action !== 'cancel').length);
      const won = actions.some((action) => action === 'cancel') ? [0, 1] : [1];
      expect(won).toContain(decisions.filter(({ status }) => status === 200).length);
      expect(decisions.filter(({ status }) => ![200, 409].includes(status))).toEqual([]);
      expect(['APPROVED ACCEPTED', 'REFUSED CANCELLED', 'CANCELLED CANCELLED']).toContain(await standOf(id));
      await cancel(id);
      const end = await client.until(`/contracts/transfer-ownership/${id}`, ['CANCELLED', 'FAILED', 'CONFIRMED']);
      expect(ends).toContain(end['status']);
      await expect.poll(() => eventsOf(id).length).toBe(1);
    }
    await pause('resume');
  });

  it('exactly one has an effect at the end of the time: an approval, a refusal or the end', async () => {
    const other = keyHeaders(await makeKey(client));
    await pause('pause');
    const seen = new Set<string>();
    for (let round = 0; round < 12; round += 1) {
      const id = await waiting();
      await database.query(
        `with a as (update approvals set expires_at = now() + interval '1 millisecond' * $2 where id = $1 returning expires_at),
         t as (update orders set approval_until = a.expires_at, next_try_at = a.expires_at from a where order_id = $1)
         select 1`,
        [id, round === 0 ? 60_000 : 250],
      );
      // The first is decided long before its time is over, the last one after it. Its lane is driven, and so wakes
      // again at that time.
      const waker = await waiting();
      await new Promise((resolve) => setTimeout(resolve, 100 + round * 25));
      const replies = await Promise.all([decide(keyHeaders(second), id, 'approve'), decide(other, id, 'refuse')]);
      const [approved, refused] = replies.map(({ status }) => status === 200);
      const expected =
        approved === true ? 'APPROVED ACCEPTED' : refused === true ? 'REFUSED CANCELLED' : 'EXPIRED FAILED';
      seen.add(expected);
      expect(approved === true && refused === true).toBe(false);
      await expect.poll(() => standOf(id)).toBe(expected);
      for (const each of [id, waker]) await cancel(each);
      await expect.poll(() => eventsOf(id).length).toBe(1);
    }
    await pause('resume');
    expect(seen.size).toBeGreaterThan(1);
  });
});

describe('the setting', () => {
  it('is switched on at once by a key with the scopes ownership and keys, or by the operator', async () => {
    for (const headers of [keyHeaders(first), adminOf(client)]) {
      await setting(adminOf(client), false);
      expect((await setting(headers, true)).body).toEqual({ required: true, approval: null });
      expect(await isRequired()).toBe(true);
    }
  });

  it.each([
    ['a key without the scope keys', { scopes: ['ownership'] }],
    ['a key without the scope ownership', { scopes: ['keys'] }],
    ['a key for test chains', { kind: 'test' }],
  ])('is not changed by %s', async (_, fields) => {
    const key = keyHeaders(await makeKey(client, fields));
    for (const required of [true, false]) expect((await setting(key, required)).status).toBe(403);
    expect(await isRequired()).toBe(true);
  });

  it('is not changed by a global API key', async () => {
    expect((await client.post('/approvals/setting', { required: false })).status).toBe(403);
  });

  it('is switched off by a key only if a second person approves', async () => {
    const { status, body } = await setting(keyHeaders(first), false);
    expect([status, body]).toEqual([
      200,
      {
        required: true,
        approval: expect.objectContaining({ action: 'SWITCH_OFF_APPROVALS', status: WAITING, chainId: null }),
      },
    ]);
    const { id } = body.approval;
    // Asked again, it is the same request.
    expect((await setting(keyHeaders(second), false)).body).toEqual(body);
    expect((await decide(keyHeaders(first), id, 'approve')).status).toBe(403);
    expect((await decide(keyHeaders(await makeKey(client, { kind: 'test' })), id, 'approve')).status).toBe(403);
    expect(await isRequired()).toBe(true);
    expect((await decide(keyHeaders(second), id, 'approve')).body.status).toBe('APPROVED');
    expect(await isRequired()).toBe(false);
    expect((await setting(keyHeaders(first), false)).body).toEqual({ required: false, approval: null });
    expect(await auditOf(id)).toEqual([
      ['/approvals/setting', first.id],
      ['/approvals/{id}/approve', second.id],
    ]);
  });

  it('stays on when the request is refused, or has expired, or the operator has set it since', async () => {
    const requested = async () => (await setting(keyHeaders(first), false)).body.approval.id as string;
    const refusedId = await requested();
    await decide(keyHeaders(second), refusedId, 'refuse');
    const expired = await requested();
    await database.query('update approvals set expires_at = now() where id = $1', [expired]);
    const outdated = await requested();
    await setting(adminOf(client), true);
    for (const id of [refusedId, expired, outdated]) {
      expect((await decide(keyHeaders(second), id, 'approve')).status).toBe(409);
    }
    expect(await isRequired()).toBe(true);
  });

  it('is decided once: approve and refuse at once', async () => {
    const others = await Promise.all([makeKey(client), makeKey(client)]);
    for (let round = 0; round < 5; round += 1) {
      await setting(adminOf(client), true);
      const { body } = await setting(keyHeaders(first), false);
      const replies = await Promise.all(
        others.map((key, index) => decide(keyHeaders(key), body.approval.id, index === 0 ? 'approve' : 'refuse')),
      );
      expect(statusesOf(replies)).toEqual([200, 409]);
      expect(await isRequired()).toBe(replies[0]?.status !== 200);
    }
  });
});

it('the list has what waits, newest first', async () => {
  const ids = [await waiting(), await waiting()];
  const { body } = await ask(keyHeaders(second), `/approvals?status=${WAITING}`);
  expect(body.items.slice(0, 2).map(({ id }: { id: string }) => id)).toEqual(ids.toReversed());
  for (const id of ids) await decide(keyHeaders(second), id, 'refuse');
  const listed = (await ask(keyHeaders(second), `/approvals?status=REFUSED&limit=2`)).body.items;
  expect(listed.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed());
  expect(await ownerOf()).toBe(client.account.walletAddress);
});
