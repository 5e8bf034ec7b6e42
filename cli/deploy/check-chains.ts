import { createPublicClient, fallback, formatEther, http } from 'viem';
import type { Settings } from '../../src/platform/env.ts';
import type { DatabaseState } from '../database-state.ts';
import { secretCommand } from './check-settings.ts';
import type { Deployment } from './deployment.ts';
import { type Finding, missing } from './finding.ts';

/** The proxy that deploys every contract; see docs/operations.md. */
const DEPLOYMENT_PROXY = '0x4e59b44847b379578588920cA78FbF26c0B4956C';
/** More low wallets than this are only counted. */
const MAX_LISTED = 20;

type Chain = Settings['chains'] extends ReadonlyMap<string, infer Value> ? Value : never;

const transportOf = (url: string) => http(url, { timeout: 10_000, retryCount: 1, batch: true });

/** Checks every node of every chain: it answers, is on the right chain and has the deployment proxy. */
export async function checkChains(deployment: Deployment, settings: Settings): Promise<Finding[]> {
  const checks = [...settings.chains.values()].flatMap((chain) =>
    chain.rpcUrls.map((url, index) => checkNode(deployment, chain, url, index + 1)),
  );
  return (await Promise.all(checks)).flat();
}

async function checkNode(deployment: Deployment, { id }: Chain, url: string, place: number): Promise<Finding[]> {
  const setting = `RPC_URL_${id}`;
  const node = `Node ${place} of ${setting} (${new URL(url).host})`;
  const client = createPublicClient({ transport: transportOf(url) });
  try {
    const chainId = await client.getChainId();
    if (String(chainId) !== id) return [missing(`${node} is on chain ${chainId}`, secretCommand(setting, deployment))];
    if ((await client.getCode({ address: DEPLOYMENT_PROXY })) !== undefined) return [];
    return [
      missing(
        `${node} has no deployment proxy at ${DEPLOYMENT_PROXY}`,
        'deploy it: github.com/Arachnid/deterministic-deployment-proxy',
      ),
    ];
  } catch (error) {
    // viem's message has the whole URL, and with it the provider's key.
    const reason = error instanceof Error && 'shortMessage' in error ? String(error.shortMessage) : 'no reply';
    return [missing(`${node} does not answer: ${reason}`, secretCommand(setting, deployment))];
  }
}

/**
 * Lists the wallets with less than LOW_BALANCE on a chain. They prevent no deployment: their orders wait.
 * Nodes are asked in order until one answers; a chain without one is skipped, as {@link checkChains} reports it.
 */
export async function checkWallets(settings: Settings, wallets: DatabaseState['wallets']): Promise<Finding[]> {
  const low = await Promise.all(
    [...settings.chains.values()].map(async ({ id, rpcUrls, lowBalance, nativeCoin }) => {
      const client = createPublicClient({ transport: fallback(rpcUrls.map(transportOf), { retryCount: 0 }) });
      const balances = await Promise.all(
        wallets.map(async (wallet) => ({
          ...wallet,
          balance: await client.getBalance({ address: wallet.address }).catch(() => undefined),
        })),
      );
      return balances.flatMap(({ corporateId, address, balance }) =>
        balance === undefined || balance >= lowBalance
          ? []
          : [{ corporateId, address, text: `${formatEther(balance)} ${nativeCoin.symbol} on chain ${id}` }],
      );
    }),
  );
  const all = low.flat();
  const findings = all.slice(0, MAX_LISTED).map(({ corporateId, address, text }) => ({
    what: `The wallet of ${corporateId} has ${text}`,
    command: `send coins to ${address}`,
    blocks: false,
  }));
  const more = all.length - findings.length;
  return more === 0
    ? findings
    : [...findings, { what: `${more} more wallets are low`, command: 'GET /status lists them', blocks: false }];
}
