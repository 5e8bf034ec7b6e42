import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client as Postgres } from 'pg';
import { zeroAddress } from 'viem';
import { confirmIssuer } from '../../cli/corporate/confirm-issuer.ts';
import { deployCertificatesElsewhere } from '../fixtures/foreign-contract.ts';
import { deployForwarder } from '../fixtures/gasless.ts';
import { deployPlainForwarder } from '../fixtures/plain-forwarder.ts';
import { call, deployContract, newClient, stack, type Client } from '../fixtures/client.ts';
import { startEdge, type RunningEdge } from '../fixtures/edge.ts';

const databaseUrl = stack.settings['DATABASE_URL'] ?? '';
const issuer = { name: 'Acme <b>Watches</b>', logoUrl: 'https://acme.example/logo.svg', domain: 'acme.example' };
const database = new Postgres({ connectionString: databaseUrl });

let client: Client;
let other: Client;
let contract: string;
let edge: RunningEdge;

beforeAll(async () => {
  [client, other, edge] = await Promise.all([newClient(), newClient(), startEdge(), database.connect()]);
  contract = (await deployContract(client, { contractType: 'certificate' })).contractAddress;
});
afterAll(async () => {
  await Promise.all([edge.stop(), database.end()]);
});

const pathOf = (chainId: string, contractAddress: string, wallet: string) =>
  `/issuers/${chainId}/${contractAddress}/${wallet}`;

describe('who an issuer is', () => {
  it('is told to anyone as soon as the operator confirms it, and not after that is withdrawn', async () => {
    const path = pathOf('43114', contract, client.account.walletAddress.toLowerCase());
    expect((await call(path)).status).toBe(404);
    await confirmIssuer(client.account.corporateId, issuer, databaseUrl);
    const reply = await call(path, { headers: { origin: 'https://anyone.example' } });
    expect([reply.status, reply.body]).toEqual([200, { ...issuer, confirmedAt: expect.stringMatching(/^\d{4}-.*Z$/) }]);
    expect(reply.headers.get('cache-control')).toBe('public, max-age=60');
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect((await edge.call(path)).body).toEqual(reply.body);
    await confirmIssuer(client.account.corporateId, null, databaseUrl);
    expect((await call(path)).status).toBe(404);
    expect((await edge.call(path)).status).toBe(200);
    const { rows } = await database.query(
      `SELECT route, body_hash IS NULL AS is_bare FROM audit_log l JOIN corporate_accounts a ON a.id = l.corporate_account_id
       WHERE a.corporate_id = $1 AND method = 'COMMAND' AND route LIKE '%-issuer' ORDER BY l.id`,
      [client.account.corporateId],
    );
    expect(rows).toEqual([
      { route: 'confirm-issuer', is_bare: false },
      { route: 'withdraw-issuer', is_bare: true },
    ]);
  });

  it('is told of its own contracts, wallet and chain alone: any contract can name any wallet as its issuer', async () => {
    await confirmIssuer(client.account.corporateId, issuer, databaseUrl);
    const { walletAddress } = client.account;
    const foreign = (await deployContract(other, { contractType: 'certificate' })).contractAddress;
    expect((await call(pathOf('43114', contract, walletAddress))).status).toBe(200);
    for (const path of [
      pathOf('43114', foreign, walletAddress),
      pathOf('43114', `0x${'ab'.repeat(20)}`, walletAddress),
      pathOf('43114', contract, other.account.walletAddress),
      pathOf('43113', contract, walletAddress),
    ]) {
      expect([path, (await call(path)).status]).toEqual([path, 404]);
    }
    expect((await call(pathOf('43114', contract, 'acme'))).status).toBe(400);
  });

  it('is told of contracts with published code alone: not of a registered one, nor of one that trusts a foreign forwarder', async () => {
    await confirmIssuer(client.account.corporateId, issuer, databaseUrl);
    const { walletAddress } = client.account;
    const statusOf = async (contractAddress: string) =>
      (await call(pathOf('43114', contractAddress, walletAddress))).status;
    const elsewhere = await deployCertificatesElsewhere(walletAddress);
    const registration = { chainId: '43114', ercStandard: '721', contractType: 'certificate' };
    const registered = await client.post('/contracts/register', { ...registration, contractAddress: elsewhere });
    expect([registered.status, await statusOf(elsewhere)]).toEqual([201, 404]);
    const trusting = async (trustedForwarder: string, fields: Record<string, unknown> = {}) =>
      (await deployContract(client, { contractType: 'certificate', trustedForwarder, ...fields })).contractAddress;
    // It has the domain of a forwarder, and could act for the owner.
    expect(await statusOf(await trusting(await deployPlainForwarder('43114')))).toBe(404);
    expect(await statusOf(await trusting(await deployForwarder(other)))).toBe(200);
    expect(await statusOf(await trusting(await deployForwarder(client)))).toBe(200);
    expect(await statusOf(await trusting(zeroAddress, { contractType: 'standard' }))).toBe(200);
  });

  it('is confirmed, replaced and withdrawn by the admin key, with a row in the audit log', async () => {
    const path = `/admin/accounts/${client.account.corporateId}/issuer`;
    const headers = {
      'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '',
      'content-type': 'application/json',
    };
    const put = (body: object) => call(path, { method: 'PUT', headers, body: JSON.stringify(body) });
    const confirmed = await put({ ...issuer, name: 'Acme' });
    expect([confirmed.status, confirmed.body.issuer]).toEqual([
      200,
      { ...issuer, name: 'Acme', confirmedAt: expect.stringMatching(/Z$/), publishesDid: false },
    ]);
    const read = () => call(pathOf('43114', contract, client.account.walletAddress));
    expect((await read()).body.name).toBe('Acme');
    const { body: account } = await call(`/admin/accounts/${client.account.corporateId}`, { headers });
    expect(account.issuer).toEqual(confirmed.body.issuer);
    for (const [field, value] of [
      ['domain', '127.0.0.1'],
      ['logoUrl', 'http://acme.example/logo.svg'],
      ['name', 'A\u200bcme'],
      ['wallet', '0x'],
    ] as const) {
      const { status, body } = await put({ ...issuer, [field]: value });
      expect([status, body.errors[0].path]).toEqual([400, field]);
    }
    const withdrawn = await call(path, { method: 'DELETE', headers });
    expect([withdrawn.status, withdrawn.body.issuer, (await read()).status]).toEqual([200, null, 404]);
    expect((await call(path.replace(client.account.corporateId, 'nobody'), { method: 'DELETE', headers })).status).toBe(
      404,
    );
    const { items } = (await call(`/admin/audit?corporateId=${client.account.corporateId}&actor=admin`, { headers }))
      .body;
    expect(items.map((item: Record<string, unknown>) => [item['method'], item['statusCode']])).toEqual([
      ['DELETE', 200],
      ...Array.from({ length: 4 }, () => ['PUT', 400]),
      ['PUT', 200],
    ]);
  });

  it('is confirmed of accounts that exist alone', async () => {
    await expect(confirmIssuer('nobody', issuer, databaseUrl)).rejects.toThrow('There is no account nobody');
  });
});
