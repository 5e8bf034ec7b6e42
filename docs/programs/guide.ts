import createClient from 'openapi-fetch';
import { createPublicClient, getAddress, http, parseAbi, sha256, toBytes } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { paths } from './openapi.ts';

const { NFT_URL = '', NFT_KEY = '', RPC_URL = '' } = process.env;
const api = createClient<paths>({ baseUrl: NFT_URL, headers: { 'x-api-key': NFT_KEY } });
const chain = createPublicClient({ transport: http(RPC_URL) });
const abi = parseAbi([
  'function ownerOf(uint256) view returns (address)',
  'function getMetadataHash(uint256) view returns (bytes32)',
]);
const chainId = '43114';

/** The body of a reply. @throws what the service replied if it refused the request. */
async function bodyOf<Body>(reply: Promise<{ data?: Body; error?: unknown }>): Promise<Body> {
  const { data, error } = await reply;
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

interface Progress {
  readonly status: string;
  readonly errorMessage: string | null;
}

/** Polls a record until it has this status. */
async function waitFor<Record extends Progress>(status: string, read: () => Promise<Record>): Promise<Record> {
  for (;;) {
    const record = await read();
    if (record.status === status) return record;
    if (record.status === 'FAILED') throw new Error(record.errorMessage ?? 'It failed');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

const readContract = (id: string) => bodyOf(api.GET('/contracts/{id}', { params: { path: { id } } }));
const readMint = (id: string) => bodyOf(api.GET('/minting/{id}', { params: { path: { id } } }));
const readTransfer = (id: string) => bodyOf(api.GET('/transfer/{id}', { params: { path: { id } } }));

type TokenType = { contractType: 'standard' } | { contractType: 'certificate'; burnAuth: 'holder' | 'both' };

async function deploy(name: string, symbol: string, type: TokenType) {
  const body = { chainId, name, symbol, ercStandard: '721', ...type } as const;
  const { _id } = await bodyOf(api.POST('/contracts/deploy', { body }));
  const { contractAddress } = await waitFor('ACTIVE', () => readContract(_id));
  return getAddress(contractAddress ?? '');
}

// The holder's wallet. This one has no coins.
const holder = privateKeyToAccount(generatePrivateKey());
const friend = privateKeyToAccount(generatePrivateKey()).address;

// 1. A forwarder, once for each account and chain; then a contract, which trusts it.
const forwarder = await bodyOf(api.POST('/contracts/forwarder', { body: { chainId, alias: 'guide' } }));
await waitFor('ACTIVE', () => readContract(forwarder._id));
const contractAddress = await deploy('Opening night', 'TIX', { contractType: 'standard' });

// 2. The first mint: the document of the token, then the order.
const metadata = await bodyOf(
  api.POST('/metadata', {
    body: {
      chainId,
      name: 'Seat 12',
      imageUrl: 'https://example.com/seat-12.png',
      utility: { type: 'Flexible', data: { status: 'Unused' } },
    },
  }),
);
const order = await bodyOf(
  api.POST('/minting/order', {
    params: { header: { 'idempotency-key': `mint-${contractAddress}-1` } },
    body: { chainId, contractAddress, receiverAddress: holder.address, tokenId: '1', metadataId: metadata._id },
  }),
);
await waitFor('CONFIRMED', () => readMint(order.id));
console.log(`Minted: token 1 of ${contractAddress}`);

// 3. The first transfer without gas: the holder's wallet signs, the account pays.
const transfer = { chainId, contractAddress, tokenId: '1', from: holder.address, to: friend };
const prepared = await bodyOf(api.POST('/transfer/prepare', { body: transfer }));
const signature = await holder.signTypedData({
  domain: { ...prepared.domain, verifyingContract: getAddress(prepared.domain.verifyingContract) },
  types: prepared.types,
  primaryType: prepared.primaryType,
  message: prepared.request,
});
const moved = await bodyOf(
  api.POST('/transfer/execute', {
    body: {
      ...transfer,
      signature,
      gasLimit: prepared.request.gas,
      forwarderNonce: prepared.request.nonce,
      forwarderAddress: prepared.domain.verifyingContract,
    },
  }),
);
await waitFor('CONFIRMED', () => readTransfer(moved.id));
const owner = await chain.readContract({ address: contractAddress, abi, functionName: 'ownerOf', args: [1n] });
console.log(`Transferred: token 1 belongs to ${owner}`);

// 4. A certificate: the hash of its document goes on the chain.
// burnAuth is fixed here: with both, holders can burn their certificates, and you can revoke them.
const certificates = await deploy('Watches', 'CERT', { contractType: 'certificate', burnAuth: 'both' });
const traits = {
  Type: 'Authenticity',
  'Serial Number': 'SN-0001',
  'Style Name': 'Diver',
  'Issuer (Mint by)': 'Example',
  Creator: 'A. Maker',
  'Issue Date': 1_767_225_600,
  Transferability: 'Non-Transferable (SBT)',
};
const document = await bodyOf(
  api.POST('/metadata', {
    body: {
      chainId,
      name: 'Watch 1 of 10',
      imageUrl: 'https://example.com/watch.png',
      attributes: Object.entries(traits).map(([traitType, value]) => ({ traitType, value })),
      utility: { type: 'Certificate', data: { valid_until: null } },
    },
  }),
);
const tokenUri = `${NFT_URL}/metadata/${certificates}/1`;
const certificate = await bodyOf(
  api.POST('/minting/order', {
    body: {
      chainId,
      contractAddress: certificates,
      receiverAddress: holder.address,
      tokenId: '1',
      metadataId: document._id,
      metadataHash: document.metadataHash ?? '',
      tokenUri,
    },
  }),
);
await waitFor('CONFIRMED', () => readMint(certificate.id));

// 5. Its check: the SHA-256 of the document is the hash on the chain.
const onChain = await chain.readContract({ address: certificates, abi, functionName: 'getMetadataHash', args: [1n] });
const computed = sha256(toBytes(await (await fetch(tokenUri)).text()));
if (onChain !== computed) throw new Error(`Altered: ${computed} instead of ${onChain}`);
console.log(`Genuine: ${computed}`);
