import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from 'viem';
import { call, createMetadata, newClient, receiverAddress, stack, type Client } from '../fixtures/client.ts';
import { newSigner } from '../fixtures/gasless.ts';

let client: Client;
let directory: string;

beforeAll(async () => {
  client = await newClient();
  directory = await mkdtemp(join(tmpdir(), 'nft-first-steps-'));
  await mkdir(join(directory, '.dev'));
  const { corporateId } = client.account;
  const info = { baseUrl: stack.url, apiKey: stack.settings['GLOBAL_SECRET_KEY'], corporateId };
  await writeFile(join(directory, '.dev/stack.json'), JSON.stringify(info));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Runs the commands of the README's first steps as printed. */
async function followReadme(): Promise<Record<string, unknown>> {
  const readme = await readFile('README.md', 'utf8');
  const commands = /## First steps\n[^`]*```sh\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commands], {
    cwd: directory,
    timeout: 50_000,
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe("the README's first steps", () => {
  it('result in a contract whose holders transfer without gas, through the forwarder in its record', async () => {
    const { status, contractAddress, trustedForwarder } = await followReadme();
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
});
