import { createClient, OrderFailedError, signedFields, transferTypedData } from 'nft-issuance-client';
import { createPublicClient, getAddress, http, parseAbi, sha256, toBytes } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const { NFT_URL = '', NFT_KEY = '', RPC_URL = '' } = process.env;
const nft = createClient({ baseUrl: NFT_URL, key: NFT_KEY });
const chain = createPublicClient({ transport: http(RPC_URL) });
const abi = parseAbi([
  'function ownerOf(uint256) view returns (address)',
  'function getMetadataHash(uint256) view returns (bytes32)',
]);
const chainId = '43114';

type TokenType = { contractType: 'standard' } | { contractType: 'certificate'; burnAuth: 'holder' | 'both' };

async function deploy(name: string, symbol: string, type: TokenType) {
  const contract = await nft.deployContract({ chainId, name, symbol, ercStandard: '721', ...type });
  return getAddress((await nft.waitFor(contract)).contractAddress);
}

// The holder's wallet. This one has no coins.
const holder = privateKeyToAccount(generatePrivateKey());
const friend = privateKeyToAccount(generatePrivateKey()).address;

// 1. A forwarder, once for each account and chain; then a contract, which trusts it.
await nft.waitFor(await nft.deployForwarder({ chainId, alias: 'guide' }));
const contractAddress = await deploy('Opening night', 'TIX', { contractType: 'standard' });

// 2. The first mint: the document of the token, then the order, by the number of the sale.
const metadata = await nft.createMetadata({
  chainId,
  name: 'Seat 12',
  imageUrl: 'https://example.com/seat-12.png',
  utility: { type: 'Flexible', data: { status: 'Unused' } },
});
const mint = { chainId, contractAddress, receiverAddress: holder.address, tokenId: '1', metadataId: metadata._id };
await nft.waitFor(await nft.orderMint(mint, { idempotencyKey: `sale-${contractAddress}-1` }));
console.log(`Minted: token 1 of ${contractAddress}`);

// 3. The first transfer without gas: the holder's wallet signs, the account pays.
const transfer = { chainId, contractAddress, tokenId: '1', from: holder.address, to: friend };
const prepared = await nft.prepareTransfer(transfer);
const signature = await holder.signTypedData(transferTypedData(prepared, transfer));
await nft.waitFor(await nft.executeTransfer({ ...transfer, ...signedFields(prepared, signature) }));
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
const document = await nft.createMetadata({
  chainId,
  name: 'Watch 1 of 10',
  imageUrl: 'https://example.com/watch.png',
  attributes: Object.entries(traits).map(([traitType, value]) => ({ traitType, value })),
  utility: { type: 'Certificate', data: { valid_until: null } },
});
const tokenUri = `${NFT_URL}/metadata/${certificates}/1`;
const certificate = await nft.orderMint({
  chainId,
  contractAddress: certificates,
  receiverAddress: holder.address,
  tokenId: '1',
  metadataId: document._id,
  metadataHash: document.metadataHash ?? '',
  tokenUri,
});
try {
  await nft.waitFor(certificate);
} catch (error) {
  if (error instanceof OrderFailedError) console.error('Not issued, and never will be: order another one');
  throw error;
}

// 5. Its check: the SHA-256 of the document is the hash on the chain.
const onChain = await chain.readContract({ address: certificates, abi, functionName: 'getMetadataHash', args: [1n] });
const computed = sha256(toBytes(await (await fetch(tokenUri)).text()));
if (onChain !== computed) throw new Error(`Altered: ${computed} instead of ${onChain}`);
console.log(`Genuine: ${computed}`);
