import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { deployContract, newClient, receiverAddress, stack } from '../fixtures/client.ts';
import { makeKey } from '../fixtures/keys.ts';

const run = promisify(execFile);

/** The boxes of code on a page of the site, as a reader copies them. */
async function codeOf(path: string): Promise<string[]> {
  const html = await (await fetch(stack.url + path)).text();
  return Array.from(html.matchAll(/<pre[^>]*><code>(.*?)<\/code><\/pre>/gs), ([, code = '']) =>
    code
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll(/&(?:quot|#34);/g, '"')
      .replaceAll(/&#(?:x27|39);/g, "'")
      .replaceAll('&amp;', '&'),
  );
}

it('a partner mints by the commands of the first page', async () => {
  const client = await newClient();
  const { contractAddress } = await deployContract(client);
  const { key } = await makeKey(client, { scopes: ['metadata', 'mint', 'read'] });
  const [, commands = ''] = await codeOf('/');
  await run('bash', ['-euo', 'pipefail', '-c', commands], {
    env: {
      PATH: process.env['PATH'],
      NFT_URL: stack.url,
      NFT_KEY: key,
      CHAIN_ID: '43114',
      CONTRACT: contractAddress,
      RECEIVER: receiverAddress,
    },
  });
  const read = async () =>
    (await client.get(`/minting/by-token?contractAddress=${contractAddress}&tokenId=12`)).body[0]?.status;
  await expect.poll(read).toBe('CONFIRMED');
});

it.each(['get-limits', 'list-contracts', 'create-metadata'])(
  'the service accepts the samples of %s in curl and TypeScript',
  async (operation) => {
    const client = await newClient();
    // An Idempotency-Key belongs to its caller: each program has a key of its own.
    const environment = async () => {
      const { key } = await makeKey(client, { scopes: ['metadata', 'read'] });
      return { PATH: process.env['PATH'], NFT_URL: stack.url, NFT_KEY: key };
    };
    const [curl = '', typeScript = ''] = await codeOf(`/docs/reference/${operation}`);
    const byCurl = await run('bash', ['-c', curl], { env: await environment() });
    expect(JSON.parse(byCurl.stdout)).toBeTypeOf('object');
    const byNode = await run(process.execPath, ['--input-type=module-typescript', '-e', typeScript], {
      env: await environment(),
    });
    expect(byNode.stdout).toMatch(/^\{/);
  },
);
