import { Client as Postgres } from 'pg';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Address, Hex } from 'viem';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import {
  call,
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
import { startOtherWorker } from '../fixtures/other-worker.ts';
import { recordedBodies, setFaults, startFaultProxy, statementTagged, statementsOf } from '../fixtures/fault-proxy.ts';
import {
  bringOneself,
  deployForwarder,
  newHolder,
  newSigner,
  newTokenId,
  nonceOf,
  signedTransfer,
  storeTransfer,
} from '../fixtures/gasless.ts';

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

describe('a transfer signed by the holder', () => {
  afterEach(() => setFaults(stack.proxies['43114'], [], 'order'));

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

  it('is FAILED once it has long been held behind a request of its signer that a limit of another account holds', async () => {
    const other = await newClient();
    const limits = { spend: { 43114: { perOrder: '0.000000000000000001' } } };
    await call(`/admin/accounts/${other.account.corporateId}/limits`, {
      method: 'PUT',
      headers: { 'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '', 'content-type': 'application/json' },
      body: JSON.stringify(limits),
    });
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
    const held = await storeTransfer(other, forwarder, first, new Date());
    await cleanUpAfter(6);
    await expect.poll(async () => (await other.get(`/transfer/${held}`)).body.hold?.reason).toBe('LIMIT');
    const { id } = (await execute({ ...second, forwarderAddress: forwarder })).body;
    const detail = 'An earlier request of the signer is under way';
    await expect
      .poll(async () => (await client.get(`/transfer/${id}`)).body.hold)
      .toMatchObject({ reason: 'NOT_NOW', detail });
    const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
    await database.connect();
    await database.query(
      "update orders set held_since = now() - interval '25 hours', next_try_at = now() where order_id = $1",
      [id],
    );
    await database.end();
    await cleanUpAfter(6);
    expect(await client.until(`/transfer/${id}`, ENDED)).toMatchObject({ status: 'FAILED', errorMessage: detail });
    expect((await other.get(`/transfer/${held}`)).body).toMatchObject({ status: 'PROCESSING' });
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
      await setFaults(stack.proxies['43114'], [{ match, effect: 'refuse', times: 10_000 }], 'order');
      const { body } = await client.post('/transfer/cancel', { id });
      // Its driver may have taken it by then.
      expect(body).toMatchObject({ status: expect.stringMatching(/^P/), cancelRequestedAt: expect.any(String) });
      await setFaults(stack.proxies['43114'], [], 'order');
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
    tokenId: newTokenId(),
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
    await database.query('update orders set claimed_at = now() where id = $1', [id]);
    const { reply, ...cost } = await costOf(body);
    expect([reply.status, reply.body.id, cost]).toEqual([200, id, { queries: 1, calls: 0 }]);
    await database.query("update forward_requests set state = 'released' where order_id = $1", [id]);
    await database.query("update orders set state = 'failed' where order_id = $1", [id]);
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
