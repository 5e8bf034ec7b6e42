import { Client as Postgres } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bodyInTwoParts, REQUESTS_IN_PARTS } from '../fixtures/body-in-two-parts.ts';
import { call, newClient, stack } from '../fixtures/client.ts';
import type { Client } from '../fixtures/client.ts';
import { setFaults } from '../fixtures/fault-proxy.ts';

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
