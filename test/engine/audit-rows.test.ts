import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/record-id.ts';
import { traceOf } from '../../src/core/trace.ts';
import type { AskedChange } from '../../src/platform/database/client.ts';
import { recordReply, recordUnchanged, runChange } from '../../src/platform/database/record-change.ts';
import { startWorld, type World } from './lane-world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

/** A change, with what makes it and what reads its rows. */
function askChange(fields: Partial<ReturnType<AskedChange['row']>> = {}) {
  const { db } = world.driver().context.services;
  const row = {
    id: newId(),
    createdAt: new Date(),
    corporateAccountId: world.accountId,
    corporateId: null,
    actor: 'global' as const,
    keyId: null,
    address: null,
    requestId: newId(),
    method: 'POST',
    route: '/minting/order',
    resourceId: null,
    bodyHash: null,
    ...fields,
  };
  const asked: AskedChange = { trace: traceOf(undefined), successStatus: 201, isRecorded: false, row: () => row };
  const changedId = newId();
  return {
    change: () =>
      runChange({ ...db, asked }, { statement: db.sql.execute(sql`select 1`) }, sql`select ${changedId} as id`),
    replyIsLost: () => {
      asked.isRecorded = false;
    },
    reply: () => recordReply(db, asked, 500),
    refusal: (statusCode: number) => recordUnchanged(db, asked, statusCode),
    rows: async () => {
      const query = 'select status_code, resource_ids from audit_log where request_id = $1 order by status_code';
      return (await world.pool.query(query, [row.requestId])).rows;
    },
    changedId,
  };
}

describe('when the database does not answer in time, the audit log has', () => {
  it('one row if the change had been committed', async () => {
    const { change, replyIsLost, reply, rows, changedId } = askChange();
    await change();
    replyIsLost();
    await reply();
    expect(await rows()).toEqual([{ status_code: 201, resource_ids: [changedId] }]);
  });

  it('the row of the reply, and one of the change if it is committed afterwards', async () => {
    const { change, reply, rows, changedId } = askChange();
    await reply();
    await change();
    expect(await rows()).toEqual([
      { status_code: 201, resource_ids: [changedId] },
      { status_code: 500, resource_ids: [] },
    ]);
  });
});

/** A caller, with what asks for changes that are refused, and what reads the rows. */
function newCaller() {
  const keyId = newId();
  const fields = { actor: 'key' as const, keyId, address: '203.0.113.1', resourceId: newId() };
  return {
    fields,
    refuse: async (times: number, other: Parameters<typeof askChange>[0] = {}, statusCode = 409) => {
      for (let sent = 0; sent < times; sent += 1) await askChange({ ...fields, ...other }).refusal(statusCode);
    },
    rows: async (condition = 'true') => {
      const query = `select count(*)::int as count from audit_log where key_id = $1 and ${condition}`;
      return (await world.pool.query<{ count: number }>(query, [keyId])).rows[0]?.count;
    },
  };
}

describe('of requests that change nothing, the audit log has', () => {
  it('the first twenty of a caller to a route with one status in an hour', async () => {
    const { refuse, rows } = newCaller();
    await refuse(25);
    await refuse(1, { method: 'PUT' });
    await refuse(1, { route: '/minting/cancel' });
    expect(await rows('status_code = 409')).toBe(22);
    const later = Date.now() + 3_600_000 + 60_000;
    await refuse(1, { id: newId(later), createdAt: new Date(later) });
    expect(await rows('status_code = 409')).toBe(23);
    const other = newCaller();
    await other.refuse(25);
    expect(await other.rows()).toBe(20);
  });

  it('as many whatever the caller has changed', async () => {
    const global = { resourceId: newId() };
    for (let made = 0; made < 20; made += 1) await askChange(global).change();
    for (let sent = 0; sent < 25; sent += 1) await askChange(global).refusal(201);
    const query = 'select id from audit_log where resource_ids = array[$1]';
    expect((await world.pool.query(query, [global.resourceId])).rowCount).toBe(20);
  });

  it('then the first from an address or for a record, a hundred in all', async () => {
    const { refuse, rows } = newCaller();
    await refuse(25);
    const resourceId = newId();
    await refuse(2, { resourceId });
    await refuse(2, { address: '203.0.113.9' });
    await refuse(2, { address: null });
    expect(await rows()).toBe(23);
    expect(await rows(`resource_ids = '{${resourceId}}'`)).toBe(1);
    for (let sent = 0; sent < 90; sent += 1) await refuse(1, { resourceId: newId() });
    expect(await rows()).toBe(100);
    // With another status there is room.
    await refuse(1, { resourceId }, 403);
    expect(await rows('status_code = 403')).toBe(1);
  });

  it('none for those that follow many at the same time', async () => {
    const { refuse, rows } = newCaller();
    await Promise.all(Array.from({ length: 120 }, () => refuse(1)));
    const count = await rows();
    expect(count).toBeGreaterThanOrEqual(20);
    await Promise.all(Array.from({ length: 120 }, () => refuse(1)));
    expect(await rows()).toBe(count);
  });

  it('one row if the reply of the database was lost', async () => {
    const { fields, rows } = newCaller();
    const { refusal } = askChange(fields);
    await refusal(409);
    await refusal(409);
    expect(await rows()).toBe(1);
  });
});
