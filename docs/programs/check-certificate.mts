import { createHash } from 'node:crypto';

const [rpcUrl = '', contract = '', tokenId = ''] = process.argv.slice(2);
const tokenIdHex = BigInt(tokenId).toString(16).padStart(64, '0');

/** Calls a view function that takes the token id. */
async function readContract(selector: string): Promise<string> {
  const call = { to: contract, data: selector + tokenIdHex };
  const reply = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [call, 'latest'] }),
  });
  const { result, error } = await reply.json();
  if (error) throw new Error(error.message);
  return result;
}

/** The text in the answer of a function that returns one: 32 bytes of offset, 32 of length, the text. */
function textOf(answer: string): string {
  const bytes = Buffer.from(answer.slice(2), 'hex');
  return bytes.subarray(64, 64 + Number(BigInt(`0x${bytes.toString('hex', 32, 64)}`))).toString('utf8');
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`;
}

// 1. The hash on chain: getMetadataHash(uint256).
const onChain = await readContract('0xf448f871');
// 2. The document: at tokenURI(uint256), on ERC-1155 at uri(uint256).
const uri = textOf(await readContract('0xc87b56dd').catch(() => readContract('0x0e89341c')));
const document: unknown = await (await fetch(uri.replace('{id}', tokenIdHex))).json();
// 3. Its hash.
const computed = `0x${createHash('sha256').update(canonical(document), 'utf8').digest('hex')}`;
// 4. Are they the same?
console.log(computed === onChain ? 'genuine' : 'NOT genuine', { uri, onChain, computed });
process.exitCode = computed === onChain ? 0 : 1;
