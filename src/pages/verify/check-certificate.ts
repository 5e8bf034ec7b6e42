import canonicalize from 'canonicalize';
import { decodeAddress, decodeString, decodeWord, word } from './abi.ts';
import { CannotTell, reasonOf } from '../shared/visitors/cannot-tell.ts';
import { readChain, type ChainReader } from './chain-reader.ts';
import { proofUrl } from '../shared/issuer-proof.ts';
import { readConfirmation, requireProof, type Confirmation } from '../shared/visitors/confirm-issuer.ts';
import { fetchableUrl } from './document-url.ts';
import { fetchBytes, utf8 } from '../shared/visitors/fetch-bytes.ts';
import { parseDocument } from './parse-document.ts';
import { OtherCode, readDeployment, requirePublishedCode, type PublishedCode } from './published-code.ts';
import { readIssuer } from './read-issuer.ts';
import type { Certificate, Chain, Settings } from '../shared/visitors/settings.ts';
import type { Message } from '../shared/visitors/texts.ts';
import { isRecord } from '../shared/is-record.ts';
import { dateText } from '../shared/visitors/values.ts';

/** The selectors of docs/certificates.md. */
const GET_METADATA_HASH = 'f448f871';
const TOKEN_URI = 'c87b56dd';
const URI = '0e89341c';
const REVOCATION_OF = 'fe808fd4';
/** `totalSupply(uint256)`, which ERC-721 contracts do not have. */
const TOTAL_SUPPLY = 'bd85b039';

/** The last second that a browser's dates have. */
const MAX_SECONDS = 8_640_000_000_000;

/** One step of the check, for the visitor to follow. */
export interface Step {
  readonly title: Message;
  readonly state: 'running' | 'done' | 'failed';
  readonly values: readonly (readonly [label: Message, value: Message])[];
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
  /**
   * Whether it is the last one of some of the units of an ERC-1155 certificate: holders may have burned the others since.
   */
  readonly isOfUnits: boolean;
}

/** Published code; `other`: the contract is not known to have any, so it may say anything; `unread`: nobody said. */
export type ContractCode = PublishedCode | 'other' | 'unread';

interface Compared {
  readonly chain: Chain;
  readonly content: Content;
}

/** The end of a check. */
export type Verdict =
  /** The document has the hash on the chain, and it is known who issued it. */
  | (Compared & {
      readonly type: 'confirmed';
      readonly code: PublishedCode;
      /** In lower case. */
      readonly wallet: string;
      readonly confirmation: Confirmation;
    })
  /**
   * The document has the hash on the chain. `wallet`: the one that issued it; undefined if it could not be read.
   * `unproven`: the domain that the operator names, which does not prove that the wallet is its own.
   */
  | (Compared & {
      readonly type: 'unaltered';
      readonly code: PublishedCode;
      readonly wallet: string | undefined;
      readonly unproven: string | undefined;
    })
  /** It has the hash that the contract states, which proves nothing: the contract is not known to have published code. */
  | (Compared & { readonly type: 'unverified' })
  /** It has another one. */
  | (Compared & { readonly type: 'altered'; readonly code: ContractCode })
  /**
   * The chain says that its issuer has revoked it. `document`: what this site or the saved page has about it; undefined
   * if nothing. `reason`: the one that this site knows; undefined if it knows none.
   */
  | {
      readonly type: 'revoked';
      readonly chain: Chain;
      readonly code: ContractCode;
      readonly revocation: Revocation;
      readonly document: unknown;
      readonly reason: string | undefined;
    }
  /** The chain says that there is no such certificate. */
  | { readonly type: 'missing'; readonly reason: Message }
  /** Neither can be said. `choices`: chains that the visitor must choose from. */
  | { readonly type: 'unknown'; readonly reason: Message; readonly choices: readonly Chain[] };

/** The chain has no such certificate. */
class Missing extends Error {
  readonly reason: Message;

  constructor(reason: Message) {
    super();
    this.reason = reason;
  }
}

/** Its issuer has revoked the certificate. */
class Revoked extends Error {
  readonly chain: Chain;
  readonly code: ContractCode;
  readonly revocation: Revocation;

  constructor(chain: Chain, code: ContractCode, revocation: Revocation) {
    super();
    this.chain = chain;
    this.code = code;
    this.revocation = revocation;
  }
}

/** More than one chain has a contract at the address. */
class Ambiguous extends Error {
  readonly choices: readonly Chain[];

  constructor(choices: readonly Chain[]) {
    super();
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
    const values: [Message, Message][] = [];
    const set = (state: Step['state']) => {
      steps[index] = { title, state, values: [...values] };
      report([...steps]);
    };
    set('running');
    const show: Show = (label, value) => {
      values.push([label, typeof value === 'string' ? () => value : value]);
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
    if (error instanceof Revoked) {
      const { chain, code, revocation } = error;
      const [document, reason] = await Promise.all([
        documentOfRevoked(certificate, settings),
        reasonOfRevoked(chain, certificate, settings),
      ]);
      return { type: 'revoked', chain, code, revocation, document, reason };
    }
    if (error instanceof Missing) return { type: 'missing', reason: error.reason };
    if (error instanceof Ambiguous) {
      return { type: 'unknown', reason: ({ reasons }) => reasons.severalChains, choices: error.choices };
    }
    return { type: 'unknown', reason: reasonOf(error), choices: [] };
  }
}

type Show = (label: Message, value: Message | string) => void;
type RunStep = <Result>(title: Message, run: (show: Show) => Promise<Result>) => Promise<Result>;

async function compare(certificate: Certificate, settings: Settings, step: RunStep): Promise<Verdict> {
  const { contractAddress, tokenId } = certificate;
  const { chain, reader } = await step(
    ({ steps }) => steps.findContract,
    (show) => findContract(certificate, settings, show),
  );
  const coding = findCode(chain, certificate, settings, step);
  const recorded = await step(
    ({ steps }) => steps.readHash,
    async (show) => {
      show(
        ({ values }) => values.asked,
        ({ values }) => values.question(`getMetadataHash(${tokenId})`, contractAddress),
      );
      const answer = await reader.view(contractAddress, GET_METADATA_HASH + word(tokenId));
      if (answer === undefined) {
        const revocation = await readRevocation(reader, certificate);
        if (revocation === undefined) throw new Missing(({ reasons }) => reasons.noCertificate);
        show(({ values }) => values.revoked, dateMessage(revocation.at));
        show(({ values }) => values.by, revocation.by);
        throw new Revoked(chain, await coding, revocation);
      }
      const hash = `0x${decodeWord(answer)}`;
      show(({ values }) => values.hashOnChain, hash);
      return hash;
    },
  );
  const uri = await step(
    ({ steps }) => steps.readUri,
    async (show) => {
      const text = await readUri(reader, certificate);
      show(({ values }) => values.uri, text);
      return text;
    },
  );
  const fetched = await step(
    ({ steps }) => steps.fetchDocument,
    (show) => fetchDocument(uri, certificate, settings, show),
  );
  const canonical = await step(
    ({ steps }) => steps.canonicalize,
    async (show) => {
      const text = canonicalForm(fetched.document);
      showLength(show, new TextEncoder().encode(text).length);
      return text;
    },
  );
  const computed = await step(
    ({ steps }) => steps.hash,
    async (show) => {
      const hash = await sha256(canonical);
      show(({ values }) => values.hashOfDocument, hash);
      return hash;
    },
  );
  const isEqual = await step(
    ({ steps }) => steps.compare,
    async (show) => {
      show(({ values }) => values.onChain, recorded);
      show(({ values }) => values.ofDocument, computed);
      if (computed !== recorded) await showCopy(settings, recorded, show);
      return computed === recorded;
    },
  );
  const compared = { chain, content: { ...fetched, canonical } };
  const code = await coding;
  if (!isEqual) return { type: 'altered', ...compared, code };
  // It could name any wallet, so nobody is asked whose that is.
  if (code === 'other') return { type: 'unverified', ...compared };
  if (code === 'unread') throw new CannotTell(({ unreadCode }) => unreadCode);
  const wallet = await findIssuer(reader, certificate, step);
  if (wallet === undefined) return { type: 'unaltered', ...compared, code, wallet, unproven: undefined };
  const confirmation = await findConfirmation(chain, certificate, wallet, settings, step);
  return confirmation?.isProven === true
    ? { type: 'confirmed', ...compared, code, wallet, confirmation }
    : { type: 'unaltered', ...compared, code, wallet, unproven: confirmation?.domain };
}

/** The published code of the contract, or why there is none. */
async function findCode(
  chain: Chain,
  { contractAddress }: Certificate,
  settings: Settings,
  step: RunStep,
): Promise<ContractCode> {
  try {
    return await step(
      ({ steps }) => steps.compareCode,
      async (show) => {
        show(
          ({ values }) => values.asked,
          ({ values }) => (settings.saved === undefined ? settings.origin : values.file),
        );
        try {
          const code = requirePublishedCode(contractAddress, await readDeployment(chain, contractAddress, settings));
          show(({ values }) => values.code, code.names.join(', '));
          return code;
        } catch (error) {
          show(({ values }) => values.problem, reasonOf(error));
          throw error;
        }
      },
    );
  } catch (error) {
    return error instanceof OtherCode ? 'other' : 'unread';
  }
}

/** The wallet that issued the certificate; undefined if it cannot be read, which says nothing about the document. */
async function findIssuer(reader: ChainReader, certificate: Certificate, step: RunStep): Promise<string | undefined> {
  try {
    return await step(
      ({ steps }) => steps.readIssuer,
      async (show) => {
        const { contractAddress, tokenId } = certificate;
        show(
          ({ values }) => values.asked,
          ({ values }) => values.question(`issuerOf(${tokenId})`, contractAddress),
        );
        const wallet = await readIssuer(reader, certificate);
        if (wallet === undefined) throw new CannotTell(({ issuerUnread }) => issuerUnread);
        show(({ values }) => values.wallet, wallet);
        return wallet;
      },
    );
  } catch {
    return undefined;
  }
}

/** Who the operator says that the issuer is, and whether the domain proves it; undefined if nobody says. */
async function findConfirmation(
  chain: Chain,
  certificate: Certificate,
  wallet: string,
  settings: Settings,
  step: RunStep,
): Promise<(Confirmation & { readonly isProven: boolean }) | undefined> {
  let confirmation: Confirmation | undefined;
  try {
    confirmation = await step(
      ({ steps }) => steps.readConfirmation,
      async (show) => {
        show(({ values }) => values.asked, settings.origin);
        const found = await readConfirmation(chain, certificate, wallet, settings);
        if (found === undefined) throw new CannotTell(({ reasons }) => reasons.malformed);
        show(({ values }) => values.domain, found.domain);
        return found;
      },
    );
    const { domain } = confirmation;
    await step(
      ({ steps }) => steps.readProof,
      async (show) => {
        show(({ values }) => values.asked, proofUrl(domain));
        try {
          await requireProof(domain, chain, wallet);
        } catch (error) {
          show(({ values }) => values.problem, reasonOf(error));
          throw error;
        }
        show(({ values }) => values.wallet, wallet);
      },
    );
    return { ...confirmation, isProven: true };
  } catch {
    return confirmation && { ...confirmation, isProven: false };
  }
}

/**
 * The chain of the certificate: the one that was named, else the one on which this site knows how the contract was
 * created, else the only one with a contract at the address. Anyone can send a published creation call on another
 * chain, where the contract then has the same address: main chains go before test chains.
 */
async function findContract({ contractAddress, chainId }: Certificate, settings: Settings, show: Show) {
  const named = settings.chains.filter(({ id }) => chainId === undefined || id === chainId);
  if (named.length === 0) throw new CannotTell(({ reasons }) => reasons.unknownChain(chainId ?? ''));
  show(({ contract }) => contract, contractAddress);
  const known = named.length === 1 ? [] : mainBeforeTest(await chainsKnown(named, contractAddress, settings));
  const candidates = known.length === 0 ? named : known;
  for (const { title, rpcUrls } of candidates) {
    show(({ values }) => values.nodesOf(title), rpcUrls.map((url) => new URL(url).host).join(', '));
  }
  // If a chain does not answer, the contract may be there too, and the visitor has to say which chain is meant.
  const found = await Promise.all(
    candidates.map(async (chain) => {
      const reader = readChain(chain);
      return (await reader.hasCode(contractAddress)) ? [{ chain, reader }] : [];
    }),
  ).then((all) => all.flat());
  const chosen = mainBeforeTest(found.map(({ chain }) => chain));
  const only = found.find(({ chain }) => chain === chosen[0]);
  if (only === undefined) {
    throw new Missing(({ reasons }) => reasons.noContract(candidates.map(({ title }) => title)));
  }
  if (chosen.length > 1) throw new Ambiguous(chosen);
  show(({ values }) => values.chain, `${only.chain.title} (${only.chain.id})`);
  return only;
}

/** The main chains, or, if there are none, the test chains. */
function mainBeforeTest(chains: readonly Chain[]): readonly Chain[] {
  const main = chains.filter(({ isTest }) => !isTest);
  return main.length > 0 ? main : chains;
}

/** The chains on which this site knows how a contract was created; none if it does not answer. */
async function chainsKnown(chains: readonly Chain[], address: string, settings: Settings): Promise<Chain[]> {
  const known = await Promise.all(
    chains.map(async (chain) => {
      try {
        await readDeployment(chain, address, settings);
        return [chain];
      } catch {
        return [];
      }
    }),
  );
  return known.flat();
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
  const isOfUnits = (await reader.view(contractAddress, TOTAL_SUPPLY + word(tokenId))) !== undefined;
  return { by, at: new Date(seconds * 1_000), isOfUnits };
}

/**
 * The document of a certificate that was revoked. The chain has neither its hash nor its address any more, so this site
 * is asked for it, or else a saved page has it.
 */
async function documentOfRevoked(
  { contractAddress, tokenId }: Certificate,
  { origin, saved }: Settings,
): Promise<unknown> {
  try {
    if (saved !== undefined) return parseDocument(saved.document);
    return parseDocument(utf8(await fetchBytes(`${origin}/metadata/${contractAddress}/${tokenId}`)));
  } catch {
    return undefined;
  }
}

/** Why a certificate was revoked: only this site knows, since the reason is not on the chain. */
async function reasonOfRevoked(
  chain: Chain,
  { contractAddress, tokenId }: Certificate,
  { origin }: Settings,
): Promise<string | undefined> {
  try {
    const bytes = await fetchBytes(`${origin}/certificates/${contractAddress}/${tokenId}/revocation`);
    const reply: unknown = JSON.parse(utf8(bytes));
    if (!isRecord(reply) || reply['chainId'] !== chain.id) return undefined;
    return typeof reply['reason'] === 'string' ? reply['reason'] : undefined;
  } catch {
    return undefined;
  }
}

async function readUri(reader: ChainReader, { contractAddress, tokenId }: Certificate): Promise<string> {
  const id = word(tokenId);
  const answer = (await reader.view(contractAddress, TOKEN_URI + id)) ?? (await reader.view(contractAddress, URI + id));
  if (answer === undefined) throw new CannotTell(({ reasons }) => reasons.noUri);
  return decodeString(answer).replaceAll('{id}', id);
}

async function fetchDocument(
  uri: string,
  { contractAddress, tokenId }: Certificate,
  { ipfsGateway, saved, archive, origin }: Settings,
  show: Show,
) {
  const readFrom = async (url: string) => {
    if (url !== uri) show(({ values }) => values.fetchedFrom, url);
    const bytes = await fetchBytes(url);
    showLength(show, bytes.length);
    return { document: parseDocument(utf8(bytes)), source: 'address' as const };
  };
  if (archive !== undefined) {
    try {
      return await readFrom(`${origin}/metadata/${contractAddress}/${tokenId}`);
    } catch (error) {
      show(({ values }) => values.problem, reasonOf(error));
    }
  }
  try {
    return await readFrom(fetchableUrl(uri, ipfsGateway));
  } catch (error) {
    const reason: Message = (texts) => texts.reasons.unreadable(reasonOf(error)(texts));
    if (saved === undefined) throw new CannotTell(reason);
    show(({ values }) => values.problem, reason);
    show(
      ({ values }) => values.instead,
      ({ values }) => values.copy,
    );
    return { document: parseDocument(saved.document), source: 'copy' as const };
  }
}

function showLength(show: Show, bytes: number): void {
  show(
    ({ values }) => values.length,
    ({ values }) => values.bytes(bytes),
  );
}

/** The copy in a saved page may still be the original. */
async function showCopy({ saved }: Settings, recorded: string, show: Show): Promise<void> {
  if (saved === undefined) return;
  const hash = await sha256(canonicalForm(parseDocument(saved.document)));
  show(
    ({ values }) => values.ofCopy,
    ({ values }) => `${hash} (${hash === recorded ? values.original : values.anotherOne})`,
  );
}

function dateMessage(date: Date): Message {
  return (texts) => dateText(date, texts);
}

function canonicalForm(document: unknown): string {
  try {
    const text = canonicalize(document);
    if (text !== undefined) return text;
  } catch {
    // Reported below: a text that is no Unicode, or nesting beyond what a browser can follow.
  }
  throw new CannotTell(({ reasons }) => reasons.noCanonicalForm);
}

async function sha256(text: string): Promise<string> {
  if (!isSecureContext) throw new CannotTell(({ reasons }) => reasons.insecure);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `0x${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
