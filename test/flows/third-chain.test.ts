import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPublicClient, formatEther, http, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { z } from 'zod';
import { fundWallet } from '../../cli/local-stack/fund-wallet.ts';
import type { ChainDefinition } from '../../src/chains/definition.ts';
import { mainnet } from '../../src/chains/definitions/avalanche.ts';
import { polygon } from '../../src/chains/definitions/polygon.ts';
import { DEFAULT_CHAINS } from '../../src/chains/list.ts';
import { startOwnStack, type OwnStack } from '../fixtures/own-stack.ts';

const pricesSchema = z.record(z.string(), z.object({ usd: z.number(), krw: z.number() }));

let own: OwnStack;
let headers: Record<string, string>;

beforeAll(async () => {
  own = await startOwnStack({}, [...DEFAULT_CHAINS, polygon]);
  const account = await own.createAccount({ name: 'Test' });
  await fundWallet(account.walletAddress as Address, Object.values(own.rpcUrls));
  headers = {
    'x-api-key': own.settings['GLOBAL_SECRET_KEY'] ?? '',
    'x-corporate-id': account.corporateId,
    'content-type': 'application/json',
  };
});
afterAll(() => own.stop());

async function ask(path: string, body?: object) {
  const reply = await fetch(`${own.baseUrl}${path}`, {
    headers,
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  // oxlint-disable-next-line typescript/no-explicit-any -- replies are read by the tests, which say what they expect
  const content = (await reply.json()) as any;
  if (!reply.ok) throw new Error(JSON.stringify(content));
  return content;
}

async function ended(path: string) {
  await expect.poll(async () => (await ask(path)).status, { interval: 250 }).toMatch(/ACTIVE|CONFIRMED|FAILED/);
  return ask(path);
}

async function deploy({ id }: ChainDefinition) {
  const fields = { name: 'Art', symbol: 'ART', ercStandard: '721', contractType: 'standard' };
  const { _id } = await ask('/contracts/deploy', { ...fields, chainId: id });
  return ended(`/contracts/${_id}`);
}

async function priceOf({ nativeCoin }: ChainDefinition) {
  const query = new URLSearchParams({ ids: nativeCoin.rateId, vs_currencies: 'usd,krw' });
  const reply = await fetch(`${own.settings['EXCHANGE_RATE_URL']}?${query.toString()}`);
  return pricesSchema.parse(await reply.json())[nativeCoin.rateId];
}

const chainOf = ({ id }: ChainDefinition) => createPublicClient({ transport: http(own.rpcUrls[id]), cacheTime: 0 });

async function costOf(chain: ChainDefinition, hash: Hex) {
  const { gasUsed, effectiveGasPrice } = await chainOf(chain).getTransactionReceipt({ hash });
  return formatEther(gasUsed * effectiveGasPrice);
}

describe('a chain that is allowed in addition to the default ones', () => {
  it('deploys, mints and lists; each fee is priced in the coin of its chain', async () => {
    const [onPolygon, onMainnet] = await Promise.all([deploy(polygon), deploy(mainnet)]);
    const [pol, avax] = await Promise.all([priceOf(polygon), priceOf(mainnet)]);
    expect(pol).not.toEqual(avax);
    expect(onPolygon).toMatchObject({ status: 'ACTIVE', nativePriceUsd: pol?.usd, nativePriceKrw: pol?.krw });
    expect(onMainnet).toMatchObject({ status: 'ACTIVE', nativePriceUsd: avax?.usd, nativePriceKrw: avax?.krw });

    const { contractAddress } = onPolygon;
    const receiverAddress = privateKeyToAddress(generatePrivateKey());
    const { _id: metadataId } = await ask('/metadata', {
      chainId: polygon.id,
      name: 'Token 7',
      imageUrl: 'https://example.com/7.png',
      utility: { type: 'Flexible', data: { status: 'Unused' } },
    });
    const token = { chainId: polygon.id, contractAddress, tokenId: '7' };
    const order = await ask('/minting/order', { ...token, receiverAddress, metadataId });
    const minted = await ended(`/minting/${order.id}`);
    const totalFeeNative = await costOf(polygon, minted.txHash);
    expect(minted).toMatchObject({
      status: 'CONFIRMED',
      chainId: polygon.id,
      totalFeeNative,
      nativePriceUsd: pol?.usd,
      totalFeeUsd: Number(totalFeeNative) * (pol?.usd ?? NaN),
      nativePriceKrw: pol?.krw,
    });

    const listing = `/api/wallet/nfts?wallet=${receiverAddress}`;
    expect((await ask(`${listing}&blockchains=${polygon.name}`)).items).toEqual([
      expect.objectContaining({ ...token, chain: polygon.name, name: 'Token 7' }),
    ]);
    // Not one of the chains that are listed by default.
    expect((await ask(listing)).items).toEqual([]);
  });

  it('confirms an order only after the number of confirmations in its definition', async () => {
    const { deployTxHash } = await deploy(polygon);
    const client = chainOf(polygon);
    const { blockNumber } = await client.getTransactionReceipt({ hash: deployTxHash });
    const depth = (await client.getBlockNumber()) - blockNumber + 1n;
    expect(depth).toBeGreaterThanOrEqual(BigInt(polygon.confirmations));
  });
});
