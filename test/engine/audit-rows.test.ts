import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/record-id.ts';
import { traceOf } from '../../src/core/trace.ts';
import type { AskedChange } from '../../src/platform/database/client.ts';
import { recordReply, runChange } from '../../src/platform/database/record-change.ts';
import { startWorld, type World } from './lane-world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

/** A change, with what makes it and what reads its rows. */
function askChange() {
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
