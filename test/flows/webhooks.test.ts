import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as Postgres } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { encryptWebhookSecret } from '../../src/accounts/webhook-secret.ts';
import { createEncryption } from '../../src/platform/encryption.ts';
import type { CreatedAccount } from '../../cli/corporate/upsert-account.ts';
import { runCorporate } from '../../cli/corporate/run-corporate.ts';
import { startOwnStack, type OwnStack } from '../fixtures/own-stack.ts';
import { endOfDelivery, insertDelivery, type LogRow } from '../fixtures/webhook-deliveries.ts';
import { startWebhookReceiver, type Delivery, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';
import { runCommand } from '../stack/support/run-command.ts';
import { expectErrors } from '../record/service-errors.ts';

expectErrors('webhook.secret_unreadable');

const encryptionKey = { id: 'test', bytes: new Uint8Array(32).fill(3) };
let stack: OwnStack;
let database: Postgres;
let receivers: WebhookReceiver[] = [];

beforeAll(async () => {
  stack = await startOwnStack({
    WEBHOOK_TIMEOUT_SECONDS: '8',
    ENCRYPTION_KEYS: `${encryptionKey.id}.${Buffer.from(encryptionKey.bytes).toString('base64')}`,
  });
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
const endOf = (eventId: string) => endOfDelivery(database, eventId);

/** Has the service deliver an event of a new account to `url`, and waits until it is finished. */
async function deliverTo(url: string): Promise<{ status: string; logs: LogRow[]; account: CreatedAccount }> {
  const account = await newAccount({ webhookUrl: url });
  const eventId = await insertEvent(account);
  await stack.cleanUpAfter(10);
  return { ...(await endOf(eventId)), account };
}

function attemptsOf(logs: readonly LogRow[]) {
  return logs.map(({ attempt, status, response_status_code: code }) => ({ attempt, status, code }));
}

function standardHeaders({ headers }: Delivery): Record<string, string> {
  return Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, String(headers[name])]),
  );
}

describe('the result of a delivery', () => {
  it('is SUCCESS with a 2xx', async () => {
    const receiver = await receive(() => 204);
    const { status, logs } = await deliverTo(receiver.url);
    expect(status).toBe('SUCCESS');
    expect(attemptsOf(logs)).toEqual([{ attempt: 1, status: 'SUCCESS', code: 204 }]);
    expect(logs[0]).toMatchObject({ target_url: receiver.url, payload_sent: receiver.deliveries[0]?.body });
  });

  it('is FAILED with a 4xx, without another attempt', async () => {
    const receiver = await receive(() => 410);
    const { status, logs } = await deliverTo(receiver.url);
    expect(status).toBe('FAILED');
    expect(attemptsOf(logs)).toEqual([{ attempt: 1, status: 'FAILED', code: 410 }]);
    expect(receiver.deliveries).toHaveLength(1);
  });

  it('is SUCCESS when a 5xx is followed by a 2xx, with the same id and body and a fresh signature', async () => {
    const receiver = await receive((count) => (count <= 2 ? 503 : 200));
    const { status, logs, account } = await deliverTo(receiver.url);
    expect(status).toBe('SUCCESS');
    expect(attemptsOf(logs)).toEqual([
      { attempt: 1, status: 'RETRYING', code: 503 },
      { attempt: 2, status: 'RETRYING', code: 503 },
      { attempt: 3, status: 'SUCCESS', code: 200 },
    ]);
    const { deliveries } = receiver;
    expect(new Set(deliveries.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(deliveries.map(({ body }) => body)).size).toBe(1);
    for (const delivery of deliveries) {
      new Webhook(account.webhookSecret).verify(delivery.body, standardHeaders(delivery));
    }
  });

  it('is FAILED after five attempts with 5xx or refused connections, at least 1, 2, 4 and 8 times the base delay apart', async () => {
    const failing = await receive(() => 500);
    const closed = await startWebhookReceiver();
    await closed.close();
    const [answered, refused] = await Promise.all([deliverTo(failing.url), deliverTo(closed.url)]);
    expect([answered.status, refused.status]).toEqual(['FAILED', 'FAILED']);
    const statuses = ['RETRYING', 'RETRYING', 'RETRYING', 'RETRYING', 'FAILED'];
    expect(attemptsOf(answered.logs)).toEqual(
      statuses.map((status, index) => ({ attempt: index + 1, status, code: 500 })),
    );
    expect(attemptsOf(refused.logs)).toEqual(
      statuses.map((status, index) => ({ attempt: index + 1, status, code: null })),
    );
    for (const { error_message: message } of refused.logs) expect(message).toBe('The connection failed');
    // By the service's records; the queue may delay an attempt further.
    const ends = answered.logs.map(({ created_at: end }) => end.getTime());
    const pauses = ends.slice(1).map((end, index) => end - (ends[index] ?? end));
    for (const [index, pause] of pauses.entries()) expect(pause).toBeGreaterThanOrEqual(1_000 * 2 ** index);
  });

  it('is SUCCESS when a timeout is followed by a 2xx', async () => {
    const receiver = await receive((count) => (count === 1 ? () => {} : 200));
    const { status, logs } = await deliverTo(receiver.url);
    expect(status).toBe('SUCCESS');
    expect(attemptsOf(logs)).toEqual([
      { attempt: 1, status: 'RETRYING', code: null },
      { attempt: 2, status: 'SUCCESS', code: 200 },
    ]);
    expect(logs[0]?.error_message).toBe('No answer within 8 seconds');
  });

  it('is SUCCESS when a lost connection is followed by a 2xx', async () => {
    const receiver = await receive((count) => (count === 1 ? (response) => response.destroy() : 200));
    const { status, logs } = await deliverTo(receiver.url);
    expect(status).toBe('SUCCESS');
    expect(logs[0]).toMatchObject({
      status: 'RETRYING',
      response_status_code: null,
      error_message: 'The connection failed',
    });
  });

  it('is FAILED with a redirect, which is not followed', async () => {
    const elsewhere = await receive();
    const receiver = await receive(() => (response) => response.writeHead(307, { location: elsewhere.url }).end());
    const { status, logs } = await deliverTo(receiver.url);
    expect(status).toBe('FAILED');
    expect(attemptsOf(logs)).toEqual([{ attempt: 1, status: 'FAILED', code: 307 }]);
    expect(elsewhere.deliveries).toEqual([]);
  });

  it('is SUCCESS with a 2xx whose body never ends: only the status is read, then the connection is closed', async () => {
    const closed = Promise.withResolvers<void>();
    const receiver = await receive(() => (response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'.repeat(65_536)), 5);
      response.on('close', () => {
        clearInterval(timer);
        closed.resolve();
      });
    });
    const { status, logs } = await deliverTo(receiver.url);
    expect(status).toBe('SUCCESS');
    expect(attemptsOf(logs)).toEqual([{ attempt: 1, status: 'SUCCESS', code: 200 }]);
    await closed.promise;
  });

  it('is SKIPPED without a log row if the account has no webhook URL', async () => {
    const account = await newAccount();
    const eventId = await insertEvent(account);
    await stack.cleanUpAfter(10);
    expect(await endOf(eventId)).toEqual({ status: 'SKIPPED', logs: [] });
  });
});

describe('an event', () => {
  it('is delivered by the cleanup job when its message was lost', async () => {
    const receiver = await receive();
    const account = await newAccount({ webhookUrl: receiver.url });
    const eventId = await insertEvent(account);
    await stack.cleanUpAfter(10);
    expect((await endOf(eventId)).status).toBe('SUCCESS');
    expect(receiver.deliveries).toHaveLength(1);
    expect(receiver.deliveries[0]?.headers['webhook-id']).toBe(`evt_${eventId}`);
  });

  it('is delivered once, however many queue messages it has', async () => {
    const receiver = await receive(() => (response) => setTimeout(() => response.writeHead(200).end(), 500));
    const account = await newAccount({ webhookUrl: receiver.url });
    const eventId = await insertEvent(account);
    await Promise.all([stack.cleanUpAfter(10), stack.cleanUpAfter(10), stack.cleanUpAfter(10)]);
    expect((await endOf(eventId)).status).toBe('SUCCESS');
    await stack.cleanUpAfter(10);
    expect(receiver.deliveries).toHaveLength(1);
  });

  it('is leased to its attempt: counted, and not available to others until the lease ends', async () => {
    const held = Promise.withResolvers<unknown>();
    const look = async (response: ServerResponse) => {
      const { rows } = await database.query(
        `select attempts, next_attempt_at > now() + interval '3 seconds' as held
         from webhook_deliveries where corporate_account_id = $1`,
        [account._id],
      );
      held.resolve(rows);
      response.writeHead(200).end();
    };
    const receiver = await receive(() => (response) => void look(response));
    const account = await newAccount({ webhookUrl: receiver.url });
    const eventId = await insertEvent(account);
    await stack.cleanUpAfter(10);
    expect(await held.promise).toEqual([{ attempts: 1, held: true }]);
    expect((await endOf(eventId)).status).toBe('SUCCESS');
  });

  it('is not delivered while another consumer holds it', async () => {
    const receiver = await receive();
    const account = await newAccount({ webhookUrl: receiver.url });
    const [taken, free] = [await insertEvent(account), await insertEvent(account)];
    const hold = 'update webhook_deliveries set attempts = 1, next_attempt_at = now() + $2::interval where id = $1';
    await database.query(hold, [taken, '1 hour']);
    await stack.cleanUpAfter(90);
    expect((await endOf(free)).status).toBe('SUCCESS');
    expect(receiver.deliveries.map(({ headers }) => headers['webhook-id'])).toEqual([`evt_${free}`]);
    const { rows } = await database.query('select status, attempts from webhook_deliveries where id = $1', [taken]);
    expect(rows).toEqual([{ status: 'PENDING', attempts: 1 }]);
    await database.query("update webhook_deliveries set status = 'FAILED' where id = $1", [taken]);
  });

  it('continues after an interrupted attempt, and logs it', async () => {
    const receiver = await receive();
    const account = await newAccount({ webhookUrl: receiver.url });
    const eventId = await insertEvent(account);
    // As a Worker leaves it that crashes during an attempt.
    await database.query('update webhook_deliveries set attempts = 1 where id = $1', [eventId]);
    await stack.cleanUpAfter(10);
    const { status, logs } = await endOf(eventId);
    expect(status).toBe('SUCCESS');
    expect(attemptsOf(logs)).toEqual([
      { attempt: 1, status: 'RETRYING', code: null },
      { attempt: 2, status: 'SUCCESS', code: 200 },
    ]);
    expect(logs[0]?.error_message).toBe('The attempt was interrupted');
  });

  it('waits, and is not sent unsigned, while the key of its secret is unknown', async () => {
    const receiver = await receive();
    const account = await newAccount({ webhookUrl: receiver.url });
    const swap = async (secret: string) => {
      const { rows } = await database.query<{ secret: string }>(
        `update webhook_endpoints p set secret = $2 from webhook_endpoints o
         where p.corporate_account_id = $1 and o.id = p.id returning o.secret`,
        [account._id, secret],
      );
      return rows[0]?.secret ?? '';
    };
    const stored = await swap('gone.AAAAAAAAAAAAAAAA.AAAA');
    const eventId = await insertEvent(account);
    await stack.cleanUpAfter(10);
    const attempts = async () =>
      (await database.query('select attempts from webhook_deliveries where id = $1', [eventId])).rows[0].attempts;
    await expect.poll(attempts).toBeGreaterThan(0);
    expect(receiver.deliveries).toEqual([]);
    await swap(stored);
    const { status, logs } = await endOf(eventId);
    expect(status).toBe('SUCCESS');
    expect(logs[0]).toMatchObject({ status: 'RETRYING', error_message: 'The signing secret could not be read' });
    expect(receiver.deliveries).toHaveLength(1);
  });

  it('is FAILED when its last attempt was interrupted', async () => {
    const receiver = await receive();
    const account = await newAccount({ webhookUrl: receiver.url });
    const eventId = await insertEvent(account);
    await database.query('update webhook_deliveries set attempts = 5 where id = $1', [eventId]);
    await stack.cleanUpAfter(10);
    const { status, logs } = await endOf(eventId);
    expect(status).toBe('FAILED');
    expect(attemptsOf(logs)).toEqual([{ attempt: 5, status: 'FAILED', code: null }]);
    expect(receiver.deliveries).toEqual([]);
  });
});

describe('the signature', () => {
  it('uses the new secret and, for a day after a rotation, the old one too', async () => {
    const receiver = await receive();
    const account = await newAccount({ webhookUrl: receiver.url });
    const [old, fresh] = [account.webhookSecret, `whsec_${Buffer.alloc(32, 7).toString('base64')}`];
    const { rows } = await database.query('select id from webhook_endpoints where corporate_account_id = $1', [
      account._id,
    ]);
    const encrypted = await encryptWebhookSecret(createEncryption([encryptionKey]), rows[0].id, fresh);
    await database.query(
      `update webhook_endpoints set secret = $2, secret_previous = secret,
       secret_previous_expires_at = now() + interval '1 hour' where id = $1`,
      [rows[0].id, encrypted],
    );
    const first = await insertEvent(account);
    await stack.cleanUpAfter(10);
    await endOf(first);
    await database.query('update webhook_endpoints set secret_previous_expires_at = now() where id = $1', [rows[0].id]);
    const second = await insertEvent(account);
    await stack.cleanUpAfter(10);
    await endOf(second);

    const [both, one] = receiver.deliveries;
    if (both === undefined || one === undefined) throw new Error('Two deliveries were expected');
    for (const secret of [old, fresh]) new Webhook(secret).verify(both.body, standardHeaders(both));
    new Webhook(fresh).verify(one.body, standardHeaders(one));
    expect(() => new Webhook(old).verify(one.body, standardHeaders(one))).toThrow('No matching signature');

    // By the definition, independently of the library that signed.
    const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = standardHeaders(one);
    const key = Buffer.from(fresh.slice('whsec_'.length), 'base64');
    const expected = createHmac('sha256', key).update(`${id}.${time}.${one.body}`).digest('base64');
    expect(signature).toBe(`v1,${expected}`);
  });
});

/** Runs `npm run corporate` as an operator with the stores in the environment. */
async function corporate(...options: string[]) {
  const environment = { ...stack.settings, STACK_DIR: join(tmpdir(), 'no-stack-here') };
  const { code, stdout, output } = await runCommand(runCorporate, ['--json', ...options], environment);
  return { code, output, reply: stdout === '' ? undefined : JSON.parse(stdout) };
}

describe("the operator's command", () => {
  it('sends a signed test event, prints the response, and stores nothing', async () => {
    const receiver = await receive((count) => (count === 1 ? 202 : 404));
    const account = await newAccount({ webhookUrl: receiver.url });
    const { code, reply } = await corporate('--corporate-id', account.corporateId, '--test-webhook');
    expect(code).toBe(0);
    expect(reply).toMatchObject({
      ...account,
      testWebhook: { target: receiver.url, delivered: true, outcome: 'answered 202' },
    });
    const [delivery] = receiver.deliveries;
    if (delivery === undefined) throw new Error('A delivery was expected');
    expect(delivery.event).toMatchObject({ type: 'webhook.test', data: { corporateId: account.corporateId } });
    expect(delivery.headers['webhook-id']).toBe(reply.testWebhook.webhookId);
    new Webhook(account.webhookSecret).verify(delivery.body, standardHeaders(delivery));
    const { rows } = await database.query('select 1 from webhook_events where corporate_account_id = $1', [
      account._id,
    ]);
    expect(rows).toEqual([]);

    const refused = await corporate('--corporate-id', account.corporateId, '--test-webhook');
    expect(refused).toMatchObject({ code: 1, reply: { testWebhook: { delivered: false, outcome: 'answered 404' } } });
  });

  it('sends no test event without a webhook URL', async () => {
    const account = await newAccount();
    const { code, output } = await corporate('--corporate-id', account.corporateId, '--test-webhook');
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringContaining(`\nThe account ${account.corporateId} has no webhook URL\n`),
    });
  });

  it('rotates the secret: the next event is signed with both', async () => {
    const receiver = await receive();
    const account = await newAccount({ webhookUrl: receiver.url });
    const { code, reply } = await corporate('--corporate-id', account.corporateId, '--rotate-webhook-secret');
    expect(code).toBe(0);
    expect(reply).toEqual({ ...account, webhookSecret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) });
    expect(reply.webhookSecret).not.toBe(account.webhookSecret);
    await insertEvent(account);
    await stack.cleanUpAfter(10);
    await expect.poll(() => receiver.deliveries.length).toBe(1);
    const [delivery] = receiver.deliveries;
    if (delivery === undefined) throw new Error('A delivery was expected');
    for (const secret of [account.webhookSecret, reply.webhookSecret]) {
      new Webhook(secret).verify(delivery.body, standardHeaders(delivery));
    }
    const { rows } = await database.query(
      `select secret_previous_expires_at between now() + interval '23 hours' and now() + interval '24 hours' as a_day,
         secret like 'whsec%' or secret_previous like 'whsec%' as is_plain
       from webhook_endpoints where corporate_account_id = $1`,
      [account._id],
    );
    expect(rows).toEqual([{ a_day: true, is_plain: false }]);
  });

  it('does not rotate the secret of an account that does not exist, nor create the account', async () => {
    const { code, output } = await corporate('--name', 'New', '--corporate-id', 'nobody', '--rotate-webhook-secret');
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('\nThere is no account nobody\n') });
    const { rows } = await database.query("select 1 from corporate_accounts where corporate_id = 'nobody'");
    expect(rows).toEqual([]);
  });
});
