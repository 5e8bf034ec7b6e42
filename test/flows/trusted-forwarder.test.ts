import { Client as Postgres } from 'pg';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { zeroAddress, type Address } from 'viem';
import { newId } from '../../src/core/record-id.ts';
import { withBuiltWorker } from '../fixtures/built-worker.ts';
import {
  chainClient,
  createMetadata,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
  type Reply,
} from '../fixtures/client.ts';
import { deployPlainForwarder } from '../fixtures/plain-forwarder.ts';
import { setFaults } from '../fixtures/fault-proxy.ts';
import { deployForwarder, newSigner, nonceOf, signedTransfer } from '../fixtures/gasless.ts';

const contractFields = { name: 'Tokens', symbol: 'T', ercStandard: '721', contractType: 'standard' };
const nobody = newSigner().address;

let client: Client;
let forwarder: Address;
let plainForwarder: Address;

const issuesOf = ({ status, body }: Reply) => [status, body.errors];
const deploy = (fields: Record<string, unknown>) => client.post('/contracts/deploy', { ...contractFields, ...fields });

beforeAll(async () => {
  client = await newClient();
  [forwarder, plainForwarder] = await Promise.all([deployForwarder(client), deployPlainForwarder('43114')]);
});

describe('the trusted forwarder of a new contract', () => {
  it('is refused if it is an externally owned account, which could take every token', async () => {
    expect(issuesOf(await deploy({ trustedForwarder: nobody }))).toEqual([
      400,
      [{ path: 'trustedForwarder', code: 'invalid_value', message: `has no contract on chain 43114: ${nobody}` }],
    ]);
  });

  it('is refused if it is another kind of contract', async () => {
    const { contractAddress } = await deployContract(client, { trustedForwarder: zeroAddress });
    const issue = `is not a forwarder of chain 43114: ${contractAddress} has no EIP-712 domain`;
    expect(issuesOf(await deploy({ trustedForwarder: contractAddress }))).toEqual([
      400,
      [{ path: 'trustedForwarder', code: 'invalid_value', message: issue }],
    ]);
  });

  it('is refused on a chain where it is not deployed', async () => {
    const refusal = async () => {
      const reply = await deploy({ trustedForwarder: forwarder, chainId: '43113' });
      // Other tests make this chain unavailable at times: the deployment is then accepted, to be checked later.
      if (reply.status === 201) await client.post('/contracts/cancel', { id: reply.body._id });
      return issuesOf(reply);
    };
    await expect
      .poll(refusal)
      .toEqual([
        400,
        [{ path: 'trustedForwarder', code: 'invalid_value', message: `has no contract on chain 43113: ${forwarder}` }],
      ]);
  });

  it('is reported together with an owner that cannot transfer the ownership', async () => {
    const fields = { trustedForwarder: nobody, currentOwnerAddress: nobody, transferOwnerAddress: receiverAddress };
    const { status, body } = await deploy(fields);
    const paths = body.errors.map(({ path }: { path: string }) => path);
    expect([status, paths]).toEqual([400, ['currentOwnerAddress', 'trustedForwarder']]);
  });

  it('from elsewhere, without cancellation, relays transfers', async () => {
    const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
    await database.connect();
    await database.query(
      `insert into contracts (id, corporate_account_id, chain_id, erc_standard, status, contract_address)
       values ($1, $2, '43114', 'Forwarder', 'ACTIVE', $3)`,
      [newId(), client.account._id, plainForwarder.toLowerCase()],
    );
    await database.end();
    const { contractAddress } = await deployContract(client, { trustedForwarder: plainForwarder });
    const holder = newSigner();
    const mint = await client.post('/minting/order', {
      chainId: '43114',
      contractAddress,
      receiverAddress: holder.address,
      tokenId: '1',
      metadataId: await createMetadata(client),
    });
    await client.until(`/minting/${mint.body.id}`, ['CONFIRMED']);
    const transfer = { contractAddress, to: receiverAddress, tokenId: '1' } as const;
    const accepted = await client.post('/transfer/execute', {
      ...signedTransfer(holder, plainForwarder, transfer, { nonce: 0 }),
      forwarderAddress: plainForwarder,
    });
    expect(await client.until(`/transfer/${accepted.body.id}`, ['CONFIRMED', 'FAILED'])).toMatchObject({
      status: 'CONFIRMED',
    });
    expect(await nonceOf(plainForwarder, holder.address)).toBe(1);
  });
});

/** Rejects the next batches that involve a contract. */
const silent = (address: Address, times: number) =>
  setFaults(stack.proxies['43113'], [{ match: address.slice(2).toLowerCase(), effect: 'refuse', times }], 'forwarders');

describe('while the node does not respond', () => {
  afterEach(() => setFaults(stack.proxies['43113'], [], 'forwarders'));

  it('a deployment is accepted, its forwarder is checked before signing, and it becomes ACTIVE', async () => {
    const trustedForwarder = await deployPlainForwarder('43113');
    await silent(trustedForwarder, 2);
    const accepted = await deploy({ trustedForwarder, chainId: '43113' });
    expect(accepted.status).toBe(201);
    expect(await client.until(`/contracts/${accepted.body._id}`, ['ACTIVE', 'FAILED'])).toMatchObject({
      status: 'ACTIVE',
      trustedForwarder,
    });
  });

  it('or FAILED, with nothing spent, if it is not a forwarder', async () => {
    const own = await newClient();
    const token = await deployContract(own, { chainId: '43113', trustedForwarder: zeroAddress });
    const wallet = { address: own.account.walletAddress };
    const before = await chainClient('43113').getBalance(wallet);
    await silent(token.contractAddress, 2);
    const accepted = await own.post('/contracts/deploy', {
      ...contractFields,
      chainId: '43113',
      trustedForwarder: token.contractAddress,
    });
    expect(accepted.status).toBe(201);
    const ended = await own.until(`/contracts/${accepted.body._id}`, ['ACTIVE', 'FAILED']);
    expect(ended).toMatchObject({ status: 'FAILED', deployTxHash: null });
    expect(ended['errorMessage']).toContain('trustedForwarder is not a forwarder of chain 43113');
    expect(await chainClient('43113').getBalance(wallet)).toBe(before);
  });
});

/** Orders from a second Worker on the same database and chains, which only serves requests. */
const deployBy = (setting: string, fields: Record<string, unknown>) =>
  withBuiltWorker(stack.worker, { ...stack.settings, TRUSTED_FORWARDER_ADDRESS_43114: setting }, ({ url }) =>
    client.at(url).post('/contracts/deploy', { ...contractFields, ...fields }),
  );

describe('the configured forwarder', () => {
  it('is checked like one in the request, and applies to its chain only', async () => {
    const refused = await deployBy(nobody, {});
    expect([refused.status, refused.body['errors']]).toEqual([
      400,
      [{ path: 'trustedForwarder', code: 'invalid_value', message: `has no contract on chain 43114: ${nobody}` }],
    ]);
    const elsewhere = await deployBy(nobody, { chainId: '43113' });
    expect([elsewhere.status, elsewhere.body['trustedForwarder']]).toEqual([201, null]);
    const right = await deployBy(plainForwarder, {});
    expect([right.status, right.body['trustedForwarder']]).toEqual([201, plainForwarder]);
  });
});
