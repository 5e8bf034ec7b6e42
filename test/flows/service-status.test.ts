import { describe, expect, it } from 'vitest';
import { createTestClient, http, parseEther } from 'viem';
import { call, deployContract, newClient, stack } from '../fixtures/client.ts';
import { setFaults, startFaultProxy, statementTagged } from '../fixtures/fault-proxy.ts';
import { startOtherWorker } from '../fixtures/other-worker.ts';

const admin = (path: string) =>
  call(path, { headers: { 'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '' } });

describe('GET /status', () => {
  it('reports work that waits for funds, and the wallet that lacks them', async () => {
    const client = await newClient();
    const { walletAddress } = client.account;
    const anvil = createTestClient({ mode: 'anvil', transport: http(stack.rpcUrls['43114']) });
    await anvil.setBalance({ address: walletAddress, value: parseEther('0.000001') });
    const fields = { name: 'Poor', symbol: 'P', ercStandard: '721', contractType: 'standard' };
    const { body: contract } = await client.post('/contracts/deploy', fields);
    const { corporateId } = client.account;
    const isOwn = (wallet: { corporateId: string }) => wallet.corporateId === corporateId;
    const own = async () => {
      const { body } = await admin('/status');
      return { body, low: body.lowBalances.filter(isOwn) };
    };
    const { body, low } = await own();
    expect(low).toEqual([{ chainId: '43114', walletAddress, corporateId, corporateName: 'Test', balance: '0.000001' }]);
    expect(body.work.contracts.DEPLOYING).toBeGreaterThanOrEqual(1);
    // Ids are in order of creation.
    expect(body.oldestUnfinished.id <= contract._id).toBe(true);
    const laneOf = async () =>
      (await admin('/status')).body.lanes.find(
        ({ address }: { address: string }) => address === walletAddress.toLowerCase(),
      );
    await expect.poll(laneOf).toEqual({
      chainId: '43114',
      address: walletAddress.toLowerCase(),
      state: 'empty',
      orderId: contract._id,
      reason: expect.stringContaining(`The wallet ${walletAddress} lacks`),
      since: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    await anvil.setBalance({ address: walletAddress, value: parseEther('10') });
    await client.until(`/contracts/${contract._id}`, ['ACTIVE']);
    expect((await own()).low).toEqual([]);
  });

  it('names what is unavailable, and reports the rest', async () => {
    // Of its own: the callers of the shared one need to see everything.
    const node = await startFaultProxy(stack.settings['RPC_URL_43114'] ?? '');
    const worker = await startOtherWorker({ RPC_URL_43114: node.url });
    const headers = { 'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '' };
    const read = async () => {
      const { status, text } = await worker.call('/status', { method: 'GET', headers });
      return { status, body: JSON.parse(text) };
    };
    await setFaults(worker.database, [{ match: statementTagged('count-work'), effect: 'refuse', times: 1 }]);
    const withoutDatabase = await read();
    expect(withoutDatabase.status).toBe(200);
    expect(withoutDatabase.body).toMatchObject({ status: 'degraded', unavailable: ['data store'], work: null });
    expect(withoutDatabase.body.queues.mint).not.toBeNull();

    const client = await newClient();
    await deployContract(client);
    const match = client.account.walletAddress;
    await setFaults(node.url, [{ match, effect: 'refuse', times: 100 }]);
    const withoutChain = await read();
    await setFaults(node.url, []);
    expect(withoutChain.status).toBe(200);
    expect(withoutChain.body).toMatchObject({
      status: 'degraded',
      unavailable: expect.arrayContaining(['chain 43114']),
    });
    expect(withoutChain.body.work).not.toBeNull();
    await worker.stop();
    await node.close();
  });
});
