import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Address } from 'viem';
import { fundWallet } from '../../stack/fund-wallet.ts';
import { startOwnStack, type OwnStack } from '../fixtures/own-stack.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';

// The list has the newest deliveries of all accounts, so the flows' common stack would push those of this test out.
let own: OwnStack;
let receiver: WebhookReceiver;
let accepts = false;
let corporateId: string;
beforeAll(async () => {
  receiver = await startWebhookReceiver(() => (accepts ? 200 : 500));
  own = await startOwnStack({});
  const account = await own.createAccount({ name: 'Test', webhookUrl: receiver.url });
  ({ corporateId } = account);
  await fundWallet(account.walletAddress as Address, Object.values(own.rpcUrls));
});
afterAll(async () => {
  await own.stop();
  await receiver.close();
});

const ask = (path: string, body?: unknown) =>
  own.ask(
    path,
    {
      'x-api-key': own.settings['GLOBAL_SECRET_KEY'] ?? '',
      'x-corporate-id': corporateId,
      'content-type': 'application/json',
    },
    body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) },
  );
const admin = (path: string, method = 'GET') =>
  own.ask(path, { 'x-admin-secret-key': own.settings['ADMIN_SECRET_KEY'] ?? '' }, { method });

it('GET /admin/webhooks names what fails, which can be replayed once it has ended', async () => {
  const contract = { name: 'Tokens', symbol: 'T', ercStandard: '721', contractType: 'standard' };
  const order = await ask('/contracts/deploy', contract);
  expect(order.status).toBe(201);
  const statuses = async () =>
    (await admin('/admin/webhooks')).body.deliveries.map(({ status }: { status: string }) => status);
  await expect.poll(statuses).toEqual(['FAILED']);

  const { endpoints, deliveries } = (await admin('/admin/webhooks')).body;
  expect(endpoints).toMatchObject([{ corporateId, url: receiver.url, succeeded: 0, failed: 1 }]);
  const [{ id }] = deliveries;
  accepts = true;
  expect((await admin(`/admin/webhooks/deliveries/${id}/replay`, 'POST')).status).toBe(200);
  await expect.poll(async () => (await ask(`/webhooks/deliveries/${id}`)).body.status).toBe('SUCCESS');
  expect((await admin(`/admin/webhooks/deliveries/${'0'.repeat(24)}/replay`, 'POST')).status).toBe(404);
});
