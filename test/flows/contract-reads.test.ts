import { beforeAll, describe, expect, it } from 'vitest';
import { createTestClient, http, publicActions, walletActions, type Address } from 'viem';
import { compileFixtures } from '../contracts/support/fixtures.ts';
import { newClient, stack, type Client } from '../fixtures/client.ts';

const { abi, bytecode } = compileFixtures('Bombs.sol')('Bombs');

let client: Client;
let bombs: Address;

beforeAll(async () => {
  client = await newClient();
  const chain = createTestClient({ mode: 'anvil', transport: http(stack.rpcUrls['43114']) })
    .extend(publicActions)
    .extend(walletActions);
  const account = client.account.walletAddress;
  await chain.impersonateAccount({ address: account });
  const hash = await chain.deployContract({ abi, bytecode, account, chain: null });
  const { contractAddress } = await chain.waitForTransactionReceipt({ hash, pollingInterval: 50 });
  if (contractAddress === null || contractAddress === undefined) throw new Error('The fixture was not deployed');
  bombs = contractAddress;
});

const read = (method: string, args: unknown[], items: unknown = abi) =>
  client.post('/contracts/read', { chainId: '43114', contractAddress: bombs, method, args, abi: items });

describe('a malicious contract', () => {
  it.each([
    ['shares one text among 4,000 pointers', 'parts', ['4000', '20000']],
    ['shares one text among 1,000 pointers', 'parts', ['1000', '10000']],
    ['shares one text among 2,000 pointers', 'parts', ['2000', '1000']],
    ['answers with a little more than 64 KB', 'zeros', ['65537']],
    ['answers with a megabyte', 'zeros', ['1000000']],
    ['reverts with an error of 1,000 pointers to one text', 'refuse', ['1000', '10000']],
    ['reverts with an error of 4,000 pointers to one text', 'refuse', ['4000', '20000']],
    ['reverts with a megabyte', 'refuseWithZeros', ['1000000']],
    ['uses all gas that there is', 'burn', []],
    ['uses more memory than there is gas for', 'zeros', ['100000000']],
  ])('is refused where it %s', async (_, method, args) => {
    // Declared as a view: the caller's ABI determines it.
    const items = abi.map((item) => (item.type === 'function' ? { ...item, stateMutability: 'view' } : item));
    const replies = await Promise.all(Array.from({ length: 2 }, () => read(method, args, items)));
    for (const { status, body } of replies) {
      expect([status, body.statusCode]).toEqual([400, 400]);
      expect(JSON.stringify(body).length).toBeLessThan(2_000);
    }
    expect((await read('parts', ['2', '3'])).body).toEqual(['0x000000', '0x000000']);
  });

  it('can return a long value within the limit', async () => {
    const { status, body } = await read('parts', ['5', '13000']);
    expect(status).toBe(200);
    expect(body).toHaveLength(5);
  });
});

/** A view function of an ABI. */
const view = (fields: Record<string, unknown>) => ({
  type: 'function',
  name: 'parts',
  stateMutability: 'view',
  inputs: [],
  outputs: [],
  ...fields,
});

describe('a malicious ABI', () => {
  let nested: unknown = { type: 'bool' };
  for (let level = 0; level < 1_000; level += 1) nested = { type: 'tuple', components: [nested] };

  it.each([
    ['a tuple without components', view({ outputs: [{ type: 'tuple' }] })],
    ['an array of tuples without components', view({ outputs: [{ type: 'tuple[]' }] })],
    ['an array of empty tuples', view({ outputs: [{ type: 'tuple[]', components: [] }] })],
    ['1,000 nested tuples', view({ outputs: [nested] })],
    ['1,000 nested tuples in an argument', view({ inputs: [nested] })],
    ['1,000 dimensions', view({ outputs: [{ type: `uint8${'[]'.repeat(1_000)}` }] })],
    ['an array without items', view({ outputs: [{ type: 'uint8[0]' }] })],
    ['a type without width', view({ outputs: [{ type: 'bytes0' }] })],
    ['1,000 outputs', view({ outputs: Array.from({ length: 1_000 }, () => ({ type: 'bool' })) })],
    ['a name that is a signature', view({ name: 'parts(uint256,uint256)' })],
    ['a name with an open bracket', view({ name: 'parts(' })],
    ['a name with a NUL', view({ name: 'parts\u0000' })],
    ['an unknown mutability', view({ stateMutability: 'constant' })],
    ['no mutability', view({ stateMutability: undefined })],
    ['components that are a number', view({ outputs: [{ type: 'tuple', components: 7 }] })],
    ['an item that is null', null],
    ['an item that is a list', []],
    ['an item of an unknown type', { type: 'struct' }],
  ])('is refused where it has %s', async (_, item) => {
    const { status, body } = await read('parts', [], [item]);
    expect([status, body.statusCode]).toEqual([400, 400]);
    expect(body.errors.length).toBeGreaterThan(0);
  });

  it('is refused if it has too many items', async () => {
    const items = Array.from({ length: 1_001 }, () => ({ type: 'event' }));
    expect((await read('parts', [], items)).status).toBe(400);
  });

  it.each([
    ['nested lists', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
    ['empty lists', `[${'[],'.repeat(15_000)}[]]`],
    ['empty objects', `[${'{},'.repeat(15_000)}{}]`],
  ])('is refused in a few words with arguments of 15,000 %s', async (_, argument) => {
    const components = Array.from({ length: 64 }, (__, index) => ({ name: `field${index}`, type: 'uint8' }));
    const item = view({ inputs: [{ type: 'tuple[]', components }] });
    const call = { chainId: '43114', contractAddress: bombs, method: 'parts', abi: [item] };
    const { status, body } = await client.post(
      '/contracts/read',
      `${JSON.stringify(call).slice(0, -1)},"args":[${argument}]}`,
    );
    expect(status).toBe(400);
    expect(JSON.stringify(body).length).toBeLessThan(2_000);
  });
});
