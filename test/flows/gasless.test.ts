import { Client as Postgres } from 'pg';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { encodeFunctionData, formatEther, getAddress, zeroAddress, type Address, type Hex } from 'viem';
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
  type Client,
  type Reply,
} from '../fixtures/client.ts';
import { startOtherWorker } from '../fixtures/other-worker.ts';
import { recordedBodies, setFaults, startFaultProxy, statementTagged, statementsOf } from '../fixtures/fault-proxy.ts';
import {
  bringOneself,
  cancelRequests,
  deployForwarder,
  newSigner,
  nonceOf,
  postLate,
  sendAs,
  signedTransfer,
  storeTransfer,
  type Signer,
  type Transfer,
} from '../fixtures/gasless.ts';
import { transactionState } from '../fixtures/transaction-state.ts';
import { useNonceElsewhere } from '../fixtures/use-nonce-elsewhere.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';

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

let lastToken = 0;

/** A holder without coins who has `count` new tokens of the ERC-721 contract. */
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

/** A holder without coins who has `amount` units of a new id of the ERC-1155 contract. */
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
    .poll(() => receiver.deliveries.find(({ event }) => event.type === type && event.data['id'] === data['id']))
    .toBeDefined();
  const delivery = receiver.deliveries.find(({ event }) => event.data['id'] === data['id']);
  expect(delivery?.event.data).toEqual(data);
}

/** The errors of a 400, as path -> message. */
function issuesOf(reply: Reply, status = 400): Record<string, string> {
  expect(reply.status).toBe(status);
  expect(reply.body.statusCode).toBe(status);
  return Object.fromEntries(
    reply.body.errors.map(({ path, message }: { path: string; message: string }) => [path, message]),
  );
}

describe('a transfer signed by the holder', () => {
  it("moves an ERC-721 token of a wallet without coins, at the account's expense, and sends the event", async () => {
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
    // The forwarder must be able to pass on all of the signed 500,000 gas, though the transfer needs an eighth of it.
    expect(transaction.gas).toBeGreaterThan((500_000n * 64n) / 63n + 10_000n);
    expect(transaction.gas).toBeLessThan(650_000n);

    expect((await client.get(`/transfer/by-tx/${txHash.toUpperCase().replace('0X', '0x')}`)).body).toEqual(order);
    const list = async (query: string) => (await client.get(`/transfer?${query}`)).body.items;
    expect(await list(`from=${holder.address.toLowerCase()}&status=CONFIRMED&contractAddress=${collection}`)).toEqual([
      order,
    ]);
    expect(await list(`from=${holder.address}&status=FAILED`)).toEqual([]);
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

  it('may omit nonce and gas limit, which the server fills in', async () => {
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

  it('goes through the forwarder that the contract trusts by default, even if the account has a newer one', async () => {
    const own = await newClient();
    const trusted = await deployForwarder(own);
    const [holder, owner] = [newSigner(), newSigner()];
    const { contractAddress } = await deployContract(own, { currentOwnerAddress: owner.address });
    await deployForwarder(own);

    const mint = {
      chainId: '43114',
      contractAddress,
      receiverAddress: holder.address,
      tokenId: '1',
      metadataId: await createMetadata(own),
      from: owner.address,
    };
    const mintSignature = await own.post('/minting/signature', { ...mint, privateKey: owner.privateKey });
    expect(mintSignature.body.forwarderAddress).toBe(trusted);
    const minted = await own.post('/minting/relay', { ...mint, signature: mintSignature.body.signature });
    expect(minted.status).toBe(201);
    expect(await own.until(`/minting/${minted.body.id}`, ENDED)).toMatchObject({ status: 'CONFIRMED' });

    const transfer = { contractAddress, to: receiverAddress, tokenId: '1' } as const;
    const signed = signedTransfer(holder, trusted, transfer, { nonce: 0 });
    const { domain, signature } = (
      await own.post('/transfer/signature', {
        chainId: '43114',
        ...transfer,
        from: holder.address,
        privateKey: holder.privateKey,
      })
    ).body;
    expect([domain.verifyingContract, signature]).toEqual([trusted, signed.signature]);
    const moved = await own.post('/transfer/execute', signed);
    expect(moved.status).toBe(201);
    expect(await own.until(`/transfer/${moved.body.id}`, ENDED)).toMatchObject({ status: 'CONFIRMED' });
  });

  it('is one order and one transfer when posted ten times concurrently, and again later', async () => {
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

    // Another spelling of the same request: without the nonce, and with v as some wallets encode it.
    const { forwarderNonce: _, ...bare } = body;
    const v = body.signature.endsWith('1b') ? '00' : '01';
    const again = await execute({ ...bare, signature: `${body.signature.slice(0, -2)}${v}` });
    expect([again.status, again.body]).toEqual([200, order]);
    const another = await execute({ ...body, to: newSigner().address });
    expect(Object.keys(issuesOf(another)).toSorted()).toEqual(['forwarderNonce', 'from', 'signature']);
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

  it('is one order when posted twice, and a node delays one until the other is CONFIRMED', async () => {
    const { holder, tokens } = await holderOf(1);
    const transfer = { contractAddress: collection, to: receiverAddress as Address, tokenId: tokens[0] ?? '' };
    const body = signedTransfer(holder, forwarder, transfer, { nonce: 0 });
    const { late } = await postLate(holder.address, () => execute(body));
    const order = await ended(await execute(body));
    expect(order).toMatchObject({ status: 'CONFIRMED' });
    const { status, body: second } = await late;
    expect([status, second]).toEqual([200, order]);
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

  it('is executed in order with the next one of the same signer when both arrive together', async () => {
    const { holder, tokens } = await holderOf(2);
    const bodies = tokens.map((tokenId, nonce) =>
      signedTransfer(holder, forwarder, { contractAddress: collection, to: receiverAddress, tokenId }, { nonce }),
    );
    // The later one first: it must still be accepted.
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

  it('is executed in a sequence of six, relayed by several accounts, including a mint', async () => {
    const { holder, tokens } = await holderOf(5);
    const other = await newClient();
    const permissive = await startOtherWorker({
      ALLOW_FOREIGN_CONTRACTS: 'true',
      TRUSTED_FORWARDER_ADDRESS_43114: forwarder,
    });
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
    const relayedBodies = bodies.map((body) => ({ ...body, ercStandard: '721', forwarderAddress: forwarder }));
    // The first request of a Worker takes longer than the others wait for it.
    const warmUp = { ...relayedBodies[1], signature: signed.body.signature };
    expect((await permissive.post(other, '/transfer/execute', warmUp)).status).toBe(400);
    const [minted, ...replies] = await Promise.all([
      client.post('/minting/relay', { ...mint, signature: signed.body.signature }),
      ...relayedBodies.map((relayed, index) => {
        return index % 2 === 0
          ? client.post('/transfer/execute', relayed)
          : permissive.post(other, '/transfer/execute', relayed);
      }),
    ]);
    expect([minted.status, ...replies.map(({ status }) => status)]).toEqual(Array(6).fill(201));
    expect(await client.until(`/minting/${minted.body.id}`, ENDED)).toMatchObject({ status: 'CONFIRMED' });
    for (const [index, reply] of replies.entries()) {
      const order = await (index % 2 === 0 ? client : other).until(`/transfer/${reply.body.id}`, ENDED);
      expect(order).toMatchObject({ status: 'CONFIRMED', errorMessage: null });
    }
    expect(await nonceOf(forwarder, holder.address)).toBe(6);
    await permissive.stop();
  });
});

describe('a transfer is refused with 400 before anything is stored', () => {
  let holder: Signer;
  let tokens: string[];
  const to: Address = receiverAddress;
  const transferOf = (index: number): Transfer => ({
    contractAddress: collection,
    to,
    tokenId: tokens[index] ?? '',
  });
  const signed = (index: number, nonce = 1, gas = 500_000) =>
    signedTransfer(holder, forwarder, transferOf(index), { nonce, gas });

  beforeAll(async () => {
    ({ holder, tokens } = await holderOf(3));
    // One token is moved, so that there is a used nonce.
    await client.until(`/transfer/${(await execute(signed(0, 0))).body.id}`, ['CONFIRMED']);
  });

  it.each([
    [
      'a forged signature',
      () => ({ signature: signedTransfer(newSigner(), forwarder, transferOf(1), { nonce: 1 }).signature }),
    ],
    ['bytes that are no signature', () => ({ signature: `0x${'00'.repeat(65)}` })],
    ['another recipient', () => ({ to: newSigner().address })],
    ['another token', () => ({ tokenId: tokens[2] })],
    ['another gas limit', () => ({ gasLimit: 400_000 })],
  ])('%s: the signature does not fit', async (_, change) => {
    const faults = issuesOf(await execute({ ...signed(1), ...change() }));
    expect(Object.keys(faults)).toEqual(['signature']);
    expect(faults['signature']).toContain('does not recover to from for this request');
    expect(faults['signature']).toContain('nonce 1');
  });

  it('another contract, chain or forwarder: the signature does not match', async () => {
    const twin = await deployContract(client, { trustedForwarder: forwarder });
    expect(issuesOf(await execute({ ...signed(1), contractAddress: twin.contractAddress }))).toHaveProperty(
      'signature',
    );
    const elsewhere = await deployForwarder(client);
    const faults = issuesOf(await execute({ ...signed(1), forwarderAddress: elsewhere }));
    expect(Object.keys(faults).toSorted()).toEqual(['forwarderAddress', 'forwarderNonce', 'signature']);
    expect(faults['forwarderAddress']).toContain(`does not trust the forwarder ${elsewhere}`);
  });

  it('a used nonce, given or implied, and one that is too high', async () => {
    const old = { ...signed(1, 0), forwarderAddress: forwarder };
    const message = 'is stale: expected 1, given 0';
    expect(issuesOf(await execute(old))).toEqual({ forwarderNonce: message });
    const { forwarderNonce: _, ...unnamed } = old;
    expect(issuesOf(await execute(unnamed))).toEqual({
      forwarderNonce: `${message} (the nonce that was signed)`,
    });
    const early = { ...signed(1, 2), forwarderAddress: forwarder };
    expect(issuesOf(await execute(early))).toEqual({ forwarderNonce: 'is too high: expected 1, given 2' });
  });

  it('a wrong holder, a token that does not exist, more units than the holder has', async () => {
    const otherSigner = newSigner();
    const foreignTransfer = signedTransfer(otherSigner, forwarder, transferOf(1), { nonce: 0 });
    expect(issuesOf(await execute({ ...foreignTransfer, forwarderAddress: forwarder }))).toEqual({
      from: `is not the holder of token ${tokens[1]}: ${holder.address} is`,
    });
    const nothing = signedTransfer(
      holder,
      forwarder,
      { contractAddress: collection, to, tokenId: '999999' },
      { nonce: 1 },
    );
    expect(issuesOf(await execute({ ...nothing, forwarderAddress: forwarder }))).toEqual({
      tokenId: expect.stringMatching(/^has no holder: ERC721NonexistentToken\(999999\): there is no such token/),
    });
    const few = await holderOfUnits(2);
    const many = { contractAddress: units, to, tokenId: few.tokenId, amount: 3 };
    expect(
      issuesOf(
        await execute({ ...signedTransfer(few.holder, forwarder, many, { nonce: 0 }), forwarderAddress: forwarder }),
      ),
    ).toEqual({ amount: `is more than the balance: from holds 2 of token ${few.tokenId}` });
    expect(
      issuesOf(
        await execute({ ...signedTransfer(otherSigner, forwarder, many, { nonce: 0 }), forwarderAddress: forwarder }),
      ),
    ).toEqual({ from: `is not a holder of token ${few.tokenId}` });
  });

  it('a forwarder that the contract does not trust, an address that is not a forwarder, one that is not a contract', async () => {
    const untrusting = await deployContract(client, { trustedForwarder: zeroAddress });
    const transfer = { contractAddress: untrusting.contractAddress, to, tokenId: '1' };
    const faults = issuesOf(
      await execute({ ...signedTransfer(holder, forwarder, transfer, { nonce: 1 }), forwarderAddress: forwarder }),
    );
    expect(Object.keys(faults)).toEqual(['forwarderAddress', 'tokenId']);
    expect(faults['forwarderAddress']).toContain('does not trust the forwarder');
  });

  it("a contract or a forwarder that is not one of the account's, which would pay for whatever it does", async () => {
    const other = await newClient();
    const foreignForwarder = await deployForwarder(other);
    const foreign = await deployContract(other, { trustedForwarder: foreignForwarder });
    for (const forwarderAddress of [receiverAddress, foreignForwarder]) {
      const faults = issuesOf(await execute({ ...signed(1), forwarderAddress }), 404);
      expect(faults).toEqual({
        forwarderAddress: `is neither a configured forwarder nor an ACTIVE one of the account's: ${forwarderAddress}`,
      });
    }
    for (const contractAddress of [newSigner().address, foreign.contractAddress]) {
      const transfer = { contractAddress, to, tokenId: '1' };
      const body = { ...signedTransfer(holder, forwarder, transfer, { nonce: 1 }), forwarderAddress: forwarder };
      const refused = await execute({ ...body, ercStandard: '721' });
      expect(refused.status).toBe(404);
      expect(refused.body.errors).toContainEqual({
        path: 'contractAddress',
        code: 'not_found',
        message: expect.stringContaining("is not one of the account's ACTIVE contracts: 0x"),
      });
    }
  });

  it('all errors at once', async () => {
    const faults = issuesOf(
      await execute({
        ...signedTransfer(newSigner(), forwarder, transferOf(0), { nonce: 0 }),
        from: holder.address,
        amount: 2,
        ercStandard: '1155',
        forwarderAddress: forwarder,
      }),
    );
    expect(Object.keys(faults).toSorted()).toEqual(['amount', 'ercStandard', 'forwarderNonce', 'from', 'signature']);
  });

  it('every malformed field', async () => {
    const faults = issuesOf(
      await execute({
        chainId: '43114',
        contractAddress: '0x12',
        tokenId: '-1',
        amount: 0,
        from: 'nobody',
        to: zeroAddress,
        signature: '0x1234',
        gasLimit: 29_999,
        forwarderNonce: 'one',
      }),
    );
    expect(Object.keys(faults).toSorted()).toEqual([
      'amount',
      'contractAddress',
      'forwarderNonce',
      'from',
      'gasLimit',
      'signature',
      'to',
      'tokenId',
    ]);
    expect(issuesOf(await execute({ ...signed(1), gasLimit: 1_000_001 }))['gasLimit']).toBe('must be at most 1000000');
    expect(issuesOf(await execute({ ...signed(1), chainId: '1' }))['chainId']).toBe('must be one of 43114, 43113');
  });

  it('a certificate, which is not transferable; a missing forwarder', async () => {
    const certificates = await deployContract(client, { trustedForwarder: forwarder, contractType: 'certificate' });
    const transfer = { contractAddress: certificates.contractAddress, to, tokenId: '1' };
    const body = { ...signedTransfer(holder, forwarder, transfer, { nonce: 1 }), forwarderAddress: forwarder };
    expect(issuesOf(await execute(body))['contractAddress']).toContain('is a certificate contract');
    const other = await newClient();
    const { forwarderAddress: _, ...unnamed } = { ...body, ercStandard: '721' };
    expect(issuesOf(await other.post('/transfer/execute', unnamed), 404)['forwarderAddress']).toContain(
      'is required: there is no setting TRUSTED_FORWARDER_ADDRESS_43114, and the account has no ACTIVE forwarder',
    );
  });

  it('after all of these, nothing is stored and the next nonce is still free', async () => {
    const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
    await database.connect();
    const { rows } = await database.query('select count(*)::int as orders from transfer_orders where "from" = $1', [
      holder.address,
    ]);
    await database.end();
    expect(rows).toEqual([{ orders: 1 }]);
    expect(await ended(await execute({ ...signed(1), forwarderAddress: forwarder }))).toMatchObject({
      status: 'CONFIRMED',
    });
  });
});

describe('an accepted transfer that cannot be executed', () => {
  afterEach(() => setFaults(stack.proxies['43114'], []));

  it("is FAILED with the contract's error, uses no nonce, and makes later ones of its signer fail", async () => {
    const { holder, tokens } = await holderOf(2);
    // A token contract accepts no tokens: the transfer passes every check of the request, and reverts.
    const refusing = units;
    const sent = await chain.getTransactionCount({ address: client.account.walletAddress });
    const bodies = [refusing, receiverAddress as Address].map((to, nonce) => ({
      ...signedTransfer(
        holder,
        forwarder,
        { contractAddress: collection, to, tokenId: tokens[nonce] ?? '' },
        { nonce },
      ),
      forwarderAddress: forwarder,
    }));
    // The first is delayed, so that the second is accepted while it is in progress.
    await setFaults(stack.proxies['43114'], [
      { match: (bodies[0]?.signature ?? '').slice(2), effect: 'refuse', times: 1_000 },
    ]);
    const replies = await Promise.all(bodies.map(execute));
    expect(replies.map(({ status }) => status)).toEqual([201, 201]);
    await client.until(`/transfer/${replies[0]?.body.id}`, ['PROCESSING']);
    expect((await client.get(`/transfer/${replies[1]?.body.id}`)).body.status).toBe('PENDING');
    await setFaults(stack.proxies['43114'], []);
    const [first, second] = await Promise.all(replies.map(ended));
    expect(first).toMatchObject({ status: 'FAILED', txHash: null, transferGasUsed: null });
    expect(first?.['errorMessage']).toBe(
      `Reverted: ERC721InvalidReceiver(${getAddress(refusing)}): the receiver is a contract that does not accept tokens`,
    );
    expect(second).toMatchObject({ status: 'FAILED', txHash: null });
    expect(second?.['errorMessage']).toBe(
      `The earlier request, order ${replies[0]?.body.id}, of the same signer was not executed: the forwarder expects nonce 0 from the signer, and this request has 1`,
    );
    await expectEvent('transfer.failed', first ?? {});
    expect(await chain.getTransactionCount({ address: client.account.walletAddress })).toBe(sent);
    expect(await nonceOf(forwarder, holder.address)).toBe(0);

    // The nonces can be used again: by another request, and by the failed one.
    const instead = signedTransfer(
      holder,
      forwarder,
      { contractAddress: collection, to: receiverAddress, tokenId: tokens[0] ?? '' },
      { nonce: 0 },
    );
    const [again, later] = await Promise.all([
      execute({ ...instead, forwarderAddress: forwarder }),
      execute(bodies[1]),
    ]);
    expect([again.status, later.status]).toEqual([201, 201]);
    expect(later.body.id).not.toBe(second?.['id']);
    expect((await Promise.all([ended(again), ended(later)])).map(({ status }) => status)).toEqual([
      'CONFIRMED',
      'CONFIRMED',
    ]);
  });

  it.each(['before it is mined', 'after its wallet nonce was used elsewhere'])(
    'is FAILED by its receipt, with the inner reason, its cost and its request used up, when the token moves away just %s',
    async (moment) => {
      const { holder, tokens } = await holderOf(1);
      const [tokenId = ''] = tokens;
      // Only raw transactions to the forwarder contain its address after this length byte.
      await setFaults(stack.proxies['43114'], [{ match: `94${forwarder.slice(2)}`, effect: 'refuse', times: 1_000 }]);
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
      await setFaults(stack.proxies['43114'], []);

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
      await setFaults(stack.proxies['43114'], [refused]);
      const transfer = { contractAddress: collection, to: receiverAddress as Address, tokenId };
      const body = signedTransfer(holder, forwarder, transfer, { nonce: 0 });
      const id = await storeTransfer(client, forwarder, body, new Date(Date.now() - hours * 3_600_000));
      await cleanUpAfter(6);
      await expect.poll(() => transactionState(id)).toBe('signed');
      const txHash = await bringOneself(forwarder, body);
      // Only those of the forwarder: the index of transfers reads others, and believes the only node.
      const match = ['eth_getLogs', forwarder.toLowerCase()];
      await setFaults(stack.proxies['43114'], [{ match, effect: 'hide-logs', times: 4 }]);
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

  it('waits for a node that does not show the earlier request yet, and fails if it never does', async () => {
    const { holder, tokens } = await holderOf(2);
    const [first, second] = tokens.map((tokenId, nonce) =>
      signedTransfer(holder, forwarder, { contractAddress: collection, to: receiverAddress, tokenId }, { nonce }),
    );
    if (first === undefined || second === undefined) throw new Error('Two were signed');
    const id = await storeTransfer(client, forwarder, second, new Date());
    await cleanUpAfter(6);
    await client.until(`/transfer/${id}`, ['PROCESSING']);
    await bringOneself(forwarder, first);
    expect(await client.until(`/transfer/${id}`, ENDED)).toMatchObject({ status: 'CONFIRMED' });

    const gap = { ...second, forwarderNonce: '5' };
    const old = await storeTransfer(client, forwarder, gap, new Date(Date.now() - 3_600_000));
    await cleanUpAfter(0);
    expect(await client.until(`/transfer/${old}`, ENDED)).toMatchObject({
      status: 'FAILED',
      errorMessage:
        'An earlier request of the same signer was not executed: the forwarder expects nonce 2 from the signer, and this request has 5',
    });
  });

  describe('behind a request of its signer in another account, which is paused,', () => {
    const ENDS = ['CONFIRMED', 'FAILED', 'CANCELLED'];
    let other: Client;
    let tokenId: string;
    let id: string;

    const pause = (action: 'pause' | 'resume') =>
      call(`/admin/accounts/${other.account.corporateId}/${action}`, {
        method: 'POST',
        headers: { 'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '' },
      });

    beforeEach(async () => {
      other = await newClient();
      await pause('pause');
      const { holder, tokens } = await holderOf(2);
      const [first, second] = tokens.map((token, nonce) =>
        signedTransfer(
          holder,
          forwarder,
          { contractAddress: collection, to: receiverAddress, tokenId: token },
          { nonce },
        ),
      );
      if (first === undefined || second === undefined) throw new Error('Two were signed');
      await storeTransfer(other, forwarder, first, new Date());
      tokenId = second.tokenId;
      id = (await execute({ ...second, forwarderAddress: forwarder })).body.id;
    });

    it('says what it waits for, and is executed when that has ended', async () => {
      const hold = {
        reason: 'EARLIER_REQUEST',
        detail: 'The request of the signer with nonce 0 comes first and has not ended',
        since: expect.any(String),
      };
      const { body } = await client.get(`/transfer/${id}`);
      expect(body).toMatchObject({ status: 'PENDING', hold });
      expect((await client.get('/transfer?limit=1')).body.items).toEqual([body]);
      await pause('resume');
      await cleanUpAfter(6);
      expect(await client.until(`/transfer/${id}`, ENDS)).toMatchObject({ status: 'CONFIRMED', hold: null });
    });

    it('is CANCELLED by its driver if the chain does not say at once whether a third party has executed it', async () => {
      const match = forwarder.slice(2).toLowerCase();
      await setFaults(stack.proxies['43114'], [{ match, effect: 'refuse', times: 10_000 }]);
      const { body } = await client.post('/transfer/cancel', { id });
      // Its driver may have taken it by then.
      expect(body).toMatchObject({ status: expect.stringMatching(/^P/), cancelRequestedAt: expect.any(String) });
      await setFaults(stack.proxies['43114'], []);
      expect(await client.until(`/transfer/${id}`, ENDS)).toMatchObject({ status: 'CANCELLED', hold: null });
    });

    it('is FAILED when its deadline has passed', async () => {
      const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
      await database.connect();
      await database.query("update forward_requests set deadline = now() - interval '1 second' where order_id = $1", [
        id,
      ]);
      await database.end();
      await cleanUpAfter(6);
      expect(await client.until(`/transfer/${id}`, ENDS)).toMatchObject({
        status: 'FAILED',
        errorMessage: expect.stringContaining('The deadline of the signed request has passed'),
      });
      expect(await ownerOf(tokenId)).not.toBe(receiverAddress);
    });
  });

  it('is executed even if its queue message was lost', async () => {
    const { holder, tokens } = await holderOf(1);
    const transfer = { contractAddress: collection, to: receiverAddress as Address, tokenId: tokens[0] ?? '' };
    const body = signedTransfer(holder, forwarder, transfer, { nonce: 0 });
    const id = await storeTransfer(client, forwarder, body, new Date());
    await cleanUpAfter(4);
    expect((await client.get(`/transfer/${id}`)).body.status).toBe('PENDING');
    await cleanUpAfter(6);
    expect(await client.until(`/transfer/${id}`, ENDED)).toMatchObject({ status: 'CONFIRMED' });
  });

  it('is not accepted while the chain does not respond: 502, without details of the node', async () => {
    const { holder, tokens } = await holderOf(1);
    const body = signedTransfer(
      holder,
      forwarder,
      { contractAddress: collection, to: receiverAddress, tokenId: tokens[0] ?? '' },
      { nonce: 0 },
    );
    await setFaults(stack.proxies['43114'], [
      { match: holder.address.slice(2).toLowerCase(), effect: 'refuse', times: 1 },
    ]);
    const refused = await execute({ ...body, forwarderAddress: forwarder });
    await setFaults(stack.proxies['43114'], []);
    expect(refused.status).toBe(502);
    expect(refused.body).toMatchObject({ statusCode: 502, message: 'The chain does not answer' });
    expect(JSON.stringify(refused.body)).not.toContain('127.0.0.1');
    expect(await ended(await execute({ ...body, forwarderAddress: forwarder }))).toMatchObject({ status: 'CONFIRMED' });
  });
});

/** Of the caller, and for the audit log. */
const ofEachRequest = ({ query }: { readonly query: string }) =>
  ['record-unchanged', 'find-accounts', 'store-tallies'].some((name) => query.includes(statementTagged(name)));

/**
 * Posts a body to a worker of its own.
 * @param before How often it is posted before.
 * @param again How it is posted then.
 * @returns the reply, and what it has asked of the database and of the chain.
 */
async function costOf(body: object, before = 0, path = '/transfer/execute', again = body) {
  const node = await startFaultProxy(stack.settings['RPC_URL_43114'] ?? '');
  const worker = await startOtherWorker({ RPC_URL_43114: node.url });
  const post = (signed = body) => worker.post(client, path, { ...signed, forwarderAddress: forwarder });
  await worker.post(client, path, {});
  for (let posted = 0; posted < before; posted += 1) await post();
  const all = [{ match: 'POST', effect: 'record', times: 1_000 }] as const;
  await Promise.all([setFaults(worker.database, all), setFaults(node.url, all)]);
  const reply = await post(again);
  const statements = await recordedBodies(worker.database, 'faults');
  const calls = (await recordedBodies(node.url, 'faults')).length;
  await worker.stop();
  await node.close();
  return { reply, queries: statements.filter((sent) => !statementsOf(sent).every(ofEachRequest)).length, calls };
}

/** A transfer whose nonce is 5, where 0 is the next. */
async function transferAhead() {
  const { holder, tokens } = await holderOf(1);
  const transfer = { contractAddress: collection, to: receiverAddress as Address, tokenId: tokens[0] ?? '' };
  return { path: '/transfer/execute', body: signedTransfer(holder, forwarder, transfer, { nonce: 5 }) };
}

/** The same of a mint. */
async function mintAhead() {
  const mint = {
    chainId: '43114',
    contractAddress: collection,
    receiverAddress,
    tokenId: String((lastToken += 1)),
    metadataId: await createMetadata(client),
    forwarderNonce: '5',
  };
  const { address, privateKey } = newSigner();
  const { body } = await client.post('/minting/signature', { ...mint, from: address, privateKey });
  return { path: '/minting/relay', body: { ...mint, from: address, signature: body.signature } };
}

describe('a signed request whose nonce is ahead costs', () => {
  it('one query and no wait if it is posted again once it is an order', async () => {
    const { holder, tokens } = await holderOf(1);
    const transfer = { contractAddress: collection, to: receiverAddress as Address, tokenId: tokens[0] ?? '' };
    const body = signedTransfer(holder, forwarder, transfer, { nonce: 5 });
    const id = await storeTransfer(client, forwarder, body, new Date());
    const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
    await database.connect();
    // The lane, which would ask more, is not woken.
    await database.query("update transfer_orders set status = 'PROCESSING' where id = $1", [id]);
    const { reply, ...cost } = await costOf(body);
    expect([reply.status, reply.body.id, cost]).toEqual([200, id, { queries: 1, calls: 0 }]);
    await database.query("update forward_requests set state = 'released' where order_id = $1", [id]);
    await database.query("update transactions set state = 'failed' where order_id = $1", [id]);
    await database.end();
  });

  it('few queries, and two looks at the chain, if the earlier ones never come', async () => {
    const { holder, tokens } = await holderOf(1);
    const transfer = { contractAddress: collection, to: receiverAddress as Address, tokenId: tokens[0] ?? '' };
    const { reply, queries, calls } = await costOf(signedTransfer(holder, forwarder, transfer, { nonce: 5 }));
    expect(issuesOf(reply)).toEqual({ forwarderNonce: 'is too high: expected 0, given 5' });
    expect(queries).toBeLessThanOrEqual(12);
    expect(calls).toBeLessThanOrEqual(4);
  });

  it.each([
    ['a transfer', transferAhead],
    ['a mint', mintAhead],
  ])(
    'one query and one look at the chain if it is posted again after it has been waited for in vain: %s',
    async (_, ahead) => {
      const { path, body } = await ahead();
      const { reply, ...cost } = await costOf(body, 1, path);
      expect(issuesOf(reply)).toEqual({ forwarderNonce: 'is too high: expected 0, given 5' });
      expect(cost).toEqual({ queries: 1, calls: 1 });
    },
  );

  it('no more if its addresses are spelt in another way', async () => {
    const { path, body } = await transferAhead();
    const lower = Object.entries(body).map(([name, value]) => [name, String(value).toLowerCase()]);
    const { reply, ...cost } = await costOf(body, 1, path, Object.fromEntries(lower));
    expect(issuesOf(reply)).toEqual({ forwarderNonce: 'is too high: expected 0, given 5' });
    expect(cost).toEqual({ queries: 1, calls: 1 });
  });

  it('as much as any other if something else than its nonce has changed', async () => {
    const { path, body } = await transferAhead();
    const early = { ...body, forwarderAddress: forwarder };
    const refusal = { forwarderNonce: 'is too high: expected 0, given 5' };
    expect(issuesOf(await client.post(path, early))).toEqual(refusal);
    expect(issuesOf(await client.post(path, { ...early, ercStandard: '1155' }))).toEqual({
      ...refusal,
      ercStandard: 'must be absent or 721, the standard of this contract',
    });
    expect(issuesOf(await (await newClient()).post(path, early), 404)).toHaveProperty('contractAddress');
  });

  it('nothing more once its turn has come, through an order or without one: it is accepted', async () => {
    const { holder, tokens } = await holderOf(3);
    const [first, second, third] = tokens.map((tokenId, nonce) => ({
      ...signedTransfer(holder, forwarder, { contractAddress: collection, to: receiverAddress, tokenId }, { nonce }),
      forwarderAddress: forwarder,
    }));
    if (first === undefined || second === undefined || third === undefined) throw new Error('Three were signed');
    expect([(await execute(second)).status, (await execute(third)).status]).toEqual([400, 400]);
    await bringOneself(forwarder, first);
    const accepted = [await execute(second), await execute(third)];
    expect(accepted.map(({ status }) => status)).toEqual([201, 201]);
    const repeated = await execute(third);
    expect([repeated.status, repeated.body.id]).toEqual([200, accepted[1]?.body.id]);
    for (const reply of accepted) expect(await ended(reply)).toMatchObject({ status: 'CONFIRMED' });
  });
});

describe('a transfer order', () => {
  it('is visible only to its own account, by id and by transaction', async () => {
    const { holder, tokens } = await holderOf(1);
    const transfer = { contractAddress: collection, to: receiverAddress as Address, tokenId: tokens[0] ?? '' };
    const body = { ...signedTransfer(holder, forwarder, transfer, { nonce: 0 }), forwarderAddress: forwarder };
    const order = await ended(await execute(body));
    const other = await newClient();
    for (const path of [`/transfer/${String(order['id'])}`, `/transfer/by-tx/${String(order['txHash'])}`]) {
      expect((await client.get(path)).body).toEqual(order);
      expect((await other.get(path)).status).toBe(404);
    }
    // For another account, the same signed request is not the same order.
    const foreign = await other.post('/transfer/execute', { ...body, ercStandard: '721' });
    expect(issuesOf(foreign, 404)['contractAddress']).toMatch(/^is not one of the account's ACTIVE contracts: 0x/);
    expect((await client.get(`/transfer/by-tx/0x${'00'.repeat(32)}`)).status).toBe(404);
    expect((await client.get('/transfer/by-tx/0x12')).status).toBe(400);
    expect((await client.get(`/transfer/${'0'.repeat(24)}`)).status).toBe(404);
  });
});
