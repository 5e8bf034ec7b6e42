import { beforeAll, describe, expect, it } from 'vitest';
import { maxUint256, parseAbi, parseEventLogs, type Address, type Hex } from 'viem';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import {
  call,
  chainClient,
  deployContract,
  mint,
  newClient,
  receiverAddress,
  stack,
  type Client,
} from '../fixtures/client.ts';
import { forgetReply } from '../fixtures/forget-reply.ts';
import { deployElsewhere, placeWithout } from '../fixtures/foreign-contract.ts';
import { deployForwarder } from '../fixtures/gasless.ts';
import { adminOf, ask } from '../fixtures/keys.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';

const chainId = '43114';
const own = stack.settings['METADATA_BASE_URI'] ?? '';
const base = 'https://nft.new-domain.example/metadata';
const ENDS = ['CONFIRMED', 'FAILED', 'CANCELLED'];

let receiver: WebhookReceiver;
let client: Client;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  client = await newClient({ webhookUrl: receiver.url });
});

const change = (contractAddress: Address, fields: Record<string, unknown> = {}, headers = {}) =>
  client.post('/contracts/base-uri', { chainId, contractAddress, ...fields }, headers);
const ended = (id: string) => client.until(`/contracts/base-uri/${id}`, ENDS);
const shownBase = async (id: string) => (await client.get(`/contracts/${id}`)).body.metadataBaseUri;

/** Runs what is to happen while nothing of the account is signed. */
async function whilePaused<Result>(act: () => Promise<Result>): Promise<Result> {
  const account = `/admin/accounts/${client.account.corporateId}`;
  await ask(adminOf(client), `${account}/pause`, {});
  const result = await act();
  await ask(adminOf(client), `${account}/resume`, {});
  return result;
}

const uris = parseAbi([
  'function tokenURI(uint256) view returns (string)',
  'function uri(uint256) view returns (string)',
]);

describe('POST /contracts/base-uri', () => {
  it.each([
    ['721', 'tokenURI', '1'],
    ['1155', 'uri', '{id}'],
  ] as const)(
    'gives the tokens of an ERC-%s contract their URIs under another base, once',
    async (standard, view, token) => {
      const { contractAddress, _id } = await deployContract(client, { ercStandard: standard });
      await mint(client, { chainId, contractAddress, tokenId: '1', amount: 1 }, receiverAddress);
      const uri = () =>
        chainClient().readContract({ address: contractAddress, abi: uris, functionName: view, args: [1n] });
      expect(await uri()).toBe(`${own}/${contractAddress}/${token}`);

      const key = `base-uri-${contractAddress}`;
      const accepted = await change(contractAddress, { metadataBaseUri: base }, { 'idempotency-key': key });
      expect([accepted.status, accepted.body]).toMatchObject([
        201,
        { contractId: _id, chainId, contractAddress, metadataBaseUri: base, status: 'PENDING', txHash: null },
      ]);
      await forgetReply(key);
      const repeated = await change(contractAddress, { metadataBaseUri: base }, { 'idempotency-key': key });
      expect([repeated.status, repeated.body.id]).toEqual([201, accepted.body.id]);

      const order = await ended(accepted.body.id);
      expect(order).toMatchObject({
        status: 'CONFIRMED',
        errorMessage: null,
        baseUriGasUsed: expect.stringMatching(/^\d+$/),
        totalFeeNative: expect.any(String),
      });
      expect(await uri()).toBe(`${base}/${contractAddress}/${token}`);
      const logs = await chainClient().getLogs({ address: contractAddress, fromBlock: 0n });
      const events = parseEventLogs({ abi: standard721.abi, eventName: 'BatchMetadataUpdate', logs });
      expect(events.map(({ transactionHash, args }) => [transactionHash, args])).toEqual([
        [order['txHash'] as Hex, { _fromTokenId: 0n, _toTokenId: maxUint256 }],
      ]);
      await expect
        .poll(() => receiver.events.map(({ event }) => event))
        .toContainEqual(expect.objectContaining({ type: 'base-uri.confirmed', data: order }));
    },
  );

  it('is to the base of the service by default', async () => {
    const { contractAddress, _id } = await deployContract(client, { metadataBaseUri: base });
    const { body } = await change(contractAddress);
    expect(body.metadataBaseUri).toBe(own);
    expect(await ended(body.id)).toMatchObject({ status: 'CONFIRMED' });
    expect(await shownBase(_id)).toBe(own);
  });

  it('writes the longest base that a deployment takes', async () => {
    const { contractAddress } = await deployContract(client);
    const longest = `${base}/`.padEnd(2_048, 'a');
    const { body } = await change(contractAddress, { metadataBaseUri: longest });
    expect(await ended(body.id)).toMatchObject({ status: 'CONFIRMED', metadataBaseUri: longest });
  });

  it.each(['', 'nft.example.com', 'ftp://nft.example.com', `${base}?a=b`, 5])(
    'is 400 with the base %j',
    async (uri) => {
      const { status, body } = await change(receiverAddress, { metadataBaseUri: uri });
      expect([status, body.errors?.map(({ path }: { path: string }) => path)]).toEqual([400, ['metadataBaseUri']]);
    },
  );

  it('is 404 for a contract of another account, for a forwarder, and for a contract on another chain', async () => {
    const other = await newClient();
    const { contractAddress } = await deployContract(client);
    const unknown = await other.post('/contracts/base-uri', { chainId, contractAddress });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'contract_not_active']);
    expect((await change(await deployForwarder(client))).body.code).toBe('contract_not_active');
    expect((await change(contractAddress, { chainId: '43113' })).body.code).toBe('contract_not_active');

    const { body } = await change(contractAddress);
    expect((await other.get(`/contracts/base-uri/${body.id}`)).status).toBe(404);
    expect((await other.post('/contracts/base-uri/cancel', { id: body.id })).status).toBe(404);
    expect(await ended(body.id)).toMatchObject({ status: 'CONFIRMED' });
  });

  it('is 409 for certificates, for a contract without the function, and for one that the wallet no longer owns', async () => {
    const certificates = await deployContract(client, { contractType: 'certificate' });
    expect((await change(certificates.contractAddress)).body).toMatchObject({
      statusCode: 409,
      code: 'conflict',
      message: 'The contract is one of certificates, whose base URI never changes',
    });

    const fixed = await placeWithout('setBaseURI(string)', client.account.walletAddress);
    const registration = { chainId, contractAddress: fixed, ercStandard: '721', contractType: 'standard' };
    expect((await client.post('/contracts/register', registration)).status).toBe(201);
    expect((await change(fixed)).body).toMatchObject({
      statusCode: 409,
      code: 'conflict',
      message: expect.stringMatching(/^The contract has no function to change its base URI\. Reverted: /),
    });

    const given = await deployContract(client, { transferOwnerAddress: receiverAddress });
    await client.until(`/contracts/transfer-ownership/${given._id}`, ['CONFIRMED']);
    expect((await change(given.contractAddress)).body).toMatchObject({
      statusCode: 409,
      code: 'not_owner',
      message: `The owner of the contract is ${receiverAddress}, not the account's wallet`,
    });
  });

  it('is 409 while another change is under way, of whatever base, and not once it has ended', async () => {
    const { contractAddress, _id } = await deployContract(client);
    const bases = ['a', 'b', 'c'].map((name) => `https://${name}.example`);
    const replies = await whilePaused(() =>
      Promise.all(bases.map((metadataBaseUri) => change(contractAddress, { metadataBaseUri }))),
    );
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
    const { body: first } = replies.find(({ status }) => status === 201) ?? {};
    for (const { body } of replies.filter(({ status }) => status === 409)) {
      expect(body.message).toBe(`Order ${first.id} changes the contract's base URI and is under way`);
    }
    expect(await ended(first.id)).toMatchObject({ status: 'CONFIRMED' });
    const { status, body: second } = await change(contractAddress, { metadataBaseUri: base });
    expect(status).toBe(201);
    expect(await ended(second.id)).toMatchObject({ status: 'CONFIRMED' });
    expect(await shownBase(_id)).toBe(base);
  });

  it('changes a contract from elsewhere, whose record then has a base', async () => {
    const contractAddress = await deployElsewhere(client.account.walletAddress);
    const registration = { chainId, contractAddress, ercStandard: '721', contractType: 'standard' };
    const { body: contract } = await client.post('/contracts/register', registration);
    expect(contract.metadataBaseUri).toBeNull();
    const { body } = await change(contractAddress, { metadataBaseUri: base });
    expect(await ended(body.id)).toMatchObject({ status: 'CONFIRMED' });
    expect(await shownBase(contract._id)).toBe(base);
  });
});

it('a change is cancelled as every order while nothing is signed, and changes nothing then', async () => {
  const { contractAddress, _id } = await deployContract(client);
  const cancelled = await whilePaused(async () => {
    const { body } = await change(contractAddress, { metadataBaseUri: base });
    return await client.post('/contracts/base-uri/cancel', { id: body.id });
  });
  expect([cancelled.status, cancelled.body.status]).toEqual([200, 'CANCELLED']);
  expect(await shownBase(_id)).toBe(own);
  await expect
    .poll(() => receiver.events.map(({ event }) => event))
    .toContainEqual(expect.objectContaining({ type: 'base-uri.cancelled', data: cancelled.body }));
});

describe('a contract whose base was changed', () => {
  let contract: Awaited<ReturnType<typeof deployContract>>;
  beforeAll(async () => {
    contract = await deployContract(client);
    for (const metadataBaseUri of ['https://former.example', base]) {
      const { body } = await change(contract.contractAddress, { metadataBaseUri });
      await ended(body.id);
    }
  });

  it('shows the new one, also in the list', async () => {
    expect(await shownBase(contract._id)).toBe(base);
    const { body } = await client.get('/contracts');
    const listed = body.items.find(({ _id }: { _id: string }) => _id === contract._id);
    expect(listed.metadataBaseUri).toBe(base);
  });

  it('has the code that this service publishes, as before', async () => {
    const { body } = await call(`/collections/${chainId}/${contract.contractAddress}`);
    expect(body).toMatchObject({ hasPublishedCode: true });
    const { status } = await call(`/deployments/${chainId}/${contract.contractAddress}`);
    expect(status).toBe(200);
  });
});
