import { getAddress, slice, type Address, type Hex } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { create2Address } from '../../src/catalog/contracts/create2.ts';
import { call, deployContract, newClient, type Client } from '../fixtures/client.ts';
import { deployElsewhere } from '../fixtures/foreign-contract.ts';
import { deployForwarder, newSigner } from '../fixtures/gasless.ts';

const chainId = '43114';
const certificate = { name: 'Certificates', symbol: 'C', contractType: 'certificate' };

let client: Client;
beforeAll(async () => {
  client = await newClient();
});

const deploymentOf = (contractAddress: string) => call(`/deployments/${chainId}/${contractAddress}`);
const addressOf = (creation: Hex): Address => create2Address(slice(creation, 0, 32), slice(creation, 32));

describe('GET /deployments/{chainId}/{contractAddress}', () => {
  it.each(['721', '1155'])('has what the address of an ERC-%s contract is a hash of', async (ercStandard) => {
    for (const contractType of ['standard', 'certificate']) {
      const { contractAddress } = await deployContract(client, { ...certificate, ercStandard, contractType });
      const { status, body, headers } = await deploymentOf(contractAddress);
      expect([status, addressOf(body.creation), body.forwarderCreation]).toEqual([200, contractAddress, null]);
      expect(headers.get('cache-control')).toBe('public, max-age=3600');
    }
  });

  it('has the forwarder that a contract trusts, and the first owner after the contract has another', async () => {
    const trustedForwarder = await deployForwarder(client);
    const transferOwnerAddress = newSigner().address;
    const contract = await deployContract(client, { ...certificate, trustedForwarder, transferOwnerAddress });
    const path = `/contracts/${contract._id}`;
    await expect
      .poll(async () => (await client.get(path)).body.currentOwnerAddress, { timeout: 30_000 })
      .toBe(getAddress(transferOwnerAddress));
    const { body } = await deploymentOf(contract.contractAddress);
    expect([addressOf(body.creation), addressOf(body.forwarderCreation)]).toEqual([
      contract.contractAddress,
      trustedForwarder,
    ]);
  });

  it('is 404 for a contract that is registered, or not known, or on another chain', async () => {
    const foreign = await deployElsewhere(client.account.walletAddress);
    const registered = { chainId, contractAddress: foreign, ercStandard: '721', contractType: 'standard' };
    expect((await client.post('/contracts/register', registered)).status).toBe(201);
    const { contractAddress } = await deployContract(client, certificate);
    for (const path of [`${chainId}/${foreign}`, `${chainId}/0x${'12'.repeat(20)}`, `43113/${contractAddress}`]) {
      expect((await call(`/deployments/${path}`)).status).toBe(404);
    }
    expect((await call('/deployments/x/0x1')).status).toBe(400);
  });
});
