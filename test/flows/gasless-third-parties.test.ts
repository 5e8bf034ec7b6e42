import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { encodeFunctionData, type Address, type Hex } from 'viem';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import {
  chainClient,
  cleanUpAfter,
  deployContract,
  issuesOf,
  newClient,
  receiverAddress,
  stack,
  type Client,
  type Reply,
} from '../fixtures/client.ts';
import { setFaults } from '../fixtures/fault-proxy.ts';
import {
  bringOneself,
  cancelRequests,
  deployForwarder,
  newHolder,
  newSigner,
  nonceOf,
  postLate,
  sendAs,
  signedTransfer,
  storeTransfer,
} from '../fixtures/gasless.ts';
import { transactionState } from '../fixtures/transaction-state.ts';
import { useNonceElsewhere } from '../fixtures/use-nonce-elsewhere.ts';

const chain = chainClient();
const ENDED = ['CONFIRMED', 'FAILED'];

let client: Client;
let forwarder: Address;
let collection: Address;

beforeAll(async () => {
  client = await newClient();
  forwarder = await deployForwarder(client);
  collection = (await deployContract(client, { trustedForwarder: forwarder })).contractAddress;
});

const holderOf = (count: number) => newHolder(client, collection, count);
const ownerOf = (tokenId: string) =>
  chain.readContract({ ...standard721, address: collection, functionName: 'ownerOf', args: [BigInt(tokenId)] });
const execute = (body: unknown) => client.post('/transfer/execute', body);
const ended = (reply: Reply) => client.until(`/transfer/${reply.body.id}`, ENDED);

afterEach(() => setFaults(stack.proxies['43114'], [], 'thirdparties'));

describe('a transfer signed by the holder', () => {
  it('is one order when posted twice, and a node delays one until the other is CONFIRMED', async () => {
    const { holder, tokens } = await holderOf(1);
    const transfer = { contractAddress: collection, to: receiverAddress as Address, tokenId: tokens[0] ?? '' };
    const body = signedTransfer(holder, forwarder, transfer, { nonce: 0 });
    const { late } = await postLate(holder.address, () => execute(body));
    const order = await ended(await execute(body));
    expect(order).toMatchObject({ status: 'CONFIRMED' });
    const { status, body: second } = await late;
    // On a busy machine it can be answered before the other is CONFIRMED.
    expect([status, second.id]).toEqual([200, order['id']]);
  });

  it('is refused if a node says that its nonce is unused, and another one with it is CONFIRMED', async () => {
    const { holder, tokens } = await holderOf(2);
    const [one, other] = tokens.map((tokenId) =>
      signedTransfer(holder, forwarder, { contractAddress: collection, to: receiverAddress, tokenId }, { nonce: 0 }),
    );
    const { late } = await postLate(holder.address, () => execute(other));
    expect(await ended(await execute(one))).toMatchObject({ status: 'CONFIRMED' });
    expect(issuesOf(await late)).toEqual({ forwarderNonce: 'is stale: expected 1, given 0' });
  });

  it('is not accepted while the chain does not respond: 502, without details of the node', async () => {
    const { holder, tokens } = await holderOf(1);
    const body = signedTransfer(
      holder,
      forwarder,
      { contractAddress: collection, to: receiverAddress, tokenId: tokens[0] ?? '' },
      { nonce: 0 },
    );
    await setFaults(
      stack.proxies['43114'],
      [{ match: holder.address.slice(2).toLowerCase(), effect: 'refuse', times: 1 }],
      'thirdparties',
    );
    const refused = await execute({ ...body, forwarderAddress: forwarder });
    await setFaults(stack.proxies['43114'], [], 'thirdparties');
    expect(refused.status).toBe(502);
    expect(refused.body).toMatchObject({ statusCode: 502, message: 'The chain does not answer' });
    expect(JSON.stringify(refused.body)).not.toContain('127.0.0.1');
    expect(await ended(await execute({ ...body, forwarderAddress: forwarder }))).toMatchObject({ status: 'CONFIRMED' });
  });
});

describe('an accepted transfer that others interfere with', () => {
  it.each(['before it is mined', 'after its wallet nonce was used elsewhere'])(
    'is FAILED by its receipt, with the inner reason, its cost and its request used up, when the token moves away just %s',
    async (moment) => {
      const { holder, tokens } = await holderOf(1);
      const [tokenId = ''] = tokens;
      // Only raw transactions to the forwarder contain its address after this length byte.
      await setFaults(
        stack.proxies['43114'],
        [{ match: `94${forwarder.slice(2)}`, effect: 'refuse', times: 1_000 }],
        'thirdparties',
      );
      const body = signedTransfer(
        holder,
        forwarder,
        { contractAddress: collection, to: receiverAddress, tokenId },
        { nonce: 0 },
      );
      const accepted = await execute({ ...body, forwarderAddress: forwarder });
      await expect.poll(() => transactionState(accepted.body.id)).toBe('signed');
      const elsewhere = newSigner().address;
      const args = [holder.address, elsewhere, BigInt(tokenId)] as const;
      await sendAs(holder, encodeFunctionData({ ...standard721, functionName: 'transferFrom', args }), collection);
      if (moment !== 'before it is mined') await useNonceElsewhere(client.account);
      await setFaults(stack.proxies['43114'], [], 'thirdparties');

      const order = await ended(accepted);
      expect(order).toMatchObject({ status: 'FAILED' });
      expect(order['errorMessage']).toContain('its logs do not contain the ordered Transfer: reverted: ERC721');
      const receipt = await chain.getTransactionReceipt({ hash: order['txHash'] as Hex });
      expect(receipt.status).toBe('success');
      expect(order['transferGasUsed']).toBe(receipt.gasUsed.toString());
      expect(await ownerOf(tokenId)).toBe(elsewhere);
      // Nobody can submit the request any more.
      expect(await nonceOf(forwarder, holder.address)).toBe(1);
      const again = await execute({ ...body, forwarderAddress: forwarder });
      expect(issuesOf(again)['forwarderNonce']).toBe('is stale: expected 1, given 0');
    },
  );

  it("is CONFIRMED by a third party's transaction that submitted the signed request, and moves nothing twice", async () => {
    const { holder, tokens } = await holderOf(1);
    const [tokenId = ''] = tokens;
    const body = signedTransfer(
      holder,
      forwarder,
      { contractAddress: collection, to: receiverAddress, tokenId },
      { nonce: 0 },
    );
    const txHash = await bringOneself(forwarder, body);
    const id = await storeTransfer(client, forwarder, body, new Date());
    await cleanUpAfter(6);
    const order = await client.until(`/transfer/${id}`, ENDED);
    expect(order).toMatchObject({ status: 'CONFIRMED', txHash, errorMessage: null });
    expect(await ownerOf(tokenId)).toBe(receiverAddress);
  });

  it.each([
    ['accepted just now', 0],
    ['accepted yesterday', 25],
  ])(
    "is CONFIRMED by a third party's transaction also by a node that does not serve its logs at first: one %s",
    async (_, hours) => {
      const { holder, tokens } = await holderOf(1);
      const [tokenId = ''] = tokens;
      const refused = { match: `94${forwarder.slice(2)}`, effect: 'refuse', times: 1_000 } as const;
      await setFaults(stack.proxies['43114'], [refused], 'thirdparties');
      const transfer = { contractAddress: collection, to: receiverAddress as Address, tokenId };
      const body = signedTransfer(holder, forwarder, transfer, { nonce: 0 });
      const id = await storeTransfer(client, forwarder, body, new Date(Date.now() - hours * 3_600_000));
      await cleanUpAfter(6);
      await expect.poll(() => transactionState(id)).toBe('signed');
      const txHash = await bringOneself(forwarder, body);
      // Only those of the forwarder: the index of transfers reads others, and believes the only node.
      const match = ['eth_getLogs', forwarder.toLowerCase()];
      await setFaults(stack.proxies['43114'], [{ match, effect: 'hide-logs', times: 4 }], 'thirdparties');
      const order = await client.until(`/transfer/${id}`, ENDED);
      expect(order).toMatchObject({ status: 'CONFIRMED', txHash, errorMessage: null });
      expect(await ownerOf(tokenId)).toBe(receiverAddress);
    },
  );

  it('is FAILED when its signer has cancelled it, and is refused when posted again', async () => {
    const { holder, tokens } = await holderOf(1);
    const transfer = { contractAddress: collection, to: receiverAddress as Address, tokenId: tokens[0] ?? '' };
    const body = signedTransfer(holder, forwarder, transfer, { nonce: 0 });
    await cancelRequests(forwarder, holder, 0n);
    const id = await storeTransfer(client, forwarder, body, new Date());
    await cleanUpAfter(6);
    expect(await client.until(`/transfer/${id}`, ENDED)).toMatchObject({ status: 'FAILED' });
    const again = await execute({ ...body, forwarderAddress: forwarder });
    expect(again.body.errors).toEqual([
      { path: 'forwarderNonce', code: 'wrong_nonce', message: 'is stale: expected 1, given 0' },
    ]);
    expect(await ownerOf(transfer.tokenId)).toBe(holder.address);
  });
});
