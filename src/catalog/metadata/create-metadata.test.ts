import { afterEach, describe, expect, it, vi } from 'vitest';
import { flexibleInput, ticketInput } from '../../../test/fixtures/metadata-inputs.ts';
import { createLog } from '../../core/log.ts';
import type { TenantServices } from '../../services.ts';
import { createMetadata } from './create-metadata.ts';

afterEach(() => vi.restoreAllMocks());

/** Services that fail after validation. */
const services = {
  chains: new Map([['43114', {}]]),
  newId: () => '0'.repeat(24),
  log: createLog(String, { requestId: 'r1' }),
} as unknown as TenantServices;

async function loggedBy(input: unknown): Promise<unknown> {
  const spy = vi.spyOn(console, 'info').mockImplementation(() => {});
  await createMetadata(services, input).catch(() => {});
  return JSON.parse(String(spy.mock.calls.at(-1)?.[0]));
}

describe('createMetadata', () => {
  it('logs each validation with the schema version, the type and the number of issues', async () => {
    expect(await loggedBy(ticketInput)).toMatchObject({
      event: 'metadata.validated',
      requestId: 'r1',
      schemaVersion: 'ticket_schema@1.0.0',
      type: 'Ticket',
      issues: 0,
    });
    expect(await loggedBy({ ...ticketInput, name: 1, attributes: [], chainId: '1' })).toMatchObject({
      schemaVersion: 'ticket_schema@1.0.0',
      type: 'Ticket',
      issues: 8,
    });
    expect(await loggedBy({ ...flexibleInput, utility: { type: 'Voucher', data: {} } })).toMatchObject({
      schemaVersion: 'opensea_flexible@1.0.0',
      type: 'Voucher',
      issues: 1,
    });
    expect(await loggedBy(null)).toMatchObject({ schemaVersion: 'opensea_flexible@1.0.0', type: null, issues: 1 });
  });
});
