import type { Context } from 'hono';
import type { AllowedChain } from '../platform/env.ts';
import type { PageData } from './pages.ts';
import type { AppEnv } from './app-env.ts';

/** What the page of the certificate check is told: where it finds the chains and documents on IPFS, and nothing about any certificate. */
export function certificateCheckData(c: Context<AppEnv>): PageData {
  const { settings } = c.get('services');
  const { origin } = new URL(c.req.url);
  const chains = Array.from(settings.chains.values(), chainOf);
  const ipfsGateway = settings.IPFS_GATEWAY_URL.replace(/\/+$/, '');
  // https is allowed anyway; a local stack has http.
  const origins = [origin, ipfsGateway, ...chains.flatMap(({ rpcUrls }) => rpcUrls)]
    .map((url) => new URL(url).origin)
    .filter((url) => url.startsWith('http:'));
  return { settings: { origin, chains, ipfsGateway }, origins: [...new Set(origins)] };
}

function chainOf({ id, title, kind, publicRpcUrls, explorerUrl }: AllowedChain) {
  return { id, title, isTest: kind === 'test', rpcUrls: publicRpcUrls, explorerUrl };
}
