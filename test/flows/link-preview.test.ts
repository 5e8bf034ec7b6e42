import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMetadata, deployContract, newClient, receiverAddress, stack, type Client } from '../fixtures/client.ts';
import { startEdge, type RunningEdge } from '../fixtures/edge.ts';

const HOSTILE = `"><script>alert('1')</script> & {settings} {origins} $&`;
const ESCAPED = '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; {settings} {origins} $&amp;';

let client: Client;
let edge: RunningEdge;
let contractAddress: string;

beforeAll(async () => {
  [client, edge] = await Promise.all([newClient(), startEdge()]);
  ({ contractAddress } = await deployContract(client));
});
afterAll(() => edge.stop());

/** Mints a token. @returns the path of its check. */
async function mint(tokenId: string, document: Record<string, unknown>): Promise<string> {
  const metadataId = await createMetadata(client, document);
  const order = { chainId: '43114', contractAddress, receiverAddress, tokenId, metadataId };
  const accepted = await client.post('/minting/order', order);
  const ended = await client.until(`/minting/${accepted.body.id}`, ['CONFIRMED', 'FAILED']);
  expect(ended).toMatchObject({ status: 'CONFIRMED' });
  return `/verify/${contractAddress}/${tokenId}`;
}

/** Previews of a collection's page. */
const collectionPath = (address = contractAddress) => `/collection/43114/${address}`;

/**
 * The elements of the head that previews are made from, by both Workers, which must agree. A busy machine may take longer
 * for the document than the page waits.
 */
async function previewOf(path: string): Promise<string[]> {
  const [here, there] = await Promise.all(
    [stack.url, edge.url].map(async (origin) => {
      const reply = await fetch(origin + path, { headers: { 'if-none-match': '"1"' } });
      expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'no-cache']);
      const html = await reply.text();
      return html.match(/<title>.*?<\/title>|<meta property="og:.*?\/>/g) ?? [];
    }),
  );
  expect(there).toEqual(here);
  return here ?? [];
}

const nothing = [
  '<title>Certificate check</title>',
  '<meta property="og:type" content="website" />',
  '<meta property="og:title" content="Certificate check" />',
];

describe('the preview of a link to the certificate check', () => {
  it('has name, description and picture, in which nothing is HTML or a placeholder of the page', async () => {
    const image = 'https://example.com/a.png?x=1&y=2';
    const path = await mint('1', { name: HOSTILE, description: HOSTILE, imageUrl: image });
    await expect
      .poll(() => previewOf(path))
      .toEqual([
        `<title>Certificate check: ${ESCAPED}</title>`,
        '<meta property="og:type" content="website" />',
        `<meta property="og:title" content="Certificate check: ${ESCAPED}" />`,
        `<meta property="og:description" content="${ESCAPED}" />`,
        '<meta property="og:image" content="https://example.com/a.png?x=1&amp;y=2" />',
      ]);
  });

  it('cuts long texts, and shows a picture on IPFS by the gateway', async () => {
    const path = await mint('2', {
      name: '⌚'.repeat(150),
      description: 'b'.repeat(400),
      imageUrl: 'ipfs://cid/a.png',
    });
    let preview: string[] = [];
    await expect.poll(async () => (preview = await previewOf(path))).toHaveLength(5);
    expect(preview[0]).toBe(`<title>Certificate check: ${'⌚'.repeat(99)}…</title>`);
    expect(preview[3]).toBe(`<meta property="og:description" content="${'b'.repeat(299)}…" />`);
    expect(preview[4]).toMatch(/content="https?:\/\/[^"]+\/ipfs\/cid\/a\.png"/);
  });

  it('has nothing that reverses what follows it', async () => {
    const path = await mint('3', { name: '\u202egnp.exe\u2066', description: 'a\u202eb' });
    await expect
      .poll(async () => (await previewOf(path)).filter((one) => /title|description/.test(one)))
      .toEqual([
        '<title>Certificate check: gnp.exe</title>',
        '<meta property="og:title" content="Certificate check: gnp.exe" />',
        '<meta property="og:description" content="ab" />',
      ]);
  });

  it('has nothing of a token without a document, or of no token', async () => {
    for (const path of [`/verify/${contractAddress}/999`, `/verify/0x${'ab'.repeat(20)}/1`, '/verify']) {
      expect([path, await previewOf(path)]).toEqual([path, nothing]);
    }
  });
});

describe("the preview of a link to a collection's page", () => {
  it('has name, description and picture, in which nothing is HTML or a placeholder of the page', async () => {
    const { contractAddress: address, _id } = await deployContract(client);
    const image = 'https://example.com/a.png?x=1&y=2';
    await client.put(`/contracts/${_id}/metadata`, { name: HOSTILE, description: HOSTILE, imageUrl: image });
    await expect
      .poll(() => previewOf(collectionPath(address)))
      .toEqual([
        `<title>Collection: ${ESCAPED}</title>`,
        '<meta property="og:type" content="website" />',
        `<meta property="og:title" content="Collection: ${ESCAPED}" />`,
        `<meta property="og:description" content="${ESCAPED}" />`,
        '<meta property="og:image" content="https://example.com/a.png?x=1&amp;y=2" />',
      ]);
  });

  it('has the name that the contract has until there is more, and nothing of no collection', async () => {
    await expect
      .poll(async () => (await previewOf(collectionPath()))[0])
      .toBe('<title>Collection: Test tokens</title>');
    expect(await previewOf(collectionPath(`0x${'ab'.repeat(20)}`))).toEqual([
      '<title>Collection</title>',
      '<meta property="og:type" content="website" />',
      '<meta property="og:title" content="Collection" />',
    ]);
  });
});
