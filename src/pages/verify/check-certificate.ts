import canonicalize from 'canonicalize';
import { decodeAddress, decodeString, decodeWord, word } from './abi.ts';
import { CannotTell, reasonOf } from './cannot-tell.ts';
import { readChain, type ChainReader } from './chain-reader.ts';
import { fetchableUrl } from './document-url.ts';
import { fetchBytes, utf8 } from './fetch-bytes.ts';
import { parseDocument } from './parse-document.ts';
import type { Certificate, Chain, Settings } from './settings.ts';

/** The selectors of docs/certificates.md. */
const GET_METADATA_HASH = 'f448f871';
const TOKEN_URI = 'c87b56dd';
const URI = '0e89341c';
const REVOCATION_OF = 'fe808fd4';

/** The last second that a browser's dates have. */
const MAX_SECONDS = 8_640_000_000_000;

/** One step of the check, for the visitor to follow. */
export interface Step {
  readonly title: string;
  readonly state: 'running' | 'done' | 'failed';
  readonly values: readonly (readonly [label: string, value: string])[];
}

/** The document that was compared. */
export interface Content {
  readonly document: unknown;
  readonly canonical: string;
  /** `copy`: the one in the saved page, because the document's address did not serve one. */
  readonly source: 'address' | 'copy';
}

/** What the chain says about the revocation of a certificate. */
export interface Revocation {
  /** Who revoked it: the owner of the contract at that time. */
  readonly by: string;
  /** UTC. */
  readonly at: Date;
}

/** The end of a check. */
export type Verdict =
  /** The document has the hash on the chain. */
  | { readonly type: 'genuine'; readonly chain: Chain; readonly content: Content }
  /** It has another one. */
  | { readonly type: 'altered'; readonly chain: Chain; readonly content: Content }
  /** The chain says that its issuer has revoked it. */
  | { readonly type: 'revoked'; readonly chain: Chain; readonly revocation: Revocation }
  /** The chain says that there is no such certificate. */
  | { readonly type: 'missing'; readonly reason: string }
  /** Neither can be said. `choices`: chains that the visitor must choose from. */
  | { readonly type: 'unknown'; readonly reason: string; readonly choices: readonly Chain[] };

/** The chain has no such certificate. */
class Missing extends Error {}

/** Its issuer has revoked the certificate. */
class Revoked extends Error {
  readonly verdict: Extract<Verdict, { type: 'revoked' }>;

  constructor(chain: Chain, revocation: Revocation) {
    super('The issuer has revoked this certificate.');
    this.verdict = { type: 'revoked', chain, revocation };
  }
}

/** More than one chain has a contract at the address. */
class Ambiguous extends Error {
  readonly choices: readonly Chain[];

  constructor(choices: readonly Chain[]) {
    super('More than one chain has a contract at this address. Choose the one that the issuer names.');
    this.choices = choices;
  }
}

/**
 * Checks a certificate: reads its hash and the address of its document from the chain, fetches the document, and
 * compares. Nothing but the chain and the document decides.
 * @param report Called with all steps so far whenever one changes.
 */
export async function checkCertificate(
  certificate: Certificate,
  settings: Settings,
  report: (steps: readonly Step[]) => void,
): Promise<Verdict> {
  const steps: Step[] = [];
  const step: RunStep = async (title, run) => {
    const index = steps.length;
    const values: [string, string][] = [];
    const set = (state: Step['state']) => {
      steps[index] = { title, state, values: [...values] };
      report([...steps]);
    };
    set('running');
    const show = (label: string, value: string) => {
      values.push([label, value]);
      set('running');
    };
    try {
      const result = await run(show);
      set('done');
      return result;
    } catch (error) {
      set('failed');
      throw error;
    }
  };
  try {
    return await compare(certificate, settings, step);
  } catch (error) {
    if (error instanceof Revoked) return error.verdict;
    if (error instanceof Missing) return { type: 'missing', reason: error.message };
    if (error instanceof Ambiguous) return { type: 'unknown', reason: error.message, choices: error.choices };
    return { type: 'unknown', reason: reasonOf(error), choices: [] };
  }
}

type Show = (label: string, value: string) => void;
type RunStep = <Result>(title: string, run: (show: Show) => Promise<Result>) => Promise<Result>;

async function compare(certificate: Certificate, settings: Settings, step: RunStep): Promise<Verdict> {
  const { contractAddress, tokenId } = certificate;
  const { chain, reader } = await step('Find the contract', (show) => findContract(certificate, settings, show));
  const recorded = await step('Read the hash from the chain', async (show) => {
    show('Asked', `getMetadataHash(${tokenId}) of ${contractAddress}`);
    const answer = await reader.view(contractAddress, GET_METADATA_HASH + word(tokenId));
    if (answer === undefined) {
      const revocation = await readRevocation(reader, certificate);
      if (revocation !== undefined) {
        show('Revoked', revocation.at.toISOString());
        show('By', revocation.by);
        throw new Revoked(chain, revocation);
      }
      throw new Missing(
        'The contract has no certificate with this number: it was never issued, its holder has given it up, or the contract issues no certificates.',
      );
    }
    const hash = `0x${decodeWord(answer)}`;
    show('Hash on the chain', hash);
    return hash;
  });
  const uri = await step('Read where the document is', async (show) => {
    const text = await readUri(reader, certificate);
    show('Address of the document', text);
    return text;
  });
  const fetched = await step('Fetch the document', (show) => fetchDocument(uri, settings, show));
  const canonical = await step('Put it into canonical form (RFC 8785)', async (show) => {
    const text = canonicalForm(fetched.document);
    show('Length', `${new TextEncoder().encode(text).length} bytes`);
    return text;
  });
  const computed = await step('Compute its hash (SHA-256)', async (show) => {
    const hash = await sha256(canonical);
    show('Hash of the document', hash);
    return hash;
  });
  const isEqual = await step('Compare', async (show) => {
    show('On the chain', recorded);
    show('Of the document', computed);
    if (computed !== recorded) await showCopy(settings, recorded, show);
    return computed === recorded;
  });
  return { type: isEqual ? 'genuine' : 'altered', chain, content: { ...fetched, canonical } };
}

/** The chain of the certificate: the one that was named, or else the only one with a contract at the address. */
async function findContract({ contractAddress, chainId }: Certificate, { chains }: Settings, show: Show) {
  const candidates = chains.filter(({ id }) => chainId === undefined || id === chainId);
  if (candidates.length === 0) throw new CannotTell(`This page does not know the chain ${chainId}.`);
  show('Contract', contractAddress);
  for (const { title, rpcUrls } of candidates) {
    show(`Nodes of ${title}`, rpcUrls.map((url) => new URL(url).host).join(', '));
  }
  // If a chain does not answer, the contract may be there too, and the visitor has to say which chain is meant.
  const found = await Promise.all(
    candidates.map(async (chain) => {
      const reader = readChain(chain);
      return (await reader.hasCode(contractAddress)) ? [{ chain, reader }] : [];
    }),
  ).then((all) => all.flat());
  const [only] = found;
  if (only === undefined) {
    throw new Missing(`There is no contract at this address on ${candidates.map(({ title }) => title).join(' or ')}.`);
  }
  if (found.length > 1) throw new Ambiguous(found.map(({ chain }) => chain));
  show('Chain', `${only.chain.title} (${only.chain.id})`);
  return only;
}

/**
 * The revocation of a certificate that does not exist any more; undefined if there was none, or if its contract knows
 * none.
 */
async function readRevocation(
  reader: ChainReader,
  { contractAddress, tokenId }: Certificate,
): Promise<Revocation | undefined> {
  const answer = (await reader.view(contractAddress, REVOCATION_OF + word(tokenId))) ?? '';
  const [, who = '', when = ''] = /^([0-9a-f]{64})([0-9a-f]{64})$/.exec(answer) ?? [];
  const by = decodeAddress(who);
  const seconds = Number(`0x${when}`);
  if (by === undefined || /^0x0*$/.test(by) || !(seconds <= MAX_SECONDS)) return undefined;
  return { by, at: new Date(seconds * 1_000) };
}

async function readUri(reader: ChainReader, { contractAddress, tokenId }: Certificate): Promise<string> {
  const id = word(tokenId);
  const answer = (await reader.view(contractAddress, TOKEN_URI + id)) ?? (await reader.view(contractAddress, URI + id));
  if (answer === undefined) throw new CannotTell('The contract does not say where the document is.');
  return decodeString(answer).replaceAll('{id}', id);
}

async function fetchDocument(uri: string, { ipfsGateway, saved }: Settings, show: Show) {
  try {
    const url = fetchableUrl(uri, ipfsGateway);
    if (url !== uri) show('Fetched from', url);
    const bytes = await fetchBytes(url);
    show('Length', `${bytes.length} bytes`);
    return { document: parseDocument(utf8(bytes)), source: 'address' as const };
  } catch (error) {
    const reason = `The document cannot be read: ${reasonOf(error)}.`;
    if (saved === undefined) throw new CannotTell(reason);
    show('Problem', reason);
    show('Instead', 'the copy in this file');
    return { document: parseDocument(saved.document), source: 'copy' as const };
  }
}

/** The copy in a saved page may still be the original. */
async function showCopy({ saved }: Settings, recorded: string, show: Show): Promise<void> {
  if (saved === undefined) return;
  const hash = await sha256(canonicalForm(parseDocument(saved.document)));
  show('Of the copy in this file', `${hash} (${hash === recorded ? 'the original' : 'also another one'})`);
}

function canonicalForm(document: unknown): string {
  try {
    const text = canonicalize(document);
    if (text !== undefined) return text;
  } catch {
    // Reported below: a text that is no Unicode, or nesting beyond what a browser can follow.
  }
  throw new CannotTell('The document has no canonical form.');
}

async function sha256(text: string): Promise<string> {
  if (!isSecureContext) throw new CannotTell('Browsers compute hashes only on pages that are loaded by https.');
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `0x${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
