import { beforeAll, describe, expect, it } from 'vitest';
import type { Address } from 'viem';
import { startWebhookReceiver } from '../../scripts/demo/webhook-receiver.ts';
import { runDemo } from '../../scripts/demo/run-demo.ts';
import { freePort } from '../../stack/ports.ts';
import { startHealthyWorker } from '../fixtures/built-worker.ts';
import { call, createMetadata, newClient, receiverAddress, stack, type Client } from '../fixtures/client.ts';
import { commandsOf, runInShell } from '../fixtures/document-commands.ts';
import { newSigner } from '../fixtures/gasless.ts';
import { makeKey } from '../fixtures/keys.ts';

let client: Client;

beforeAll(async () => {
  client = await newClient();
});

const createAccount = async (request: object) => (await newClient(request)).account;

/** Runs the commands of the README's first steps as printed. */
async function followReadme(key: string) {
  const [, firstSteps = ''] = await commandsOf('README.md');
  return await runInShell(firstSteps, { env: { NFT_URL: stack.url, NFT_KEY: key } });
}

describe("the README's first steps", () => {
  it('result in a contract whose holders transfer without gas, through the forwarder in its record', async () => {
    const { key } = await makeKey(client, { scopes: ['deploy', 'read'] });
    const { code, stdout, stderr } = await followReadme(key);
    expect([code, stderr]).toEqual([0, '']);
    const { status, contractAddress, trustedForwarder } = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
    expect([status, trustedForwarder]).toEqual(['ACTIVE', expect.stringMatching(/^0x[0-9a-fA-F]{40}$/)]);

    const holder = newSigner();
    const token = { chainId: '43114', contractAddress: contractAddress as Address, tokenId: '1' };
    const order = await client.post('/minting/order', {
      ...token,
      receiverAddress: holder.address,
      metadataId: await createMetadata(client),
    });
    expect((await client.until(`/minting/${order.body.id}`, ['CONFIRMED', 'FAILED']))['status']).toBe('CONFIRMED');

    const move = { ...token, from: holder.address, to: receiverAddress, forwarderAddress: trustedForwarder };
    const signed = await client.post('/transfer/signature', { ...move, privateKey: holder.privateKey });
    const transfer = await client.post('/transfer/execute', { ...move, signature: signed.body.signature });
    expect((await client.until(`/transfer/${transfer.body.id}`, ['CONFIRMED', 'FAILED']))['status']).toBe('CONFIRMED');
    expect((await call(`/metadata/${String(contractAddress)}/1`)).status).toBe(200);
  });

  it('end at the first request that is refused, and show why', async () => {
    const { code, stdout, stderr } = await followReadme('wrong');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^\/contracts\/forwarder: .*"statusCode":401.*x-api-key/m);
  });
});

describe("the README's demo", () => {
  it('deploys, mints, transfers without gas and checks a certificate, and shows each step', async () => {
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}`;
    // It reads what it has minted at its public URL.
    const settings = { ...stack.settings, METADATA_BASE_URI: `${baseUrl}/metadata` };
    const worker = await startHealthyWorker(stack.worker, settings, port);
    const receiver = await startWebhookReceiver();
    const { account } = await newClient({ corporateId: 'demo' });
    const info = {
      baseUrl,
      apiKey: stack.settings['GLOBAL_SECRET_KEY'] ?? '',
      adminSecret: stack.settings['ADMIN_SECRET_KEY'] ?? '',
      corporateId: account.corporateId,
      walletAddress: account.walletAddress,
      rpcUrls: stack.rpcUrls,
      databaseUrl: stack.settings['DATABASE_URL'] ?? '',
      pid: process.pid,
    };
    const lines: string[] = [];
    await runDemo({ info, createAccount }, receiver, (line) => lines.push(line));
    receiver.close();
    await worker.stop();
    const shown = lines.join('\n');
    for (const step of [
      'CONFIRMED: token 1 belongs to',
      'webhook mint.confirmed received, signature valid',
      'CONFIRMED: token 1 now belongs to',
      'They are equal: the certificate is unaltered.',
    ]) {
      expect(shown).toContain(step);
    }
  });
});
