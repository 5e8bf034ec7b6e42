import { Client as Postgres } from 'pg';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { formatEther, getAddress, zeroAddress, type Address, type Hex } from 'viem';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import {
  chainClient,
  cleanUpAfter,
  createMetadata,
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
  deployForwarder,
  newHolder,
  newSigner,
  newTokenId,
  nonceOf,
  signedBurn,
  signedTransfer,
  storeTransfer,
  type Signer,
  type Transfer,
} from '../fixtures/gasless.ts';
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

const holderOf = (count: number) => newHolder(client, collection, count);

/** A holder without coins who has `amount` units of a new id of the ERC-1155 contract. */
async function holderOfUnits(amount: number): Promise<{ holder: Signer; tokenId: string }> {
  const holder = newSigner();
  const tokenId = newTokenId();
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

  it('moves one unit of an ERC-1155 token if it names no amount', async () => {
    const { holder, tokenId } = await holderOfUnits(2);
    const transfer = { contractAddress: units, to: receiverAddress as Address, tokenId, amount: 1 };
    const { amount: _, ...signed } = signedTransfer(holder, forwarder, transfer, { nonce: 0 });
    const accepted = await execute(signed);
    expect([accepted.status, accepted.body.amount]).toEqual([201, 1]);
    expect(await ended(accepted)).toMatchObject({ status: 'CONFIRMED' });
    expect(await balanceOf(holder.address, tokenId)).toBe(1n);
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
    const { rows } = await database.query(
      `select count(*)::int as orders from orders where resource = 'transfer-orders' and holder_address = $1`,
      [holder.address],
    );
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

  it('is executed even if its queue message was lost', async () => {
    const { holder, tokens } = await holderOf(1);
    const transfer = { contractAddress: collection, to: receiverAddress as Address, tokenId: tokens[0] ?? '' };
    const body = signedTransfer(holder, forwarder, transfer, { nonce: 0 });
    const id = await storeTransfer(client, forwarder, body, new Date());
    await cleanUpAfter(6);
    expect(await client.until(`/transfer/${id}`, ENDED)).toMatchObject({ status: 'CONFIRMED' });
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

describe('the trusted forwarder of a new contract', () => {
  it('may belong to another account, or be absent', async () => {
    const other = await newClient();
    const deployed = await deployContract(other, { trustedForwarder: forwarder });
    expect(deployed['trustedForwarder']).toBe(forwarder);
    expect((await deployContract(client, { trustedForwarder: zeroAddress }))['trustedForwarder']).toBe(zeroAddress);
  });
});

describe('a burn signed by the holder', () => {
  it("destroys the token of a wallet without coins, at the account's expense", async () => {
    const { holder, tokens } = await holderOf(1);
    const [tokenId = ''] = tokens;
    const { body } = signedBurn(holder, forwarder, { contractAddress: collection, tokenId }, { nonce: 0 });
    const accepted = await client.post('/burn/execute', body);
    expect([accepted.status, accepted.body.status]).toEqual([201, 'PENDING']);
    const order = await client.until(`/burn/${accepted.body.id}`, ENDED);
    expect(order).toMatchObject({ status: 'CONFIRMED', errorMessage: null });
    await expect(ownerOf(tokenId)).rejects.toThrow('ERC721NonexistentToken');
    const { from } = await chain.getTransaction({ hash: order['txHash'] as Hex });
    expect(getAddress(from)).toBe(client.account.walletAddress);
    expect(await chain.getBalance({ address: holder.address })).toBe(0n);
  });
});
