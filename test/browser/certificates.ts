import { inject } from 'vitest';
import { privateKeyToAddress, generatePrivateKey } from 'viem/accounts';
import { connectApi, type Resource } from '../../scripts/demo/api.ts';

const info = inject('info');
const api = connectApi(info);
const chainId = '43114';

/** A certificate that has been issued. */
export interface Issued {
  readonly contractAddress: string;
  readonly tokenId: string;
  readonly holder: string;
  /** Its document, as served. */
  readonly document: Resource;
  /** The path of its check. */
  readonly path: string;
}

/** Deploys a contract for certificates. @param by The account; default: `demo`. @returns its address. */
export async function deployCertificates(ercStandard: '721' | '1155', fields: object = {}, by = api): Promise<string> {
  const accepted = await by.post('/contracts/deploy', {
    chainId,
    name: 'Horologe Certificates',
    symbol: 'CERT',
    ercStandard,
    contractType: 'certificate',
    ...fields,
  });
  return String((await by.result(`/contracts/${String(accepted['_id'])}`))['contractAddress']);
}

/** Deploys a forwarder. @returns its address. */
export async function deployForwarder(): Promise<string> {
  const accepted = await api.post('/contracts/forwarder', { chainId, alias: 'forwarder' });
  return String((await api.result(`/contracts/${String(accepted['_id'])}`))['contractAddress']);
}

/**
 * Issues a certificate.
 * @param tokenUri Where its document is; default: this service.
 */
export async function issueCertificate(
  contractAddress: string,
  tokenId: string,
  fields: { readonly tokenUri?: string; readonly amount?: number; readonly metadata?: object } = {},
): Promise<Issued> {
  const holder = privateKeyToAddress(generatePrivateKey());
  const metadata = await api.post('/metadata', { ...input, ...fields.metadata });
  const { tokenUri = `${info.baseUrl}/metadata/${contractAddress}/${tokenId}`, amount } = fields;
  const order = await api.post('/minting/order', {
    chainId,
    contractAddress,
    receiverAddress: holder,
    tokenId,
    metadataId: metadata['_id'],
    metadataHash: metadata['metadataHash'],
    tokenUri,
    ...(amount === undefined ? {} : { amount }),
  });
  await api.result(`/minting/${String(order['id'])}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API's own reply
  const document = metadata['standardFields'] as Resource;
  return { contractAddress, tokenId, holder, document, path: `/verify/${contractAddress}/${tokenId}` };
}

/** Gives a contract another owner, and waits until the chain says so. */
export async function transferOwnership(contractAddress: string, newOwnerAddress: string): Promise<void> {
  const accepted = await api.post('/contracts/transfer-ownership', { chainId, contractAddress, newOwnerAddress });
  await api.result(`/contracts/transfer-ownership/${String(accepted['jobId'])}`);
}

/** Revokes a certificate, and waits until the chain says so. @returns the account's wallet, its issuer. */
export async function revokeCertificate(
  { contractAddress, tokenId, holder }: Issued,
  fields: { readonly amount?: number } = {},
): Promise<string> {
  const revocation = { chainId, contractAddress, tokenId, from: holder, reason: 'Reported stolen', ...fields };
  const { id } = await api.post('/certificates/revoke', revocation);
  await api.result(`/certificates/revoke/${String(id)}`);
  return info.walletAddress;
}

const input = {
  chainId,
  name: 'Certificate of authenticity: Diver No. 7 of 50',
  description:
    'A mechanical diving watch, cased in bronze. Assembled, regulated and tested for 15 days in the atelier.',
  imageUrl: 'https://documents.example/watch.svg',
  externalUrl: 'https://horologe.example/diver',
  attributes: [
    { traitType: 'Type', value: 'Authenticity' },
    { traitType: 'Serial Number', value: 'HD-2026-0007' },
    { traitType: 'Style Name', value: 'Diver' },
    { traitType: 'Issuer (Mint by)', value: 'Horologe' },
    { traitType: 'Creator', value: 'A. Maker' },
    { traitType: 'Issue Date', value: 1_767_225_600 },
    { traitType: 'Transferability', value: 'Non-Transferable (SBT)' },
  ],
  utility: { type: 'Certificate', data: { valid_until: 2_000_000_000, case_material: 'Bronze' } },
};

/** Calls a method of a local chain's node. */
export async function chainRpc(id: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const reply = await fetch(info.rpcUrls[id] ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON-RPC
  const { result, error } = (await reply.json()) as { result?: unknown; error?: { message: string } };
  if (error !== undefined) throw new Error(error.message);
  return result;
}
