import { expect, it } from 'vitest';
import { createMetadata, deployContract, newClient, receiverAddress, stack } from '../fixtures/client.ts';
import { commandsOf, runInShell } from '../fixtures/document-commands.ts';
import { makeKey } from '../fixtures/keys.ts';

const SEPARATOR = '---- next section ----';

/** Runs the commands of the guide as printed. */
async function follow(env: Readonly<Record<string, string>>) {
  const blocks = await commandsOf('docs/partner-guide.md');
  return await runInShell(blocks.join(`echo; echo '${SEPARATOR}'\n`), {
    env: { BASE_URL: stack.url, CHAIN_ID: '43114', RECEIVER: receiverAddress, TOKEN_ID: '7', ...env },
  });
}

it('a partner with a key for mint and read alone mints and checks a token by the commands of docs/partner-guide.md', async () => {
  const client = await newClient();
  const { contractAddress } = await deployContract(client);
  const metadataId = await createMetadata(client);
  const key = await makeKey(client, { scopes: ['mint', 'read'] });

  const { code, stdout, stderr } = await follow({ KEY: key.key, CONTRACT: contractAddress });
  expect([code, stderr]).toEqual([0, '']);
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

it('a partner without a free document, or with a wrong key, is told so, and the commands end', async () => {
  const client = await newClient();
  const { key } = await makeKey(client, { scopes: ['mint', 'read'] });
  const without = await follow({ KEY: key, CONTRACT: `0x${'ab'.repeat(20)}` });
  expect([without.code, without.stderr]).toEqual([1, 'No document is free: POST /metadata creates one\n']);
  const refused = await follow({ KEY: 'wrong', CONTRACT: '' });
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/^\/contracts\?limit=10: .*"statusCode":401/m),
  ]);
});
