import { Client as Postgres } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatEther, getAddress, zeroAddress } from 'viem';
import type { Address, Hex } from 'viem';
import { minimalForwarder } from '../../contracts/artifacts/MinimalForwarder.ts';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import {
  call,
  chainClient,
  cleanUpAfter,
  createMetadata,
  deployContract,
  newClient,
  receiverAddress,
  stack,
} from '../fixtures/client.ts';
import type { Client, Reply } from '../fixtures/client.ts';
import { setFaults } from '../fixtures/fault-proxy.ts';
import { deployForwarder, newSigner, nonceOf, signMessage, signedTransfer } from '../fixtures/gasless.ts';
import type { Signer } from '../fixtures/gasless.ts';
import { startWebhookReceiver } from '../fixtures/webhook-receiver.ts';
import type { WebhookReceiver } from '../fixtures/webhook-receiver.ts';

const chain = chainClient();
const ENDED = ['CONFIRMED', 'FAILED'];

let receiver: WebhookReceiver;
let client: Client;
let forwarder: Address;
let collection: Address;
let units: Address;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  client = await newClient({ webhookUrl: receiver.url });
  forwarder = await deployForwarder(client);
  const [erc721, erc1155] = await Promise.all([
    deployContract(client, { trustedForwarder: forwarder }),
    deployContract(client, { trustedForwarder: forwarder, ercStandard: '1155' }),
  ]);
  collection = erc721.contractAddress;
  units = erc1155.contractAddress;
});
afterAll(() => receiver.close());

let lastToken = 0;

/** A holder with no coins and `count` new tokens of the ERC-721 contract. */
async function holderOf(count: number): Promise<{ holder: Signer; tokens: string[] }> {
  const holder = newSigner();
  const tokens = Array.from({ length: count }, () => String((lastToken += 1)));
  await Promise.all(
    tokens.map(async (tokenId) => {
      const { body } = await client.post('/minting/order', {
        chainId: '43114',
        contractAddress: collection,
        receiverAddress: holder.address,
        tokenId,
        metadataId: await createMetadata(client),
      });
      expect(await client.until(`/minting/${body.id}`, ENDED)).toMatchObject({ status: 'CONFIRMED' });
    }),
  );
  return { holder, tokens };
}

/** A holder with no coins and `amount` units of a new id of the ERC-1155 contract. */
async function holderOfUnits(amount: number): Promise<{ holder: Signer; tokenId: string }> {
  const holder = newSigner();
  const tokenId = String((lastToken += 1));
  const { body } = await client.post('/minting/order', {
    chainId: '43114',
    contractAddress: units,
    receiverAddress: holder.address,
    tokenId,
    amount,
    metadataId: await createMetadata(client),
  });
  expect(await client.until(`/minting/${body.id}`, ENDED)).toMatchObject({ status: 'CONFIRMED' });
  return { holder, tokenId };
}

const ownerOf = (tokenId: string) =>
  chain.readContract({ ...standard721, address: collection, functionName: 'ownerOf', args: [BigInt(tokenId)] });
const balanceOf = (holder: Address, tokenId: string) =>
  chain.readContract({
    ...standard1155,
    address: units,
    functionName: 'balanceOf',
    args: [holder, BigInt(tokenId)],
  });

const execute = (body: unknown) => client.post('/transfer/execute', body);
const ended = (reply: Reply) => client.until(`/transfer/${reply.body.id}`, ENDED);

async function expectEvent(type: string, data: Record<string, unknown>) {
  await expect
    .poll(() => receiver.deliveries.find(({ event }) => event.type === type && event.data['id'] === data['id']), {
      timeout: 20_000,
    })
    .toBeDefined();
  const delivery = receiver.deliveries.find(({ event }) => event.data['id'] === data['id']);
  expect(delivery?.event.data).toEqual(data);
}

/** path -> message of the faults of a 400. */
function faultsOf(reply: Reply): Record<string, string> {
  expect(reply.status).toBe(400);
  expect(reply.body.statusCode).toBe(400);
  return Object.fromEntries(
    reply.body.errors.map(({ path, message }: { path: string; message: string }) => [path, message]),
  );
}

describe('a transfer that its holder signed', () => {
  it('moves an ERC-721 token of a wallet without a coin, paid by the account, and tells it', async () => {
    const { holder, tokens } = await holderOf(1);
    const [tokenId = ''] = tokens;
    const transfer = { contractAddress: getAddress(collection), to: getAddress(receiverAddress), tokenId };
    const accepted = await execute(signedTransfer(holder, forwarder, transfer, { nonce: 0 }));
    expect(accepted.status).toBe(201);
    expect(accepted.body).toMatchObject({
      chainId: '43114',
      contractAddress: collection,
      from: holder.address,
      to: receiverAddress,
      tokenId,
      amount: 1,
      ercStandard: '721',
      status: 'PENDING',
      txHash: null,
    });

    const order = await ended(accepted);
    expect(order).toMatchObject({ status: 'CONFIRMED', errorMessage: null });
    expect(await ownerOf(tokenId)).toBe(receiverAddress);
    expect(await chain.getBalance({ address: holder.address })).toBe(0n);
    const txHash = order['txHash'] as Hex;
    const [receipt, transaction] = await Promise.all([
      chain.getTransactionReceipt({ hash: txHash }),
      chain.getTransaction({ hash: txHash }),
    ]);
    expect(getAddress(transaction.from)).toBe(client.account.walletAddress);
    expect(order['transferGasUsed']).toBe(receipt.gasUsed.toString());
    expect(order['totalFeeNative']).toBe(formatEther(receipt.gasUsed * receipt.effectiveGasPrice));
    expect(order['totalFeeUsd']).toBeCloseTo(Number(order['totalFeeNative']) * Number(order['nativePriceUsd']), 12);
    // The forwarder must be able to hand on all of the signed 500,000, though the transfer needs an eighth of it.
    expect(transaction.gas).toBeGreaterThan((500_000n * 64n) / 63n + 10_000n);
    expect(transaction.gas).toBeLessThan(650_000n);

    expect((await client.get(`/transfer/by-tx/${txHash.toUpperCase().replace('0X', '0x')}`)).body).toEqual(order);
    await expectEvent('transfer.confirmed', order);
  });

  it('moves some units of an ERC-1155 token', async () => {
    const { holder, tokenId } = await holderOfUnits(5);
    const accepted = await execute(
      signedTransfer(
        holder,
        forwarder,
        { contractAddress: units, to: receiverAddress, tokenId, amount: 3 },
        { nonce: 0, gas: 90_000 },
      ),
    );
    expect(accepted.body).toMatchObject({ amount: 3, ercStandard: '1155' });
    expect(await ended(accepted)).toMatchObject({ status: 'CONFIRMED', amount: 3 });
    expect([await balanceOf(holder.address, tokenId), await balanceOf(receiverAddress, tokenId)]).toEqual([2n, 3n]);
    expect(await chain.getBalance({ address: holder.address })).toBe(0n);
  });

  it('is taken without nonce and gas limit, which the server then fills in', async () => {
    const { holder, tokens } = await holderOf(1);
    const [tokenId = ''] = tokens;
    const signed = signedTransfer(
      holder,
      forwarder,
      { contractAddress: collection, to: receiverAddress, tokenId },
      { nonce: 0 },
    );
    const { forwarderNonce: _nonce, gasLimit: _gas, ...bare } = signed;
    expect(await ended(await execute(bare))).toMatchObject({ status: 'CONFIRMED' });
    expect(await ownerOf(tokenId)).toBe(receiverAddress);
  });

  it('is one order and one transfer when it is posted ten times at once, and again later', async () => {
    const { holder, tokens } = await holderOf(1);
    const [tokenId = ''] = tokens;
    const body = signedTransfer(
      holder,
      forwarder,
      { contractAddress: collection, to: receiverAddress, tokenId },
      { nonce: 0 },
    );
    const replies = await Promise.all(Array.from({ length: 10 }, () => execute(body)));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([...Array(9).fill(200), 201]);
    const ids = new Set(replies.map((reply) => reply.body.id));
    expect(ids.size).toBe(1);
    const order = await ended(replies[0] as Reply);
    expect(order).toMatchObject({ status: 'CONFIRMED' });
    expect(await nonceOf(forwarder, holder.address)).toBe(1);

    // The holder's own words for it: nonce left out, v as some wallets write it.
    const { forwarderNonce: _, ...bare } = body;
    const v = body.signature.endsWith('1b') ? '00' : '01';
    const again = await execute({ ...bare, signature: `${body.signature.slice(0, -2)}${v}` });
    expect([again.status, again.body]).toEqual([200, order]);
    await cleanUpAfter(15);
    const moves = await chain.getContractEvents({
      ...standard721,
      address: collection,
      eventName: 'Transfer',
      args: { from: holder.address },
      fromBlock: 0n,
    });
    expect(moves).toHaveLength(1);
  });

  it('is carried out with the next one of the same signer, in order, when both arrive together', async () => {
    const { holder, tokens } = await holderOf(2);
    const bodies = tokens.map((tokenId, nonce) =>
      signedTransfer(holder, forwarder, { contractAddress: collection, to: receiverAddress, tokenId }, { nonce }),
    );
    // The later one first: it must not be refused for that.
    const replies = await Promise.all(bodies.toReversed().map(execute));
    expect(replies.map(({ status }) => status)).toEqual([201, 201]);
    const [second, first] = await Promise.all(replies.map(ended));
    expect([first?.['status'], second?.['status']]).toEqual(['CONFIRMED', 'CONFIRMED']);
    expect(await Promise.all(tokens.map(ownerOf))).toEqual([receiverAddress, receiverAddress]);
    const blocks = await Promise.all(
      [first, second].map((order) => chain.getTransactionReceipt({ hash: order?.['txHash'] as Hex })),
    );
    const place = blocks.map(({ blockNumber, transactionIndex }) => Number(blockNumber) * 1_000 + transactionIndex);
    expect(place[0]).toBeLessThan(place[1] ?? 0);
  });

  it('is carried out in a row of six, whoever relays which, and a mint among them', async () => {
    const { holder, tokens } = await holderOf(5);
    const other = await newClient();
    const mintable = await deployContract(client, {
      trustedForwarder: forwarder,
      currentOwnerAddress: holder.address,
    });
    const bodies = tokens.map((tokenId, nonce) =>
      signedTransfer(
        holder,
        forwarder,
        { contractAddress: collection, to: receiverAddress, tokenId },
        { nonce: nonce < 2 ? nonce : nonce + 1 },
      ),
    );
    const mint = {
      chainId: '43114',
      contractAddress: mintable.contractAddress,
      receiverAddress,
      tokenId: '1',
      metadataId: await createMetadata(client),
      from: holder.address,
      forwarderNonce: '2',
      forwarderAddress: forwarder,
    };
    const signed = await client.post('/minting/signature', { ...mint, privateKey: holder.privateKey });
    const [minted, ...replies] = await Promise.all([
      client.post('/minting/relay', { ...mint, signature: signed.body.signature }),
      ...bodies.map((body, index) => {
        const relayer = index % 2 === 0 ? client : other;
        return relayer.post('/transfer/execute', { ...body, ercStandard: '721', forwarderAddress: forwarder });
      }),
    ]);
    expect([minted.status, ...replies.map(({ status }) => status)]).toEqual(Array(6).fill(201));
    expect(await client.until(`/minting/${minted.body.id}`, ENDED)).toMatchObject({ status: 'CONFIRMED' });
    for (const [index, reply] of replies.entries()) {
      const order = await (index % 2 === 0 ? client : other).until(`/transfer/${reply.body.id}`, ENDED);
      expect(order).toMatchObject({ status: 'CONFIRMED', errorMessage: null });
    }
    expect(await nonceOf(forwarder, holder.address)).toBe(6);
  });
});
