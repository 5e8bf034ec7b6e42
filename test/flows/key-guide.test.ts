import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createMetadata, deployContract, newClient, receiverAddress, stack } from '../fixtures/client.ts';
import { ask, keyHeaders, makeKey } from '../fixtures/keys.ts';

it('a partner with a key for mint and read alone mints a token by the guide in docs/keys.md', async () => {
  const client = await newClient();
  const { contractAddress } = await deployContract(client);
  const metadataId = await createMetadata(client);
  const key = await makeKey(client, { scopes: ['mint', 'read'] });

  const guide = await readFile('docs/keys.md', 'utf8');
  const commands = /## For a partner[^`]*(?:`[^`\n]+`[^`]*)*```sh\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commands], {
    timeout: 50_000,
    env: {
      ...process.env,
      BASE_URL: stack.url,
      KEY: key.key,
      CONTRACT: contractAddress,
      RECEIVER: receiverAddress,
      TOKEN_ID: '7',
    },
  });
  expect(JSON.parse(stdout)).toMatchObject({ status: 'CONFIRMED', contractAddress, tokenId: '7', metadataId });
  expect((await ask(keyHeaders(key), '/keys')).status).toBe(403);
});
