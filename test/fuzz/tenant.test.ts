import { describe, expect, it } from 'vitest';
import { Tenant } from './tenant.ts';

const nothing = { corporateId: 'a', credentials: {}, reserved: [], signers: [], webhookUrl: '' };

describe('a tenant', () => {
  it('keeps a request that was signed, without its key and without what is nested', () => {
    const tenant = new Tenant({ ...nothing, burner: { address: '0x', privateKey: '0x' } });
    const deep = JSON.parse('['.repeat(5_000) + ']'.repeat(5_000));
    const request = { from: '0x1', deadline: null, privateKey: '0x2', toString: deep };
    tenant.learn('/minting/signature', request, { signature: '0x3' });
    expect(tenant.signedMints).toEqual([{ from: '0x1', deadline: null, signature: '0x3' }]);
  });
});
