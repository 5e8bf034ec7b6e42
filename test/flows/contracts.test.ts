import { Client as Postgres } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { keccak256, toHex, zeroAddress, type Address } from 'viem';
import { standard721 as standard721Artifact } from '../../contracts/artifacts/Standard721.ts';
import {
  chainClient,
  cleanUpAfter,
  createMetadata,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
} from '../fixtures/client.ts';
import { setFaults } from '../fixtures/fault-proxy.ts';
import { CLAIMS_EVERYTHING, setCode } from '../fixtures/foreign-contract.ts';
import { deployForwarder, newSigner } from '../fixtures/gasless.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';

let client: Client;
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
  client = await newClient({ webhookUrl: receiver.url });
});

const otherWallet: Address = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';

/** Mints one token (ten units for an ERC-1155 contract) and waits for it. */
async function mintOne(contract: { contractAddress: Address }, fields: Record<string, unknown>) {
  const accepted = await client.post('/minting/order', {
    chainId: '43114',
    contractAddress: contract.contractAddress,
    receiverAddress,
    tokenId: '5',
    ...fields,
  });
  expect(accepted.body).toMatchObject({ status: 'PENDING' });
  expect(await client.until(`/minting/${accepted.body.id}`, ['CONFIRMED', 'FAILED'])).toMatchObject({
    status: 'CONFIRMED',
  });
}

const read = (contractAddress: string, method: string, args: unknown[] = [], more: Record<string, unknown> = {}) =>
  client.post('/contracts/read', { chainId: '43114', contractAddress, method, args, ...more });

describe('POST /contracts/deploy', () => {
  it('fills in the defaults and returns them', async () => {
    const contract = await deployContract(client, { royaltyFeeBps: 250 });
    expect(contract).toMatchObject({
      chainId: '43114',
      currentOwnerAddress: client.account.walletAddress,
      royaltyReceiver: client.account.walletAddress,
      royaltyFeeBps: 250,
      metadataBaseUri: 'http://service.test/metadata',
      contractType: 'standard',
      status: 'ACTIVE',
      corporateId: client.account.corporateId,
    });
    const receipt = await chainClient().getTransactionReceipt({ hash: contract['deployTxHash'] as `0x${string}` });
    expect(contract['deployGasUsed']).toBe(receipt.gasUsed.toString());
    expect(await chainClient().getCode({ address: contract.contractAddress })).toBeDefined();
  });

  it('reports every input error at once', async () => {
    const { status, body } = await client.post('/contracts/deploy', {
      chainId: 'main',
      name: 'x'.repeat(51),
      symbol: 'NINECHARS',
      ercStandard: '20',
      currentOwnerAddress: '0x123',
      royaltyFeeBps: 10_001,
      metadataBaseUri: 'ftp://nope',
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ statusCode: 400, message: 'Validation failed', path: '/contracts/deploy' });
    expect(body.errors.map(({ path }: { path: string }) => path).toSorted()).toEqual([
      'chainId',
      'contractType',
      'currentOwnerAddress',
      'ercStandard',
      'metadataBaseUri',
      'name',
      'royaltyFeeBps',
      'symbol',
    ]);
  });

  it('refuses a type that is neither standard nor certificate', async () => {
    const deployment = { name: 'a', symbol: 'a', ercStandard: '721', contractType: 'voucher' };
    const { status, body } = await client.post('/contracts/deploy', deployment);
    expect([status, body.errors.map(({ path }: { path: string }) => path)]).toEqual([400, ['contractType']]);
  });

  it('refuses an ownership transfer that the wallet cannot make: from another owner, or to the zero address', async () => {
    const deployment = { name: 'a', symbol: 'a', ercStandard: '721', contractType: 'standard' };
    const foreign = await client.post('/contracts/deploy', {
      ...deployment,
      currentOwnerAddress: otherWallet,
      transferOwnerAddress: otherWallet,
    });
    expect([foreign.status, foreign.body.errors.map(({ path }: { path: string }) => path)]).toEqual([
      400,
      ['currentOwnerAddress'],
    ]);
    const nobody = await client.post('/contracts/deploy', { ...deployment, transferOwnerAddress: zeroAddress });
    expect([nobody.status, nobody.body.errors.map(({ path }: { path: string }) => path)]).toEqual([
      400,
      ['transferOwnerAddress'],
    ]);
  });

  it('pays royalties to the first owner by default, in the record and on chain', async () => {
    // The wallet's address in any case.
    const currentOwnerAddress = client.account.walletAddress.toLowerCase();
    const { _id, contractAddress, royaltyReceiver } = await deployContract(client, {
      currentOwnerAddress,
      transferOwnerAddress: otherWallet,
      royaltyFeeBps: 100,
    });
    expect(royaltyReceiver).toBe(currentOwnerAddress);
    const [beneficiary] = await chainClient().readContract({
      ...standard721Artifact,
      address: contractAddress,
      functionName: 'royaltyInfo',
      args: [1n, 10_000n],
    });
    expect(beneficiary).toBe(client.account.walletAddress);
    // The next test compares the wallet's balance: this transfer must have been paid for by then.
    await client.until(`/contracts/transfer-ownership/${_id}`, ['CONFIRMED']);
  });

  it.each([
    ['to the given receiver', { royaltyFeeBps: 250 }, 250, 25n],
    ['of nothing without a fee', {}, 0, 0n],
  ])('pays royalties %s, in the record and on chain', async (_, fields, fee, amount) => {
    const contract = await deployContract(client, { royaltyReceiver: otherWallet, ...fields });
    const { contractAddress, royaltyReceiver, royaltyFeeBps } = contract;
    expect([royaltyReceiver, royaltyFeeBps]).toEqual([otherWallet, fee]);
    const royalty = { address: contractAddress, functionName: 'royaltyInfo', args: [1n, 1_000n] } as const;
    expect(await chainClient().readContract({ ...standard721Artifact, ...royalty })).toEqual([otherWallet, amount]);
  });

  it('trusts the newest forwarder of the account by default', async () => {
    const own = await newClient();
    const older = await deployForwarder(own);
    const newest = await deployForwarder(own);
    const { contractAddress, trustedForwarder } = await deployContract(own);
    expect(trustedForwarder).toBe(newest);
    const trusts = async (forwarder: string) => (await read(contractAddress, 'isTrustedForwarder', [forwarder])).body;
    expect([await trusts(newest), await trusts(older)]).toEqual([true, false]);
  });

  it('refuses a chain that is not allowed', async () => {
    const { status, body } = await client.post('/contracts/deploy', {
      chainId: '1',
      name: 'a',
      symbol: 'a',
      ercStandard: '721',
      contractType: 'standard',
    });
    expect(status).toBe(400);
    expect(body.errors).toEqual([{ path: 'chainId', code: 'not_allowed', message: 'must be one of 43114, 43113' }]);
  });

  it('fails a deployment whose constructor reverts, reports why, and spends nothing', async () => {
    const chain = chainClient('43113');
    const { body } = await client.post('/contracts/forwarder', { chainId: '43113', alias: 'test' });
    const forwarder = await client.until(`/contracts/${body._id}`, ['ACTIVE']);
    const trustedForwarder = String(forwarder['contractAddress']);
    const before = await chain.getBalance({ address: client.account.walletAddress });
    // Requests for such a deployment are refused, so the stored record is changed while its forwarder cannot be
    // checked.
    const match = trustedForwarder.slice(2);
    await setFaults(stack.proxies['43113'], [{ match, effect: 'refuse', times: 1_000 }], 'contracts');
    const accepted = await client.post('/contracts/deploy', {
      chainId: '43113',
      name: 'Nobody’s',
      symbol: 'NOB',
      ercStandard: '721',
      contractType: 'standard',
      trustedForwarder,
    });
    const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
    await database.connect();
    const makeInvalid = `update contracts set current_owner_address = $2 from orders
      where contracts.id = $1 and order_id = contracts.id and hold_reason = 'not-now'`;
    const changed = async () => (await database.query(makeInvalid, [accepted.body._id, zeroAddress])).rowCount;
    await expect.poll(changed).toBe(1);
    await database.end();
    await setFaults(stack.proxies['43113'], [], 'contracts');
    const contract = await client.until(`/contracts/${accepted.body._id}`, ['ACTIVE', 'FAILED']);
    expect(contract).toMatchObject({ status: 'FAILED', contractAddress: null, deployTxHash: null });
    expect(contract['errorMessage']).toContain('OwnableInvalidOwner');
    expect(await chain.getBalance({ address: client.account.walletAddress })).toBe(before);
    await expect
      .poll(() => receiver.deliveries.map(({ event }) => event))
      .toContainEqual(expect.objectContaining({ type: 'contract.failed', data: contract }));
  });

  it('deploys once, however many messages arrive', async () => {
    const chain = chainClient();
    const before = await chain.getTransactionCount({ address: client.account.walletAddress });
    const accepted = await client.post('/contracts/deploy', {
      name: 'Once',
      symbol: 'ONE',
      ercStandard: '1155',
      contractType: 'standard',
    });
    expect([accepted.status, accepted.body.status]).toEqual([201, 'DEPLOYING']);
    await Promise.all([cleanUpAfter(15), cleanUpAfter(15), cleanUpAfter(15)]);
    await client.until(`/contracts/${accepted.body._id}`, ['ACTIVE']);
    await cleanUpAfter(15);
    expect(await chain.getTransactionCount({ address: client.account.walletAddress })).toBe(before + 1);
  });

  it('deploys contracts of one wallet to different addresses on different chains', async () => {
    const fresh = await newClient();
    const [a, b] = await Promise.all([
      deployContract(fresh, { chainId: '43114' }),
      deployContract(fresh, { chainId: '43113' }),
    ]);
    expect(a.contractAddress).not.toBe(b.contractAddress);
  });

  it('hides a contract from another account', async () => {
    const contract = await deployContract(client);
    const otherClient = await newClient();
    expect((await otherClient.get(`/contracts/${contract._id}`)).status).toBe(404);
  });
});

describe('POST /contracts/read', () => {
  let collection: Address;
  beforeAll(async () => {
    collection = (await deployContract(client)).contractAddress;
  });

  it('supports every method of the specification for each kind of contract', async () => {
    const forwarder = await client.post('/contracts/forwarder', { chainId: '43114', alias: 'main' });
    expect(forwarder.status).toBe(201);
    expect(forwarder.body).toMatchObject({ alias: 'main', ercStandard: 'Forwarder', status: 'DEPLOYING' });
    const { contractAddress: trusted } = (await client.until(`/contracts/${forwarder.body._id}`, ['ACTIVE'])) as {
      contractAddress: Address;
    };
    // The account's newest forwarder is trusted by default.
    const [standard721, standard1155, certificate721, certificate1155] = await Promise.all([
      deployContract(client),
      deployContract(client, { ercStandard: '1155' }),
      deployContract(client, { contractType: 'certificate' }),
      deployContract(client, { contractType: 'certificate', ercStandard: '1155' }),
    ]);
    const certificate = () =>
      client.post('/metadata', {
        chainId: '43114',
        name: 'Proof',
        imageUrl: 'https://example.com/c.png',
        attributes: [
          ['Type', 'Watch'],
          ['Serial Number', 'A-1'],
          ['Style Name', 'Classic'],
          ['Issuer (Mint by)', 'Maker'],
          ['Creator', 'Maker'],
          ['Issue Date', 1_700_000_000],
          ['Transferability', 'Non-Transferable (SBT)'],
        ].map(([traitType, value]) => ({ traitType, value })),
        utility: { type: 'Certificate', data: { valid_until: '2030-01-01' } },
      });
    const [proof721, proof1155] = await Promise.all([certificate(), certificate()]);
    await Promise.all([
      mintOne(standard721, { metadataId: await createMetadata(client) }),
      mintOne(standard1155, { metadataId: await createMetadata(client), amount: 10 }),
      mintOne(certificate721, {
        metadataId: proof721.body._id,
        metadataHash: proof721.body.metadataHash,
        tokenUri: 'https://example.com/5',
      }),
      mintOne(certificate1155, {
        metadataId: proof1155.body._id,
        metadataHash: proof1155.body.metadataHash,
        tokenUri: 'https://example.com/5',
        amount: 10,
      }),
    ]);
    const base = 'http://service.test/metadata';
    const wallet = client.account.walletAddress;
    const answers: [{ contractAddress: Address }, string, unknown[], unknown][] = [
      [standard721, 'ownerOf', ['5'], receiverAddress],
      [standard721, 'balanceOf', [receiverAddress], '1'],
      [standard721, 'owner', [], wallet],
      [standard721, 'tokenURI', ['5'], `${base}/${standard721.contractAddress}/5`],
      [standard721, 'supportsInterface', ['0x80ac58cd'], true],
      [standard721, 'supportsInterface', ['0xd9b67a26'], false],
      [standard721, 'supportsInterface', ['0x2a55205a'], true],
      [standard721, 'isTrustedForwarder', [trusted], true],
      [standard721, 'isTrustedForwarder', [otherWallet], false],
      [standard1155, 'balanceOf', [receiverAddress, '5'], '10'],
      [standard1155, 'owner', [], wallet],
      [standard1155, 'uri', ['5'], `${base}/${standard1155.contractAddress}/{id}`],
      [standard1155, 'supportsInterface', ['0xd9b67a26'], true],
      [standard1155, 'supportsInterface', ['0x2a55205a'], true],
      [certificate721, 'ownerOf', ['5'], receiverAddress],
      [certificate721, 'getMetadataHash', ['5'], proof721.body.metadataHash],
      [certificate721, 'tokenURI', ['5'], 'https://example.com/5'],
      [certificate721, 'supportsInterface', ['0x2a55205a'], false],
      [certificate1155, 'getMetadataHash', ['5'], proof1155.body.metadataHash],
      [certificate1155, 'balanceOf', [receiverAddress, '5'], '10'],
      [certificate1155, 'uri', ['5'], 'https://example.com/5'],
      [{ contractAddress: trusted }, 'getNonce', [wallet], '0'],
    ];
    for (const [{ contractAddress }, method, args, expected] of answers) {
      expect([method, (await read(contractAddress, method, args)).body]).toEqual([method, expected]);
    }
    // Each is a method of another kind.
    const without: [{ contractAddress: Address }, string][] = [
      [standard721, 'uri'],
      [standard1155, 'tokenURI'],
      [standard721, 'getMetadataHash'],
    ];
    for (const [{ contractAddress }, method] of without) {
      expect([method, (await read(contractAddress, method, ['5'])).status]).toEqual([method, 400]);
    }
  });

  it('reads a custom ABI, structures and overloads included', async () => {
    const { contractAddress } = await deployContract(client, { royaltyFeeBps: 500 });
    const abi = [
      {
        type: 'function',
        name: 'royaltyInfo',
        stateMutability: 'view',
        inputs: [
          { name: 'id', type: 'uint256' },
          { name: 'price', type: 'uint256' },
        ],
        outputs: [
          { name: 'to', type: 'address' },
          { name: 'amount', type: 'uint256' },
        ],
      },
    ];
    const big = (2n ** 200n).toString();
    const { body } = await read(contractAddress, 'royaltyInfo', ['1', big], { abi });
    expect(body).toEqual([client.account.walletAddress, (2n ** 200n / 20n).toString()]);
  });

  it('returns the name of the error with which a call reverts', async () => {
    const { contractAddress } = await deployContract(client, { metadataBaseUri: undefined });
    const { status, body } = await read(contractAddress, 'ownerOf', ['404']);
    expect(status).toBe(400);
    expect(body.message).toBe(
      'Reverted: ERC721NonexistentToken(404): there is no such token: it was never minted, or it is burned',
    );
  });

  it.each([
    ['an unknown method', 'nothing', [], {}, 'method'],
    ['a method that writes', 'transferOwnership', [otherWallet], {}, 'method'],
    ['too few arguments', 'ownerOf', [], {}, 'args'],
    ['an argument of the wrong type', 'ownerOf', ['one'], {}, 'args.0'],
    ['a number that is not exact', 'ownerOf', [2 ** 60], {}, 'args.0'],
    ['a number out of range', 'ownerOf', ['-1'], {}, 'args.0'],
    [
      'an ABI with an unknown type',
      'f',
      [],
      { abi: [{ type: 'function', name: 'f', stateMutability: 'view', inputs: [{ type: 'uint7' }] }] },
      'abi.0.inputs.0.type',
    ],
  ])('refuses %s and says where', async (_, method, args, more, path) => {
    const { status, body } = await read(collection, method, args, more);
    expect(status).toBe(400);
    expect(body.errors.map((fault: { path: string }) => fault.path)).toContain(path);
  });

  it('knows the functions of ERC-20', async () => {
    const coin = newSigner().address;
    await setCode(coin, CLAIMS_EVERYTHING);
    for (const [method, args, expected] of [
      ['decimals', [], '1'],
      ['totalSupply', [], '1'],
      ['allowance', [otherWallet, receiverAddress], '1'],
    ] as const) {
      expect([method, (await read(coin, method, [...args])).body]).toEqual([method, expected]);
    }
  });

  it('refuses an address without code', async () => {
    const { status, body } = await read(otherWallet, 'owner');
    expect(status).toBe(400);
    expect(body.errors[0].path).toBe('contractAddress');
  });

  it('refuses an ABI of a megabyte before it is parsed', async () => {
    const { status } = await read(otherWallet, 'owner', [], { note: keccak256(toHex('x')).repeat(16_000) });
    expect(status).toBe(413);
  });
});

const transferOwnership = (contractAddress: string, newOwnerAddress: string) =>
  client.post('/contracts/transfer-ownership', { chainId: '43114', contractAddress, newOwnerAddress });

describe('POST /contracts/transfer-ownership', () => {
  it('transfers ownership once, sends the event, and refuses the old owner from then on', async () => {
    const contract = await deployContract(client);
    const accepted = await transferOwnership(contract.contractAddress, otherWallet);
    expect(accepted.status).toBe(200);
    expect(accepted.body).toMatchObject({
      status: 'QUEUED',
      contractId: contract._id,
      contractAddress: contract.contractAddress,
      newOwner: otherWallet,
    });
    const job = await client.until(`/contracts/transfer-ownership/${accepted.body.jobId}`, ['CONFIRMED', 'FAILED']);
    expect(job).toMatchObject({ status: 'CONFIRMED' });
    expect((await read(contract.contractAddress, 'owner')).body).toBe(otherWallet);
    expect((await client.get(`/contracts/${contract._id}`)).body.currentOwnerAddress).toBe(otherWallet);
    await expect
      .poll(() => receiver.deliveries.map(({ event }) => event))
      .toContainEqual(expect.objectContaining({ type: 'ownership.transferred', data: job }));

    const refused = await transferOwnership(contract.contractAddress, client.account.walletAddress);
    expect(refused.status).toBe(409);
    expect(refused.body.message).toContain(otherWallet);
  });

  it('five equal ones at once are one order, and the others are 409', async () => {
    const { contractAddress } = await deployContract(client);
    const replies = await Promise.all(Array.from({ length: 5 }, () => transferOwnership(contractAddress, otherWallet)));
    const accepted = replies.filter(({ status }) => status === 200);
    expect(accepted).toHaveLength(1);
    const id = accepted[0]?.body.jobId;
    for (const { status, body } of replies.filter((reply) => reply !== accepted[0])) {
      expect([status, body.message]).toEqual([
        409,
        expect.stringMatching(
          `^Order ${id} transfers it to the same owner and is under way$|^The owner of the contract`,
        ),
      ]);
    }
    const path = `/contracts/transfer-ownership/${id}`;
    expect(await client.until(path, ['CONFIRMED', 'FAILED'])).toMatchObject({ status: 'CONFIRMED' });
  });

  it('queues the ownership transfer that a deployment requests', async () => {
    const contract = await deployContract(client, { transferOwnerAddress: otherWallet });
    await expect.poll(async () => (await read(contract.contractAddress, 'owner')).body).toBe(otherWallet);
  });

  it('is 404 for a contract of another account', async () => {
    const contract = await deployContract(await newClient());
    expect((await transferOwnership(contract.contractAddress, otherWallet)).status).toBe(404);
  });
});
