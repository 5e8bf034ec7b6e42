import { formatEther } from 'viem';
import { z } from 'zod';
import { DEFAULT_CHAIN } from '../chains/list.ts';
import { instantField } from '../core/fields.ts';
import { corporateNameReply } from '../core/reply-fields.ts';
import type { Services } from '../services.ts';
import { activeWallets, replacedWallets, spentSince, type OwnedWallet } from './wallets.store.ts';

const DAY_MS = 86_400_000;

export const walletsSchema = z
  .object({
    unavailable: z
      .array(z.string())
      .meta({ description: 'Ids of chains that did not answer; their wallets are left out' }),
    items: z
      .array(
        z.object({
          chainId: z.string().meta({ description: 'The chain', example: DEFAULT_CHAIN.id }),
          corporateId: z.string().meta({ description: 'The account', example: 'demo' }),
          corporateName: corporateNameReply,
          walletAddress: z
            .string()
            .meta({ description: 'EIP-55', example: '0x8ba1f109551bD432803012645Ac136ddd64DBA72' }),
          balance: z.string().meta({ description: 'Coins, decimal', example: '12.5' }),
          coin: z.string().meta({ description: 'Symbol of the coin', example: DEFAULT_CHAIN.nativeCoin.symbol }),
          isLow: z.boolean().meta({ description: 'Less than LOW_BALANCE_<chainId>' }),
          spentLastDay: z.string().meta({
            description: 'Coins: what transactions first signed in the last 24 hours have cost, or at most may cost',
            example: '0.42',
          }),
          replacedAt: instantField.nullable().meta({
            description:
              "Since when another wallet relays the account's new requests, UTC; null unless it was replaced",
            example: null,
          }),
          daysLeft: z.number().nullable().meta({
            description: 'How long the balance lasts at that rate; null: nothing spent, or nothing left to pay',
            example: 29.7,
          }),
          explorerUrl: z.url().meta({ description: "The chain's block explorer", example: DEFAULT_CHAIN.explorerUrl }),
        }),
      )
      .meta({
        description:
          'Wallets with work or contracts on a chain, at most 200, and of the 50 relayer wallets that were replaced last those with coins; shortest runway first',
      }),
  })
  .meta({ id: 'Wallets' });

type Wallet = z.output<typeof walletsSchema>['items'][number];

/** The wallets of accounts, with their balances and how long these last. */
export async function listWallets(services: Services): Promise<z.output<typeof walletsSchema>> {
  const { db, clock, log } = services;
  const wallets = await walletsToList(services);
  const spent = await spentSince(db, wallets, new Date(clock.now() - DAY_MS));
  const unavailable: string[] = [];
  const items = await Promise.all(
    Array.from(
      Map.groupBy(wallets, ({ chainId }) => chainId),
      async ([chainId, own]) => {
        try {
          return await walletsOf(services, chainId, own, spent);
        } catch (error) {
          log.warn('wallets.chain_unavailable', { chainId, error });
          unavailable.push(chainId);
          return [];
        }
      },
    ),
  );
  return { unavailable, items: items.flat().toSorted((a, b) => (a.daysLeft ?? Infinity) - (b.daysLeft ?? Infinity)) };
}

interface ListedWallet extends OwnedWallet {
  /** ISO 8601; null unless it was replaced. */
  readonly replacedAt: string | null;
  /** Whether it may have to pay for transactions. */
  readonly isUsed: boolean;
}

/** The wallets that are watched, and replaced relayer wallets on each chain. */
async function walletsToList({ db, settings }: Services): Promise<ListedWallet[]> {
  const [{ watched }, replaced] = await Promise.all([activeWallets(db), replacedWallets(db)]);
  const replacedAt = new Map(replaced.map((wallet) => [wallet.walletAddress, wallet.replacedAt.toISOString()]));
  const used = new Set(watched.map(({ chainId, walletAddress }) => `${chainId}:${walletAddress}`));
  const unused = [...settings.chains.keys()].flatMap((chainId) =>
    replaced
      .filter(({ walletAddress }) => !used.has(`${chainId}:${walletAddress}`))
      .map((wallet) => ({ ...wallet, chainId, isUsed: false })),
  );
  return [...watched.map((wallet) => ({ ...wallet, isUsed: true })), ...unused].map((wallet) => ({
    ...wallet,
    replacedAt: replacedAt.get(wallet.walletAddress) ?? null,
  }));
}

/** All balances of a chain in one JSON-RPC batch. */
async function walletsOf(
  { chains, settings }: Services,
  chainId: string,
  own: readonly ListedWallet[],
  spent: ReadonlyMap<string, bigint>,
): Promise<Wallet[]> {
  const [chain, definition] = [chains.get(chainId), settings.chains.get(chainId)];
  if (chain === undefined || definition === undefined) return [];
  const listed = await Promise.all(
    own.map(async ({ isUsed, ...wallet }) => {
      const balance = await chain.client.getBalance({ address: wallet.walletAddress });
      const ofDay = spent.get(`${chainId}:${wallet.walletAddress.toLowerCase()}`) ?? 0n;
      if (balance === 0n && !isUsed) return [];
      return {
        ...wallet,
        balance: formatEther(balance),
        coin: definition.nativeCoin.symbol,
        isLow: isUsed && balance < definition.lowBalance,
        spentLastDay: formatEther(ofDay),
        daysLeft: ofDay === 0n || !isUsed ? null : Number((balance * 10n) / ofDay) / 10,
        explorerUrl: definition.explorerUrl,
      };
    }),
  );
  return listed.flat();
}
