import { DOMAIN, namesWallet, proofUrl } from '../issuer-proof.ts';
import { CannotTell } from './cannot-tell.ts';
import { fetchBytes, utf8 } from './fetch-bytes.ts';
import type { Certificate, Chain, Settings } from './settings.ts';
import { isRecord } from '../is-record.ts';

/** Who the operator says that an issuer is. */
export interface Confirmation {
  readonly name: string;
  /** https */
  readonly logoUrl: string;
  readonly domain: string;
}

/** How long the operator and the domain may take, in milliseconds: the visitor waits for the verdict. */
const PATIENCE_MS = 5_000;
const MAX_NAME = 100;

/**
 * Asks this site who the operator says that an issuer is.
 * @returns undefined if the operator does not say, or nothing that can be shown.
 * @throws {CannotTell} or what `fetch` throws, when this site does not answer.
 */
export async function readConfirmation(
  chain: Chain,
  { contractAddress }: Pick<Certificate, 'contractAddress'>,
  wallet: string,
  { origin }: Settings,
): Promise<Confirmation | undefined> {
  const reply = await readJson(`${origin}/issuers/${chain.id}/${contractAddress}/${wallet}`);
  if (!isRecord(reply)) return undefined;
  const { name, logoUrl, domain } = reply;
  if (typeof name !== 'string' || typeof logoUrl !== 'string' || typeof domain !== 'string') return undefined;
  if (name.length > MAX_NAME || !logoUrl.startsWith('https://') || !DOMAIN.test(domain)) return undefined;
  return { name, logoUrl, domain };
}

/**
 * Requires that a domain names a wallet as its own.
 * @throws {CannotTell} if it does not, or its file has another form; whatever `fetch` throws.
 */
export async function requireProof(domain: string, chain: Chain, wallet: string): Promise<void> {
  // A redirect could lead to another domain, which then would be the one that proves it.
  const file = await readJson(proofUrl(domain), { redirect: 'error' });
  const isNamed = namesWallet(file, chain.id, wallet);
  if (isNamed === undefined) throw new CannotTell(({ reasons }) => reasons.malformed);
  if (!isNamed) throw new CannotTell(({ reasons }) => reasons.otherWallets);
}

async function readJson(url: string, init: RequestInit = {}): Promise<unknown> {
  const bytes = await fetchBytes(url, init, PATIENCE_MS);
  try {
    const value: unknown = JSON.parse(utf8(bytes));
    return value;
  } catch {
    throw new CannotTell(({ reasons }) => reasons.malformed);
  }
}
