import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createMetadata, deployContract, newClient, receiverAddress, stack } from '../fixtures/client.ts';
import { makeKey } from '../fixtures/keys.ts';

const SEPARATOR = '---- next section ----';

it('a partner with a key for mint and read alone mints and checks a token by the commands of docs/partner-guide.md', async () => {
  const client = await newClient();
  const { contractAddress } = await deployContract(client);
  const metadataId = await createMetadata(client);
  const key = await makeKey(client, { scopes: ['mint', 'read'] });

  const guide = await readFile('docs/partner-guide.md', 'utf8');
  const blocks = Array.from(guide.matchAll(/^```sh\n([\s\S]*?)^```/gm), ([, commands = '']) => commands);
  const { stdout } = await promisify(execFile)(
    'bash',
    ['-euo', 'pipefail', '-c', blocks.join(`echo; echo '${SEPARATOR}'\n`)],
    {
      timeout: 50_000,
      env: {
        PATH: process.env['PATH'],
        BASE_URL: stack.url,
        KEY: key.key,
        CHAIN_ID: '43114',
        CONTRACT: contractAddress,
        RECEIVER: receiverAddress,
        TOKEN_ID: '7',
      },
    },
  );
  const [setUp, overview, metadata, order, repeated, result, token, cancel, forbidden, ...more] = stdout
    .split(SEPARATOR)
    .map((output) => output.trim());
  expect([setUp, order, more]).toEqual(['', '', []]);
  expect(overview).toContain(contractAddress);
  expect(overview).toContain('"ordersPerDay":null');
  const { name } = (await client.get(`/metadata/${metadataId}`)).body;
  expect(metadata).toBe(name);
  expect(repeated).toBe('the same order');
  expect(JSON.parse(result ?? '')).toMatchObject({ status: 'CONFIRMED', contractAddress, tokenId: '7', metadataId });
  expect(token?.split('\n').map((line) => line.replaceAll('"', ''))).toEqual(['1', receiverAddress, name]);
  expect(cancel).toBe('409');
  expect(forbidden?.split('\n')).toEqual(Array.from({ length: 6 }, () => '403'));
  expect((await client.get('/minting')).body.items).toHaveLength(1);
});
