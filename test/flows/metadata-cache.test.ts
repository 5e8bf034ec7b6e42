import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from 'viem';
import type { BuiltWorker } from '../fixtures/built-worker.ts';
import {
  call,
  createMetadata,
  deployContract,
  newClient,
  orderMint as orderMintOf,
  stack,
  type Client,
  type Reply,
} from '../fixtures/client.ts';
import { startDataCenter } from '../fixtures/data-center.ts';
import { recordedBodies, setFaults } from '../fixtures/fault-proxy.ts';
import { ticketInput } from '../fixtures/metadata-inputs.ts';
import { purgeSettings, startPurgeApi, type PurgeApi } from '../fixtures/purge-api.ts';
import { lookupOf } from '../fixtures/token-lookup.ts';

let client: Client;
let contract: Address;
let nextToken = 1;

beforeAll(async () => {
  client = await newClient();
  contract = (await deployContract(client)).contractAddress;
});

/** Orders a mint with this metadata. @returns the public path of the token, and a wait for its confirmation. */
async function orderMint(metadataId: string) {
  const tokenId = String(nextToken);
  nextToken += 1;
  return await orderMintOf(client, { contractAddress: contract, tokenId, metadataId });
}

/** Mints a token with this metadata. @returns its public path. */
async function mint(metadataId: string): Promise<string> {
  const { path, confirmed } = await orderMint(metadataId);
  await confirmed();
  return path;
}

const setStatus = async (metadataId: string, status: unknown) =>
  await client.post(`/metadata/${metadataId}/status`, { status });

const onDatabase = (faults: Parameters<typeof setFaults>[1]) =>
  setFaults(stack.proxies.database, faults, 'metadatacache');
const lookups = async () => (await recordedBodies(stack.proxies.database, 'metadatacache')).length;

describe('the public document', () => {
  it('is never hidden by an earlier 404, even if requested continuously while it is minted', async () => {
    for (let round = 0; round < 5; round += 1) {
      const token = String(nextToken);
      const state = { isMinted: false };
      const asking = (async () => {
        while (!state.isMinted) await call(`/metadata/${contract}/${token}`);
      })();
      const minted = await mint(await createMetadata(client));
      const reply = await call(minted);
      state.isMinted = true;
      await asking;
      expect([minted, reply.status]).toEqual([`/metadata/${contract}/${token}`, 200]);
    }
  });
});

describe('the edge cache', () => {
  let elsewhere: BuiltWorker;
  let purgeApi: PurgeApi;
  beforeAll(async () => {
    purgeApi = await startPurgeApi();
    elsewhere = await startDataCenter({
      ...purgeSettings,
      CLOUDFLARE_API_URL: purgeApi.url,
      METADATA_CACHE_SECONDS: '1',
    });
  });
  afterEach(() => onDatabase([]));
  afterAll(async () => {
    await elsewhere.stop();
    await purgeApi.stop();
  });

  const readElsewhere = async (path: string) => {
    const reply = await fetch(elsewhere.url + path);
    return { status: reply.status, body: (await reply.json()) as Reply['body'], headers: reply.headers };
  };
  const setStatusElsewhere = async (metadataId: string, status: string) => {
    const reply = await fetch(`${elsewhere.url}/metadata/${metadataId}/status`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '',
        'x-corporate-id': client.account.corporateId,
      },
      body: JSON.stringify({ status }),
    });
    return reply.status;
  };

  it('serves a burst of reads of an uncached token with one database lookup', async () => {
    const path = await mint(await createMetadata(client, ticketInput));
    // The first lookup is slow, so that all reads wait for it.
    await onDatabase([
      { match: lookupOf(path), effect: 'stall', times: 1, milliseconds: 1_000 },
      { match: lookupOf(path), effect: 'record', times: 1_000 },
    ]);
    const replies = await Promise.all(Array.from({ length: 40 }, () => readElsewhere(path)));
    expect(replies.map(({ status }) => status)).toEqual(Array(40).fill(200));
    expect(await lookups()).toBe(1);
  });

  it('serves a burst of reads of an unknown token with one lookup', async () => {
    const path = `/metadata/${contract}/${10n ** 30n}`;
    await onDatabase([
      { match: lookupOf(path), effect: 'stall', times: 1, milliseconds: 500 },
      { match: lookupOf(path), effect: 'record', times: 1_000 },
    ]);
    const replies = await Promise.all(Array.from({ length: 40 }, () => readElsewhere(path)));
    expect(replies.map(({ status }) => status)).toEqual(Array(40).fill(404));
    expect(await lookups()).toBe(1);
  });

  it('does not cache that a token is unknown while it is minted in another data center', async () => {
    const { path, confirmed } = await orderMint(await createMetadata(client));
    const state = { isMinted: false };
    const asking = (async () => {
      while (!state.isMinted) await readElsewhere(path);
    })();
    await confirmed();
    const { status } = await readElsewhere(path);
    state.isMinted = true;
    await asking;
    expect(status).toBe(200);
  });

  it('shows a status that was set in another data center within METADATA_CACHE_SECONDS', async () => {
    const metadataId = await createMetadata(client, ticketInput);
    const path = await mint(metadataId);
    expect((await readElsewhere(path)).headers.get('cache-control')).toBe('public, max-age=0, s-maxage=1');
    await setStatus(metadataId, 'Redeemed');
    await expect
      .poll(async () => (await readElsewhere(path)).body.utility.data.status, { timeout: 10_000 })
      .toBe('Redeemed');
  });

  it('does not keep what a slow read returned from before a change', async () => {
    const metadataId = await createMetadata(client, ticketInput);
    const path = await mint(metadataId);
    // Its reply, the document before the change, is delayed.
    await onDatabase([{ match: lookupOf(path), effect: 'stall', times: 1, milliseconds: 2_000 }]);
    const slow = readElsewhere(path);
    await expect.poll(lookups).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await setStatusElsewhere(metadataId, 'Redeemed')).toBe(200);
    expect((await readElsewhere(path)).body.utility.data.status).toBe('Redeemed');
    await slow;
    expect((await readElsewhere(path)).body.utility.data.status).toBe('Redeemed');
  });

  it("is purged in every data center by public URL, with the zone's API token", async () => {
    const metadataId = await createMetadata(client, ticketInput);
    const before = purgeApi.purged.length;
    expect(await setStatusElsewhere(metadataId, 'Not bound yet')).toBe(200);
    const path = await mint(metadataId);
    expect(await setStatusElsewhere(metadataId, 'Redeemed')).toBe(200);
    expect(purgeApi.purged.slice(before)).toEqual([`http://service.test${path}`]);
  });

  it.each(['refuse', 'nonsense'] as const)('changes the status even if the purge fails: %s', async (mode) => {
    const metadataId = await createMetadata(client, ticketInput);
    const path = await mint(metadataId);
    const count = purgeApi.purged.length;
    purgeApi.mode = mode;
    expect(await setStatusElsewhere(metadataId, 'Redeemed')).toBe(200);
    purgeApi.mode = 'work';
    expect(purgeApi.purged).toHaveLength(count);
    expect((await readElsewhere(path)).body.utility.data.status).toBe('Redeemed');
  });
});
