import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Address } from 'viem';
import { fundWallet } from '../../cli/local-stack/fund-wallet.ts';
import { startOwnStack, type OwnStack } from '../fixtures/own-stack.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';

// What the operator reads and pauses is of all accounts, so the flows' common stack would show those of other tests,
// and hold them.
let own: OwnStack;
const receivers: WebhookReceiver[] = [];
beforeAll(async () => {
  own = await startOwnStack({});
});
afterAll(async () => {
  await own.stop();
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

const ask = (path: string, headers: Record<string, string>, init: Omit<RequestInit, 'headers'> = {}) =>
  own.ask(path, { 'content-type': 'application/json', ...headers }, init);

const adminKey = () => ({ 'x-admin-secret-key': own.settings['ADMIN_SECRET_KEY'] ?? '' });
const admin = (path: string, headers: Record<string, string> = {}) =>
  ask(path, { ...adminKey(), ...headers }, { method: 'POST' });
const status = async () => (await ask('/status', adminKey())).body;
const webhooks = async () => (await ask('/admin/webhooks', adminKey())).body;

async function newAccount(account: { webhookUrl?: string } = {}) {
  const { corporateId, walletAddress } = await own.createAccount({ name: 'Test', ...account });
  await fundWallet(walletAddress as Address, Object.values(own.rpcUrls));
  const headers = { 'x-api-key': own.settings['GLOBAL_SECRET_KEY'] ?? '', 'x-corporate-id': corporateId };
  return {
    corporateId,
    async deploy() {
      const fields = { name: 'T', symbol: 'T', ercStandard: '721', contractType: 'standard' };
      const { status: code, body } = await ask('/contracts/deploy', headers, {
        method: 'POST',
        body: JSON.stringify(fields),
      });
      expect([code, body.status, body.hold]).toEqual([201, 'DEPLOYING', null]);
      return `/contracts/${body._id}`;
    },
    read: async (path: string) => (await ask(path, headers)).body,
  };
}

type Account = Awaited<ReturnType<typeof newAccount>>;

async function becomes(account: Account, path: string, state: string) {
  await expect.poll(async () => (await account.read(path)).status, { timeout: 30_000 }).toBe(state);
}

async function isHeld(account: Account, path: string, what: string) {
  await expect
    .poll(async () => (await account.read(path)).hold, { timeout: 30_000 })
    .toEqual({
      reason: 'PAUSED',
      detail: `The operator has paused the ${what}`,
      since: expect.stringMatching(/^\d{4}-.*Z$/),
    });
}

it('orders of a paused account are accepted and wait, with the reason in the order and in /status; others go on', async () => {
  const [paused, other] = await Promise.all([newAccount(), newAccount()]);
  const path = `/admin/accounts/${paused.corporateId}`;
  const first = await admin(`${path}/pause`);
  expect(first).toMatchObject({ status: 200, body: { corporateId: paused.corporateId } });
  expect((await admin(`${path}/pause`)).body).toEqual(first.body);
  const [held, free] = await Promise.all([paused.deploy(), other.deploy()]);
  await becomes(other, free, 'ACTIVE');
  await isHeld(paused, held, 'account');
  expect(await status()).toMatchObject({
    held: [{ reason: 'PAUSED', orders: 1, since: expect.any(String) }],
    paused: { accounts: [first.body], chains: [] },
  });
  const resumed = await admin(`${path}/resume`);
  expect(resumed).toMatchObject({ status: 200, body: { corporateId: paused.corporateId, pausedAt: null } });
  await becomes(paused, held, 'ACTIVE');
  expect(await paused.read(held)).toMatchObject({ hold: null, cancelRequestedAt: null });
  expect(await status()).toMatchObject({ held: [], paused: { accounts: [], chains: [] } });
});

it('orders on a paused chain are accepted and wait', async () => {
  const account = await newAccount();
  const { status: code, body } = await admin('/admin/chains/43114/pause');
  expect([code, body.chainId]).toEqual([200, '43114']);
  const order = await account.deploy();
  await isHeld(account, order, 'chain');
  expect((await status()).paused).toEqual({ accounts: [], chains: [body] });
  expect((await admin('/admin/chains/43114/resume')).body).toEqual({ chainId: '43114', pausedAt: null });
  await becomes(account, order, 'ACTIVE');
});

it('a retry with the same Idempotency-Key gets the first reply, and does not pause again after a resume', async () => {
  const { corporateId } = await newAccount();
  const key = { 'idempotency-key': crypto.randomUUID() };
  const { body } = await admin(`/admin/accounts/${corporateId}/pause`, key);
  await admin(`/admin/accounts/${corporateId}/resume`);
  const again = await admin(`/admin/accounts/${corporateId}/pause`, key);
  expect(again.body).toEqual(body);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect((await status()).paused.accounts).toEqual([]);
  expect((await admin(`/admin/accounts/${corporateId}/resume`, key)).status).toBe(422);
});

it.each(['pause', 'resume'])('%s needs the admin key, and an account or chain that exists', async (action) => {
  const { corporateId } = await newAccount();
  for (const path of [`/admin/accounts/${corporateId}/${action}`, `/admin/chains/43114/${action}`]) {
    expect((await ask(path, {}, { method: 'POST' })).status).toBe(401);
  }
  expect((await admin(`/admin/accounts/nobody/${action}`)).status).toBe(404);
  expect((await admin(`/admin/chains/999/${action}`)).status).toBe(404);
});

it('GET /admin/webhooks names what fails, which can be replayed once it has ended', async () => {
  let accepts = false;
  const receiver = await startWebhookReceiver(() => (accepts ? 200 : 500));
  receivers.push(receiver);
  const account = await newAccount({ webhookUrl: receiver.url });
  await account.deploy();
  const statuses = async () => (await webhooks()).deliveries.map((delivery: { status: string }) => delivery.status);
  await expect.poll(statuses).toEqual(['FAILED']);

  const { endpoints, deliveries } = await webhooks();
  expect(endpoints).toMatchObject([{ corporateId: account.corporateId, url: receiver.url, succeeded: 0, failed: 1 }]);
  const [{ id }] = deliveries;
  accepts = true;
  expect((await admin(`/admin/webhooks/deliveries/${id}/replay`)).status).toBe(200);
  await expect.poll(async () => (await account.read(`/webhooks/deliveries/${id}`)).status).toBe('SUCCESS');
  expect((await admin(`/admin/webhooks/deliveries/${'0'.repeat(24)}/replay`)).status).toBe(404);
});
