import { beforeAll, describe, expect, it } from 'vitest';
import { parseEventLogs, type Address, type Hex } from 'viem';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import {
  chainClient,
  createMetadata,
  deployContract,
  newClient,
  receiverAddress,
  type Client,
} from '../fixtures/client.ts';
import { deployWithoutNotification } from '../fixtures/foreign-contract.ts';
import { burnData, newSigner, sendAs } from '../fixtures/gasless.ts';
import { adminOf, ask } from '../fixtures/keys.ts';

const chainId = '43114';
let client: Client;
let [collection, units]: Address[] = [];
beforeAll(async () => {
  client = await newClient();
  [collection, units] = (
    await Promise.all([deployContract(client), deployContract(client, { ercStandard: '1155' })])
  ).map(({ contractAddress }) => contractAddress);
});

let lastToken = 0;
/** Mints a token. @returns its metadata and id. */
async function mint(contractAddress: Address | undefined, fields = {}) {
  lastToken += 1;
  const [metadataId, tokenId] = [await createMetadata(client), String(lastToken)];
  const order = { chainId, contractAddress, receiverAddress, tokenId, metadataId, ...fields };
  const { body } = await client.post('/minting/order', order);
  expect(await client.until(`/minting/${body.id}`, ['CONFIRMED', 'FAILED'])).toMatchObject({ status: 'CONFIRMED' });
  return { metadataId, tokenId };
}

const notify = (metadataId: string, headers = {}) => client.post('/chain-notifications', { metadataId }, headers);
const ended = (id: string) => client.until(`/chain-notifications/${id}`, ['CONFIRMED', 'FAILED', 'CANCELLED']);

describe('POST /chain-notifications', () => {
  it.each([
    ['ERC-721', () => collection, {}],
    ['ERC-1155', () => units, { amount: 3 }],
  ])(
    'has the contract of an edited %s token emit MetadataUpdate, once for an Idempotency-Key',
    async (_, of, fields) => {
      const contractAddress = of();
      const { metadataId, tokenId } = await mint(contractAddress, fields);
      const edit = await client.patch(`/metadata/${metadataId}`, { name: 'B' }, { 'if-match': '"1"' });
      expect(edit.status).toBe(200);
      const key = { 'idempotency-key': `notify-${metadataId}` };
      const accepted = await notify(metadataId, key);
      expect([accepted.status, accepted.body]).toMatchObject([
        201,
        { metadataId, chainId, contractAddress, tokenId, status: 'PENDING', txHash: null },
      ]);
      expect((await notify(metadataId, key)).body.id).toBe(accepted.body.id);
      const order = await ended(accepted.body.id);
      expect(order).toMatchObject({ status: 'CONFIRMED', errorMessage: null, totalFeeNative: expect.any(String) });
      const { logs } = await chainClient().getTransactionReceipt({ hash: order['txHash'] as Hex });
      const events = parseEventLogs({ abi: standard721.abi, eventName: 'MetadataUpdate', logs });
      expect(events.map(({ address, args }) => [address.toLowerCase(), args])).toEqual([
        [contractAddress, { _tokenId: BigInt(tokenId) }],
      ]);
      const all = await chainClient().getLogs({ address: contractAddress, event: eventOf(), fromBlock: 0n });
      expect(all.filter(({ args }) => args._tokenId === BigInt(tokenId))).toHaveLength(1);
    },
  );

  it('is 409 before the mint, for a contract without the function, and for one that the wallet no longer owns', async () => {
    expect((await notify(await createMetadata(client))).body).toMatchObject({
      statusCode: 409,
      message: 'The metadata is not yet linked to a token',
    });

    const silent = await deployWithoutNotification(client.account.walletAddress);
    const registration = { chainId, contractAddress: silent, ercStandard: '721', contractType: 'standard' };
    expect((await client.post('/contracts/register', registration)).status).toBe(201);
    expect((await notify((await mint(silent)).metadataId)).body).toMatchObject({
      statusCode: 409,
      message: expect.stringMatching(
        /^The contract cannot announce a change of this token's metadata: .+ or the contract has no function for it/,
      ),
    });

    const given = (await deployContract(client)).contractAddress;
    const { metadataId } = await mint(given);
    const { body } = await client.post('/contracts/transfer-ownership', {
      chainId,
      contractAddress: given,
      newOwnerAddress: receiverAddress,
    });
    await client.until(`/contracts/transfer-ownership/${body.jobId}`, ['CONFIRMED']);
    expect((await notify(metadataId)).body).toMatchObject({
      statusCode: 409,
      message: `The owner of the contract is ${receiverAddress}, not the account's wallet`,
    });
  });

  it('is 409 for an ERC-721 token that was burned', async () => {
    const holder = newSigner();
    const { metadataId, tokenId } = await mint(collection, { receiverAddress: holder.address });
    await sendAs(holder, burnData(holder.address, { tokenId }), collection ?? '0x');
    expect((await notify(metadataId)).body).toMatchObject({
      statusCode: 409,
      message: expect.stringMatching(/: the token was burned, or .+ ERC721NonexistentToken/),
    });
  });

  it('five at once for one token are one order, and another one once it has ended', async () => {
    const { metadataId } = await mint(collection);
    const account = `/admin/accounts/${client.account.corporateId}`;
    await ask(adminOf(client), `${account}/pause`, {});
    const replies = await Promise.all(Array.from({ length: 5 }, () => notify(metadataId)));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409, 409]);
    const id = replies.find(({ status }) => status === 201)?.body.id;
    for (const { body } of replies.filter(({ status }) => status === 409)) {
      expect(body.message).toBe(`Order ${id} announces the same and is under way`);
    }
    await ask(adminOf(client), `${account}/resume`, {});
    expect(await ended(id)).toMatchObject({ status: 'CONFIRMED' });
    expect((await notify(metadataId)).status).toBe(201);
  });

  it('is 404 for another account, in every route', async () => {
    const { metadataId } = await mint(collection);
    const other = await newClient();
    expect((await other.post('/chain-notifications', { metadataId })).status).toBe(404);
    const { body } = await notify(metadataId);
    expect((await other.get(`/chain-notifications/${body.id}`)).status).toBe(404);
    expect((await other.post('/chain-notifications/cancel', { id: body.id })).status).toBe(404);
    expect(await ended(body.id)).toMatchObject({ status: 'CONFIRMED' });
  });

  it('is cancelled as every order while nothing is signed', async () => {
    const { metadataId } = await mint(collection);
    const operator = adminOf(client);
    const account = `/admin/accounts/${client.account.corporateId}`;
    await ask(operator, `${account}/pause`, {});
    const { body } = await notify(metadataId);
    const cancelled = await client.post('/chain-notifications/cancel', { id: body.id });
    await ask(operator, `${account}/resume`, {});
    expect([cancelled.status, cancelled.body.status]).toEqual([200, 'CANCELLED']);
    const found = await ask({ 'x-admin-secret-key': operator['x-admin-secret-key'] }, `/admin/orders?q=${collection}`);
    expect(found.body.items ?? found.body.orders).toContainEqual(
      expect.objectContaining({ id: body.id, kind: 'notification' }),
    );
  });
});

function eventOf() {
  const event = standard721.abi.find((item) => item.type === 'event' && item.name === 'MetadataUpdate');
  if (event?.type !== 'event' || event.name !== 'MetadataUpdate') throw new Error('The contract has no such event');
  return event;
}
