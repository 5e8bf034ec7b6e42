import type { ServerResponse } from 'node:http';
import { Client as Postgres } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CreatedAccount } from '../../cli/corporate/upsert-account.ts';
import { startOwnStack, type OwnStack } from '../fixtures/own-stack.ts';
import { endOfDelivery, insertDelivery } from '../fixtures/webhook-deliveries.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';

let stack: OwnStack;
let database: Postgres;
let receivers: WebhookReceiver[] = [];

beforeAll(async () => {
  stack = await startOwnStack({ WEBHOOK_TIMEOUT_SECONDS: '3' });
  database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await stack.stop();
});
afterEach(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
  receivers = [];
});

async function receive(...parameters: Parameters<typeof startWebhookReceiver>): Promise<WebhookReceiver> {
  const receiver = await startWebhookReceiver(...parameters);
  receivers.push(receiver);
  return receiver;
}

function newAccount(request: { webhookUrl?: string } = {}): Promise<CreatedAccount> {
  return stack.createAccount({ name: 'Test', ...request });
}

const insertEvent = (account: CreatedAccount) => insertDelivery(database, account);
const endOf = (eventId: string, timeout?: number) => endOfDelivery(database, eventId, timeout);

describe('an event', () => {
  it('is delivered while another account has many events and an unresponsive target', async () => {
    const open = new Set<unknown>();
    const twoOpen = Promise.withResolvers<void>();
    const silent = await receive(() => (response) => {
      open.add(response);
      if (open.size === 2) twoOpen.resolve();
      response.on('close', () => open.delete(response));
    });
    const openWhenDelivered: number[] = [];
    const reply = async (response: ServerResponse) => {
      await twoOpen.promise;
      openWhenDelivered.push(open.size);
      response.writeHead(200).end();
    };
    const prompt = await receive(() => (response) => void reply(response));
    const [slow, quick] = await Promise.all([
      newAccount({ webhookUrl: silent.url }),
      newAccount({ webhookUrl: prompt.url }),
    ]);
    // The slow account's events are older, and all are queued in one batch.
    for (let count = 0; count < 20; count += 1) await insertEvent(slow);
    const quickEvents = [await insertEvent(quick), await insertEvent(quick), await insertEvent(quick)];
    await stack.cleanUpAfter(10);
    for (const eventId of quickEvents) expect((await endOf(eventId)).status).toBe('SUCCESS');
    expect(prompt.deliveries).toHaveLength(3);
    // The unresponsive target held requests the whole time, and never more than two.
    expect(Math.max(...openWhenDelivered)).toBe(2);
    await database.query("update webhook_deliveries set status = 'FAILED' where corporate_account_id = $1", [slow._id]);
  });

  it.each([
    [300, 100],
    [30, 1_500],
  ])(
    'is delivered before most of the %i before it, of another account whose receiver takes %i ms for each; all are delivered once',
    async (size, ms) => {
      const flooded = await receive(() => (response) => setTimeout(() => response.writeHead(200).end(), ms));
      const floodedWhenDelivered: number[] = [];
      const prompt = await receive(() => {
        floodedWhenDelivered.push(flooded.deliveries.length);
        return 200;
      });
      const [flooding, other] = await Promise.all([
        newAccount({ webhookUrl: flooded.url }),
        newAccount({ webhookUrl: prompt.url }),
      ]);
      const flood: string[] = [];
      for (let count = 0; count < size; count += 1) flood.push(await insertEvent(flooding));
      await stack.cleanUpAfter(10);
      await expect.poll(() => flooded.deliveries.length).toBeGreaterThan(0);
      const late = await insertEvent(other);
      await stack.cleanUpAfter(10);
      expect((await endOf(late, 150_000)).status).toBe('SUCCESS');
      expect(floodedWhenDelivered).toEqual([expect.any(Number)]);
      expect(Math.max(...floodedWhenDelivered)).toBeLessThan(size / 2);

      const unfinished = async () => {
        const { rows } = await database.query(
          "select 1 from webhook_deliveries where corporate_account_id = $1 and status <> 'SUCCESS'",
          [flooding._id],
        );
        return rows.length;
      };
      await expect.poll(unfinished, { timeout: 150_000, interval: 500 }).toBe(0);
      const received = flooded.deliveries.map(({ headers }) => String(headers['webhook-id']));
      expect(received.toSorted()).toEqual(flood.map((id) => `evt_${id}`).toSorted());
    },
    200_000,
  );
});
