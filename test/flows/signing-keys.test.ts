import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { Client as Postgres } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { newClient, stack, type Client } from '../fixtures/client.ts';
import { setFaults } from '../fixtures/fault-proxy.ts';
import { expectErrors } from '../record/service-errors.ts';

expectErrors('lane.key_unavailable');

const contractFields = { name: 'Tokens', symbol: 'T', ercStandard: '721', contractType: 'standard' };

let database: Postgres;
beforeAll(async () => {
  database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await database.connect();
});
afterAll(() => database.end());

describe('a secrets store that is down', () => {
  afterEach(() => setFaults(stack.proxies.secrets, [], 'signingkeys'));

  it('keeps orders waiting, unsigned; they are executed afterwards', async () => {
    const client = await newClient();
    const { corporateId } = client.account;
    // Two attempts fail with all their retries, and a part of the third.
    await setFaults(stack.proxies.secrets, [{ match: corporateId, effect: 'refuse', times: 7 }], 'signingkeys');
    const { status, body } = await client.post('/contracts/deploy', contractFields);
    expect(status).toBe(201);
    const transaction = async () =>
      (await database.query('select state, nonce from orders where order_id = $1', [body._id])).rows[0];
    await expect.poll(transaction).toEqual({ state: 'waiting', nonce: null });
    expect((await client.get(`/contracts/${body._id}`)).body).toMatchObject({
      status: 'DEPLOYING',
      errorMessage: null,
    });
    expect((await client.get('/contracts')).status).toBe(200);
    expect(await client.until(`/contracts/${body._id}`, ['ACTIVE', 'FAILED'])).toMatchObject({ status: 'ACTIVE' });
  });
});

/** Orders a deployment. @returns its path, once it is held for the reason. */
async function heldDeployment(client: Client, reason: string): Promise<string> {
  const { body } = await client.post('/contracts/deploy', contractFields);
  const held = async () =>
    (await database.query('select hold_detail from orders where order_id = $1', [body._id])).rows[0];
  await expect.poll(held).toEqual({ hold_detail: reason });
  const path = `/contracts/${body._id}`;
  expect((await client.get(path)).body).toMatchObject({ status: 'DEPLOYING', errorMessage: null });
  return path;
}

describe('a signing key that cannot be used', () => {
  const secrets = new SecretsManagerClient({
    endpoint: stack.settings['SECRETS_ENDPOINT'] ?? '',
    region: stack.settings['AWS_REGION'] ?? '',
    credentials: {
      accessKeyId: stack.settings['AWS_ACCESS_KEY_ID'] ?? '',
      secretAccessKey: stack.settings['AWS_SECRET_ACCESS_KEY'] ?? '',
    },
  });

  it("because the secret is another wallet's keeps orders waiting until it is the wallet's again", async () => {
    const client = await newClient();
    const { walletAddress, secretManagerKeyId } = client.account;
    const secret = { SecretId: secretManagerKeyId };
    const { SecretString } = await secrets.send(new GetSecretValueCommand(secret));
    const privateKey = generatePrivateKey();
    await secrets.send(new PutSecretValueCommand({ ...secret, SecretString: JSON.stringify({ privateKey }) }));
    const other = privateKeyToAddress(privateKey);
    const path = await heldDeployment(
      client,
      `The key ${secretManagerKeyId} is that of ${other}, not of the account's wallet ${walletAddress}`,
    );
    await secrets.send(new PutSecretValueCommand({ ...secret, SecretString }));
    expect(await client.until(path, ['ACTIVE', 'FAILED'])).toMatchObject({ status: 'ACTIVE' });
  });

  it('because the secret does not exist keeps orders waiting until it does', async () => {
    const client = await newClient();
    const { _id, secretManagerKeyId } = client.account;
    const lost = `${secretManagerKeyId}-lost`;
    const setSecret = (id: string) =>
      database.query('update corporate_accounts set secret_manager_key_id = $2 where id = $1', [_id, id]);
    await setSecret(lost);
    const path = await heldDeployment(client, `The secrets store has no secret ${lost}`);
    await setSecret(secretManagerKeyId);
    expect(await client.until(path, ['ACTIVE', 'FAILED'])).toMatchObject({ status: 'ACTIVE' });
  });
});
