import { beforeAll, describe, expect, it } from 'vitest';
import { type Address, zeroAddress } from 'viem';
import { withBuiltWorker, type BuiltWorker } from '../fixtures/built-worker.ts';
import { deployContract, newClient, receiverAddress, stack, type Client } from '../fixtures/client.ts';
import { deployForwarder, newSigner, signedTransfer } from '../fixtures/gasless.ts';

/** The key that this file's server may sign with. */
const developer = newSigner();
const holder = newSigner();

let client: Client;
let forwarder: Address;
let unsigned: Record<string, unknown>;

/** A second Worker with other settings on the same database and chains, which only serves requests. */
const withSettings = (settings: Record<string, string>, use: (other: Client, worker: BuiltWorker) => Promise<void>) =>
  withBuiltWorker(stack.worker, { ...stack.settings, ...settings }, (worker) => use(client.at(worker.url), worker));

beforeAll(async () => {
  client = await newClient();
  forwarder = await deployForwarder(client);
  const { contractAddress } = await deployContract(client, { trustedForwarder: forwarder });
  unsigned = { chainId: '43114', contractAddress, tokenId: '3', from: holder.address, to: receiverAddress };
});

describe('with TRANSFER_TEST_SIGNATURE=true', () => {
  it('a transfer is signed with the key in the body, as a wallet would sign it', async () => {
    const { status, body } = await client.post('/transfer/signature', { ...unsigned, privateKey: holder.privateKey });
    expect(status).toBe(200);
    const transfer = {
      contractAddress: unsigned['contractAddress'] as Address,
      to: receiverAddress,
      tokenId: '3',
    } as const;
    expect(body).toEqual({
      domain: { name: 'MinimalForwarder', version: '1.0', chainId: 43_114, verifyingContract: forwarder },
      types: {
        ForwardRequest: [
          { name: 'from', type: 'address' },
          { name: 'to', type: 'address' },
          { name: 'value', type: 'uint256' },
          { name: 'gas', type: 'uint256' },
          { name: 'nonce', type: 'uint256' },
          { name: 'data', type: 'bytes' },
        ],
      },
      request: {
        from: holder.address,
        to: unsigned['contractAddress'],
        value: '0',
        gas: '500000',
        nonce: '0',
        data: expect.stringMatching(/^0x42842e0e[0-9a-f]{192}$/),
      },
      signature: signedTransfer(holder, forwarder, transfer, { nonce: 0 }).signature,
    });
  });

  it('a note changes nothing', async () => {
    const body = { ...unsigned, privateKey: holder.privateKey };
    const noted = await client.post('/transfer/signature', { ...body, note: 'For my sister' });
    const plain = await client.post('/transfer/signature', body);
    expect([noted.status, noted.body]).toEqual([200, plain.body]);
  });

  it('nothing is signed for a contract that was deployed without a trusted forwarder', async () => {
    const { contractAddress } = await deployContract(client, { trustedForwarder: zeroAddress });
    const fields = { ...unsigned, contractAddress, privateKey: holder.privateKey };
    const message = `cannot be chosen: the contract ${contractAddress} was deployed without a trusted forwarder`;
    const { status, body } = await client.post('/transfer/signature', fields);
    expect([status, body.errors]).toEqual([400, [{ path: 'forwarderAddress', code: expect.any(String), message }]]);
  });

  it('a key is required, and it must be that of `from`; no reply repeats it', async () => {
    const none = await client.post('/transfer/signature', unsigned);
    expect([none.status, none.body.errors]).toEqual([
      400,
      [
        {
          path: 'privateKey',
          code: 'required',
          message: 'is required: the server has no development key to sign with (LOCAL_DEV_PRIVATE_KEY)',
        },
      ],
    ]);
    const keys: [string, string][] = [
      [newSigner().privateKey, 'is not the key of from'],
      [`0x${'00'.repeat(32)}`, 'is not a valid secp256k1 private key'],
      [`0x${'ff'.repeat(32)}`, 'is not a valid secp256k1 private key'],
      ['0x1234567890', 'must be a private key: 0x and 64 hex digits'],
    ];
    for (const [privateKey, message] of keys) {
      const { status, body } = await client.post('/transfer/signature', { ...unsigned, privateKey });
      expect([status, body.errors]).toEqual([400, [{ path: 'privateKey', code: expect.any(String), message }]]);
      expect(JSON.stringify(body)).not.toContain(privateKey.slice(2));
    }
  });
});

describe('other settings', () => {
  it('the development key signs if the body has none, for the configured forwarder; no key is logged', async () => {
    const setting = newSigner().address;
    const keys = { LOCAL_DEV_PRIVATE_KEY: developer.privateKey, TRUSTED_FORWARDER_ADDRESS_43114: forwarder };
    await withSettings(keys, async (other, worker) => {
      const signed = await other.post('/transfer/signature', { ...unsigned, from: developer.address });
      expect(signed.status).toBe(200);
      expect(signed.body).toMatchObject({
        domain: { verifyingContract: forwarder },
        request: { from: developer.address },
      });
      const refused = await other.post('/transfer/signature', unsigned);
      expect([refused.status, refused.body['errors']]).toEqual([
        400,
        [
          {
            path: 'privateKey',
            code: 'required',
            message: 'is required: the server has a development key, and it is not the key of from',
          },
        ],
      ]);
      const ours = await other.post('/transfer/signature', {
        ...unsigned,
        privateKey: holder.privateKey,
        forwarderAddress: setting,
      });
      expect(ours.status).toBe(404);
      const own = await other.post('/transfer/signature', { ...unsigned, privateKey: holder.privateKey });
      expect(own.status).toBe(200);
      const log = worker.log();
      expect(log).toContain('/transfer/signature');
      for (const { privateKey } of [developer, holder]) expect(log).not.toContain(privateKey.slice(2));
    });
  });

  it('without TRANSFER_TEST_SIGNATURE both routes reply 403 to authenticated callers, whatever the body', async () => {
    await withSettings({ TRANSFER_TEST_SIGNATURE: 'false' }, async (other) => {
      for (const path of ['/transfer/signature', '/minting/signature']) {
        for (const body of [{ ...unsigned, privateKey: holder.privateKey }, {}]) {
          const closed = await other.post(path, body);
          expect([closed.status, closed.body['message']]).toEqual([
            403,
            'Signing on the server is for tests: TRANSFER_TEST_SIGNATURE is not true',
          ]);
        }
        expect((await other.post(path, {}, { 'x-api-key': 'wrong' })).status).toBe(401);
      }
      expect((await other.post('/transfer/execute', {})).status).toBe(400);
    });
  });
});
