import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import type { Api, Resource } from '../scripts/demo/api.ts';
import { chainId, createMetadata } from './bench-resources.ts';
import type { PartnerRequest } from './far-stack.ts';

/** What makes a request of a kind, with whatever it is about, which is not measured. By the id of the operation. */
export type PartnerRequests = Readonly<Record<string, () => PartnerRequest | Promise<PartnerRequest>>>;

const typedDataSchema = z.object({
  domain: z.object({ name: z.string(), version: z.string(), chainId: z.number(), verifyingContract: z.string() }),
  types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
  primaryType: z.string(),
  request: z.record(z.string(), z.unknown()),
});

const certificate = {
  chainId,
  name: 'Watch',
  imageUrl: 'https://example.com/watch.png',
  attributes: [
    { traitType: 'Type', value: 'Authenticity' },
    { traitType: 'Serial Number', value: 'SN-0001' },
    { traitType: 'Style Name', value: 'Diver' },
    { traitType: 'Issuer (Mint by)', value: 'Horologe' },
    { traitType: 'Creator', value: 'A. Maker' },
    { traitType: 'Issue Date', value: 1_767_225_600 },
    { traitType: 'Transferability', value: 'Non-Transferable (SBT)' },
  ],
  utility: { type: 'Certificate', data: { valid_until: 2_000_000_000 } },
};

const metadata = {
  chainId,
  name: 'Far',
  imageUrl: 'https://example.com/f.png',
  utility: { type: 'Flexible', data: { status: 'Unused' } },
};

const once = () => ({ 'idempotency-key': crypto.randomUUID() });

const edit = (metadataId: unknown): PartnerRequest => ({
  method: 'PATCH',
  path: `/metadata/${String(metadataId)}`,
  headers: { 'if-match': '"1"' },
  body: { name: 'Edited' },
});

const post = (path: string, body?: object, headers: Record<string, string> = {}): PartnerRequest => ({
  method: 'POST',
  path,
  headers,
  ...(body === undefined ? {} : { body }),
});

/**
 * The writes that partners make, and the reads that are more than one of a record. Each makes what the reads of records
 * are about.
 */
export async function partnerRequests(api: Api): Promise<PartnerRequests> {
  const holder = privateKeyToAccount(generatePrivateKey());
  const friend = privateKeyToAccount(generatePrivateKey()).address;
  const contract = { chainId, name: 'Far', symbol: 'F', ercStandard: '721', contractType: 'standard' };
  const active = async (path: string, body: object): Promise<Resource> => {
    const { _id } = await api.post(path, body);
    return await api.result(`/contracts/${String(_id)}`);
  };
  const deployed = async (path: string, body: object) => (await active(path, body))['contractAddress'];
  const idOfDeployed = async () => String((await active('/contracts/deploy', contract))['_id']);
  const forwarderAddress = await deployed('/contracts/forwarder', { chainId, alias: 'far' });
  const contractAddress = await deployed('/contracts/deploy', contract);
  const certificates = await deployed('/contracts/deploy', {
    ...contract,
    contractType: 'certificate',
    burnAuth: 'issuer',
  });

  let lastToken = 0;
  const order = async (fields: object = {}): Promise<Resource> => ({
    chainId,
    contractAddress,
    receiverAddress: holder.address,
    tokenId: String((lastToken += 1)),
    metadataId: (await createMetadata(api, 1))[0],
    ...fields,
  });
  const claim = async () => ({ ...(await order()), receiverAddress: undefined });
  const orders = async (count: number) => ({ orders: await Promise.all(Array.from({ length: count }, () => order())) });
  const minted = async (fields: object = {}): Promise<Resource> => {
    const { id } = await api.post('/minting/order', await order(fields));
    return await api.result(`/minting/${String(id)}`);
  };
  const certified = async () => {
    const { _id: metadataId, metadataHash } = await api.post('/metadata', certificate);
    const tokenUri = 'https://example.com/certificate';
    return await minted({ contractAddress: certificates, metadataId, metadataHash, tokenUri });
  };
  const revocable = async () => {
    const { tokenId } = await certified();
    return { chainId, contractAddress: certificates, tokenId, from: holder.address, reason: 'Lost' };
  };
  const ownMint = async () => {
    const own = await deployed('/contracts/deploy', { ...contract, currentOwnerAddress: holder.address });
    return await order({ contractAddress: own, from: holder.address, forwarderAddress });
  };
  const idOf = async (body: object) => String((await api.post('/metadata', body))['_id']);
  // It gets no event.
  const endpoint = { url: 'http://127.0.0.1:9', eventTypes: ['lane.stuck'] };
  const addedTo = async (path: string, body: object) => `${path}/${String((await api.post(path, body))['id'])}`;
  const ownEndpoint = await addedTo('/webhooks/endpoints', endpoint);
  const key = { name: 'Another', scopes: ['read'] };
  const ofHolder = async () => ({
    chainId,
    contractAddress,
    tokenId: (await minted())['tokenId'],
    from: holder.address,
  });
  const signed = async (path: string, body: object) => {
    const { domain, types, primaryType, request } = typedDataSchema.parse(await api.post(path, body));
    const signature = await holder.signTypedData({
      domain: { ...domain, verifyingContract: z.templateLiteral(['0x', z.string()]).parse(domain.verifyingContract) },
      types,
      primaryType,
      message: request,
    });
    const { gas: gasLimit, nonce: forwarderNonce } = request;
    return { ...body, gasLimit, forwarderNonce, forwarderAddress: domain.verifyingContract, signature };
  };
  return {
    createMetadata: () => post('/metadata', metadata),
    'createMetadata, Idempotency-Key': () => post('/metadata', metadata, once()),
    setMetadataStatus: async () => post(`/metadata/${await idOf(metadata)}/status`, { status: 'Redeemed' }),
    editMetadata: async () => edit(await idOf(metadata)),
    'setMetadataStatus of a token': async () =>
      post(`/metadata/${String((await minted())['metadataId'])}/status`, { status: 'Redeemed' }),
    'editMetadata of a token': async () => edit((await minted())['metadataId']),
    listMetadataVersions: async () => ({ method: 'GET', path: `/metadata/${await idOf(metadata)}/versions` }),
    freezeMetadata: async () => post(`/metadata/${await idOf(metadata)}/freeze`),
    orderMint: async () => post('/minting/order', await order()),
    'orderMint, Idempotency-Key': async () => post('/minting/order', await order(), once()),
    createClaim: async () => post('/claims', await claim()),
    'createClaims, 10': async () =>
      post('/claims/batch', { claims: await Promise.all(Array.from({ length: 10 }, claim)) }),
    'orderMints, 10': async () => post('/minting/orders/batch', await orders(10)),
    'orderMints, 100': async () => post('/minting/orders/batch', await orders(100)),
    checkOccupancy: async () => {
      const { tokenId, metadataId } = await minted();
      return post('/minting/occupancy/check', { chainId, contractAddress, tokenId, metadataId });
    },
    prepareMint: async () => post('/minting/prepare', await ownMint()),
    relayMint: async () => post('/minting/relay', await signed('/minting/prepare', await ownMint())),
    prepareTransfer: async () => post('/transfer/prepare', { ...(await ofHolder()), to: friend }),
    executeTransfer: async () => {
      return post('/transfer/execute', await signed('/transfer/prepare', { ...(await ofHolder()), to: friend }));
    },
    prepareBurn: async () => post('/burn/prepare', await ofHolder()),
    executeBurn: async () => post('/burn/execute', await signed('/burn/prepare', await ofHolder())),
    revokeCertificate: async () => post('/certificates/revoke', await revocable()),
    reissueCertificate: async () => post('/certificates/reissue', { ...(await revocable()), receiverAddress: friend }),
    'revokeCertificates, 10': async () => {
      const revocations = await Promise.all(Array.from({ length: 10 }, revocable));
      return post('/certificates/revoke/batch', { revocations });
    },
    notifyChain: async () => post('/chain-notifications', { metadataId: (await minted())['metadataId'] }),
    setBaseUri: async () =>
      post('/contracts/base-uri', { chainId, contractAddress: await deployed('/contracts/deploy', contract) }),
    'notifyChain of a collection': async () => post('/chain-notifications', { contractId: await idOfDeployed() }),
    replaceCollectionMetadata: async () => ({
      method: 'PUT',
      path: `/contracts/${await idOfDeployed()}/metadata`,
      body: { name: 'Far' },
    }),
    deployContract: () => post('/contracts/deploy', contract),
    transferOwnership: async () => {
      const own = await deployed('/contracts/deploy', contract);
      return post('/contracts/transfer-ownership', { chainId, contractAddress: own, newOwnerAddress: friend });
    },
    readContract: () => post('/contracts/read', { chainId, contractAddress, method: 'owner', args: [] }),
    deployForwarder: () => post('/contracts/forwarder', { chainId, alias: `far ${crypto.randomUUID().slice(0, 8)}` }),
    replaceStatusRules: () => ({ method: 'PUT', path: '/metadata/status-rules', body: { rules: {} } }),
    createKey: () => post('/keys', key),
    revokeKey: async () => ({ method: 'DELETE', path: await addedTo('/keys', key) }),
    createWebhookEndpoint: () => post('/webhooks/endpoints', endpoint),
    changeWebhookEndpoint: () => ({ method: 'PATCH', path: ownEndpoint, body: { url: 'http://127.0.0.1:10' } }),
    rotateWebhookSecret: () => post(`${ownEndpoint}/rotate-secret`),
    testWebhookEndpoint: () => post(`${ownEndpoint}/test`),
    deleteWebhookEndpoint: async () => ({ method: 'DELETE', path: await addedTo('/webhooks/endpoints', endpoint) }),
  };
}
