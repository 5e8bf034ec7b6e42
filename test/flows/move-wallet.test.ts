import { Client as Postgres } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseEther, type Address } from 'viem';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { confirmIssuer } from '../../cli/corporate/confirm-issuer.ts';
import { moveWallet as move } from '../../cli/corporate/move-wallet.ts';
import { secretsSettingsSchema } from '../../cli/corporate/wallet-secret.ts';
import { runCorporate } from '../../cli/corporate/run-corporate.ts';
import { connectChains } from '../../src/chains/client.ts';
import { chainDefinition } from '../../src/chains/list.ts';
import { runCommand } from '../stack/support/run-command.ts';
import {
  call,
  chainClient,
  createMetadata,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
  type Reply,
} from '../fixtures/client.ts';
import { newKmsKey } from '../fixtures/kms.ts';

const chainIds = ['43114', '43113'] as const;
const [chainId] = chainIds;
const database = new Postgres({ connectionString: stack.ownerDatabaseUrl });
beforeAll(() => database.connect());
afterAll(() => database.end());

const stores = {
  databaseUrl: stack.ownerDatabaseUrl,
  secrets: secretsSettingsSchema.parse(stack.settings),
  environment: 'local',
} as const;
const chains = connectChains(
  new Map(chainIds.map((id) => [id, { ...chainDefinition(id), rpcUrls: [stack.rpcUrls[id] ?? ''] }])),
);

/** The environment of the operator's command. */
const environment = (): Record<string, string> => {
  const names = ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'ENCRYPTION_KEYS', 'SECRETS_ENDPOINT'];
  return {
    STACK_DIR: '/nonexistent',
    ENVIRONMENT: 'local',
    DATABASE_URL: stack.ownerDatabaseUrl,
    ...Object.fromEntries([...names, 'KMS_ENDPOINT'].map((name) => [name, stack.settings[name] ?? ''])),
    ...Object.fromEntries(chainIds.map((id) => [`RPC_URL_${id}`, stack.rpcUrls[id] ?? ''])),
  };
};

/** Thrown where the command is killed. */
class Killed extends Error {}

/**
 * Moves the main wallet, as `npm run corporate -- --move-wallet` does.
 * @param isEnd Told each line before the step that it announces; nothing more is done once it returns true.
 */
async function moveWallet(
  { account }: Client,
  key: string,
  isEnd: (line: string) => boolean = () => false,
  left: readonly Address[] = [],
) {
  const say = (line: string) => {
    if (isEnd(line)) throw new Killed(line);
  };
  await move({ corporateId: account.corporateId, key, left, chains, say, lateMs: 0 }, stores);
}

/** Runs the command. @returns its exit code and what it printed. */
async function runMove({ account }: Client, key: string) {
  const args = ['--corporate-id', account.corporateId, '--move-wallet', key];
  const { code, output } = await runCommand(runCorporate, args, environment());
  return { code, output };
}

const admin = { 'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '' };
async function set(action: 'pause' | 'resume', { account }: Client): Promise<void> {
  const { status } = await call(`/admin/accounts/${account.corporateId}/${action}`, { method: 'POST', headers: admin });
  expect(status).toBe(200);
}

const ownerOf = (contract: Address, id: string) =>
  chainClient(id).readContract({ ...standard721, address: contract, functionName: 'owner' });
const countOf = (address: Address, id: string) => chainClient(id).getTransactionCount({ address });
const walletOf = async ({ account }: Client) =>
  (
    await database.query<{ address: Address; key: string }>(
      'select wallet_address as address, secret_manager_key_id as key from corporate_accounts where id = $1',
      [account._id],
    )
  ).rows[0];

const tokenOf = async (client: Client, contractAddress: Address, tokenId: string, id: string = chainId) => ({
  chainId: id,
  contractAddress,
  tokenId,
  metadataId: await createMetadata(client, { chainId: id }),
});
const order = async (client: Client, contractAddress: Address, tokenId: string, id?: string) =>
  client.post('/minting/order', { ...(await tokenOf(client, contractAddress, tokenId, id)), receiverAddress });
const confirmed = (client: Client, { body }: Reply) => client.until(`/minting/${body.id}`, ['CONFIRMED', 'FAILED']);

it('an account gets another wallet though the command is killed at every step; nothing is lost, doubled or left behind', async () => {
  const client = await newClient();
  const { walletAddress: former } = client.account;
  const issuer = { name: 'Moved', logoUrl: 'https://moved.example/logo.svg', domain: 'moved.example' };
  await confirmIssuer(client.account.corporateId, issuer, stack.ownerDatabaseUrl);
  const [first, second, other] = await Promise.all([
    deployContract(client),
    deployContract(client),
    deployContract(client, { chainId: '43113' }),
  ]);
  const claim = await client.post('/claims', await tokenOf(client, first.contractAddress, '7'));
  await confirmed(client, await order(client, first.contractAddress, '1'));
  await set('pause', client);
  const waiting = [
    await order(client, first.contractAddress, '2'),
    await order(client, second.contractAddress, '1'),
    await order(client, other.contractAddress, '1', '43113'),
  ];
  const deployment = await client.post('/contracts/deploy', {
    name: 'Waits',
    symbol: 'W',
    ercStandard: '721',
    contractType: 'standard',
  });
  const before = await Promise.all(chainIds.map((id) => countOf(former, id)));
  const sent = async () =>
    await Promise.all(chainIds.map(async (id, index) => (await countOf(former, id)) - (before[index] ?? 0)));
  const to = await newKmsKey();

  const seen = new Set<string>();
  const isNew = (line: string) => {
    const step = line.replaceAll(/\d+ (?:wei|orders)/g, '');
    const isKnown = seen.has(step);
    seen.add(step);
    return !isKnown;
  };
  let kills = 0;
  for (let isDone = false; !isDone;) {
    isDone = await moveWallet(client, to, isNew).then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof Killed)) throw error;
        return false;
      },
    );
    if (!isDone) kills += 1;
  }
  // From, 3 contracts, 2 x none, 2 x coins, 2 x dust, switch, late requests, the end.
  expect(kills).toBe(13);

  const wallet = await walletOf(client);
  const next = wallet?.address ?? former;
  expect(wallet?.key).toBe(to);
  for (const [contract, id] of [
    [first, chainId],
    [second, chainId],
    [other, '43113'],
  ] as const) {
    expect(await ownerOf(contract.contractAddress, id)).toBe(next);
    expect((await client.get(`/contracts/${contract._id}`)).body.currentOwnerAddress).toBe(next);
  }
  // One transaction for each contract and for the coins.
  expect(await sent()).toEqual([3, 2]);
  for (const id of chainIds) {
    expect(await chainClient(id).getBalance({ address: former })).toBeLessThan(parseEther('0.001'));
    expect(await chainClient(id).getBalance({ address: next })).toBeGreaterThan(parseEther('990'));
  }

  // What the former wallet has issued is still the account's.
  for (const address of [former, next]) {
    expect((await call(`/issuers/${chainId}/${first.contractAddress}/${address}`)).body).toMatchObject({
      name: 'Moved',
    });
  }

  await set('resume', client);
  for (const one of waiting) expect(await confirmed(client, one)).toMatchObject({ status: 'CONFIRMED' });
  const deployed = await client.until(`/contracts/${deployment.body._id}`, ['ACTIVE', 'FAILED']);
  expect(await ownerOf(deployed['contractAddress'] as Address, chainId)).toBe(next);
  const link = new URL(claim.body.url);
  const claimed = await call(`/claims/${link.pathname.replace('/claim/', '')}/claim`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ secret: link.hash.slice(1), receiverAddress }),
  });
  expect(claimed.status).toBe(200);
  expect(await confirmed(client, claim)).toMatchObject({ status: 'CONFIRMED' });
  expect(await confirmed(client, await order(client, first.contractAddress, '3'))).toMatchObject({
    status: 'CONFIRMED',
  });
  expect(await sent()).toEqual([3, 2]);
  const { rows } = await database.query('select distinct state from orders where corporate_account_id = $1', [
    client.account._id,
  ]);
  expect(rows).toEqual([{ state: 'confirmed' }]);

  // Done, it changes nothing more. As if the switch were a day ago: it waits for nothing.
  await database.query(
    `update relayer_wallets set created_at = created_at - interval '1 day', replaced_at = replaced_at - interval '1 day'
     where corporate_account_id = $1`,
    [client.account._id],
  );
  expect(await runMove(client, to)).toEqual({ code: 0, output: expect.stringContaining(`The wallet is ${next}`) });
  expect(await walletOf(client)).toEqual(wallet);
});

describe('--move-wallet refuses', () => {
  it('an account that is not paused, or uses a chain without nodes, a wallet of another use, and a key that cannot be of a wallet', async () => {
    const [client, neighbour] = [await newClient(), await newClient({ kmsKey: await newKmsKey() })];
    const refusal = async (to: string) => {
      const { code, output } = await runMove(client, to);
      expect(code).toBe(1);
      return output;
    };
    const key = await newKmsKey();
    expect(await refusal(key)).toContain('is not paused');
    await set('pause', client);
    expect(await refusal(neighbour.account.secretManagerKeyId)).toContain('also the wallet of another account');
    await deployContract(neighbour, { chainId: '43113' });
    await set('pause', neighbour);
    const { RPC_URL_43113: _, ...oneChain } = environment();
    const args = ['--corporate-id', neighbour.account.corporateId, '--move-wallet', key];
    const lacking = await runCommand(runCorporate, args, oneChain);
    expect([lacking.code, lacking.output]).toEqual([1, expect.stringContaining('set RPC_URL_43113')]);
    expect(await refusal(await newKmsKey('ECC_NIST_P256'))).toContain('not of the key spec ECC_SECG_P256K1');
    expect(await refusal(`${key}0`)).toContain('NotFoundException');
    expect((await walletOf(client))?.address).toBe(client.account.walletAddress);
  });
});

it('an account keeps its former wallet for a contract that is left with it, and none is lost by a move to two wallets', async () => {
  const client = await newClient();
  const { walletAddress: former } = client.account;
  const [left, moved] = [await deployContract(client), await deployContract(client)];
  await set('pause', client);
  await expect(moveWallet(client, 'wallet-2', (line) => line.startsWith('Chain 43113'))).rejects.toThrow(Killed);
  const { code, output } = await runMove(client, 'wallet-3');
  expect([code, output]).toEqual([1, expect.stringContaining('If a move to that wallet has begun, finish it')]);
  expect((await walletOf(client))?.address).toBe(former);
  await moveWallet(client, 'wallet-2');

  const second = (await walletOf(client))?.address;
  await moveWallet(client, 'wallet-3', undefined, [left.contractAddress]);
  const third = (await walletOf(client))?.address;
  for (const [contract, owner] of [
    [left, second],
    [moved, third],
  ] as const) {
    expect(await ownerOf(contract.contractAddress, chainId)).toBe(owner);
    expect((await client.get(`/contracts/${contract._id}`)).body.currentOwnerAddress).toBe(owner);
  }
});

it('an account that returns to its first wallet, and moves on, has its orders executed by the last one, late ones too', async () => {
  const client = await newClient();
  const { contractAddress } = await deployContract(client);
  await set('pause', client);
  const waiting = await order(client, contractAddress, '1');
  for (const to of ['wallet-2', 'wallet', 'wallet-2']) {
    const former = (await walletOf(client))?.address;
    await expect(moveWallet(client, to, (line) => line.startsWith('Waiting for requests'))).rejects.toThrow(Killed);
    // As a request stores it that had begun before the switch.
    await database.query('update orders set wallet_address = lower($2) where order_id = $1', [waiting.body.id, former]);
    await moveWallet(client, to);
  }
  await set('resume', client);
  expect(await confirmed(client, waiting)).toMatchObject({ status: 'CONFIRMED' });
  const { rows } = await database.query('select distinct wallet_address as address from orders where order_id = $1', [
    waiting.body.id,
  ]);
  expect(rows).toEqual([{ address: (await walletOf(client))?.address.toLowerCase() }]);
});
