import { Client } from 'pg';
import { z } from 'zod';
import { DEFAULT_CHAIN, DEFAULT_CHAINS } from '../src/chains/list.ts';
import type { OrderResourceName } from '../src/platform/database/schema.ts';
import { SEEDED_GTIN } from './seed-history.ts';

const operationSchema = z.object({
  operationId: z.string(),
  security: z.array(z.record(z.string(), z.unknown())).default([]),
  parameters: z
    .array(
      z.object({
        name: z.string(),
        in: z.enum(['path', 'query', 'header']),
        required: z.boolean().default(false),
        schema: z.object({ enum: z.array(z.string()).optional() }),
      }),
    )
    .default([]),
});
const documentSchema = z.object({ paths: z.record(z.string(), z.record(z.string(), operationSchema)) });

/** What the API document says of requests. */
export type ApiDocument = z.output<typeof documentSchema>;

/** Reads the API document of a service. */
export async function fetchDocument(baseUrl: string): Promise<ApiDocument> {
  return documentSchema.parse(await (await fetch(`${baseUrl}/openapi.json`)).json());
}

/** A GET request. */
export interface ReadRequest {
  readonly operationId: string;
  /** The optional parameter that it has, with its value; empty for none. */
  readonly filter: string;
  readonly path: string;
  /** Whether the admin key may be used, with X-CORPORATE-ID for a route of an account. */
  readonly isAdmin: boolean;
}

/** By the name of a parameter, or by `operationId.name` where the operations differ: the values to try. */
export type ParameterValues = Readonly<Record<string, readonly string[]>>;

/**
 * The GET requests of an API document: each operation without optional parameters, and with each value of each one.
 * @param mayLack Whether operations are left out that require what the account does not have.
 * @throws when a parameter has no value.
 */
export function readRequests(document: ApiDocument, values: ParameterValues, mayLack = false): ReadRequest[] {
  return Object.entries(document.paths).flatMap(([path, { get: operation }]) =>
    operation === undefined ? [] : requestsOf(path, operation, values, mayLack),
  );
}

/** The optional parameters that another one needs, by `operationId.name`. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  'listHoldings.tokenId': ['contractAddress'],
};

type Pair = readonly [name: string, value: string];

function requestsOf(
  path: string,
  operation: z.output<typeof operationSchema>,
  values: ParameterValues,
  mayLack: boolean,
): ReadRequest[] {
  const { operationId, security, parameters } = operation;
  const valuesOf = (name: string): readonly string[] => {
    const { schema } = parameters.find((parameter) => parameter.name === name) ?? {};
    const found = values[`${operationId}.${name}`] ?? values[name] ?? schema?.enum;
    if (found === undefined || (found.length === 0 && !mayLack))
      throw new Error(`${operationId} has no value for ${name}`);
    return found;
  };
  const required = parameters.filter((one) => one.in === 'path' || (one.in === 'query' && one.required));
  if (required.some(({ name }) => valuesOf(name).length === 0)) return [];
  const isAdmin = security.some((one) => 'adminKey' in one);
  const known = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(valuesOf(name)[0] ?? ''));
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const always = inQuery.filter((one) => one.required).map(({ name }): Pair => [name, valuesOf(name)[0] ?? '']);
  const request = (more: readonly Pair[]) => {
    const query = new URLSearchParams(Object.fromEntries([...always, ...more])).toString();
    const filter = more.map((pair) => pair.join('=')).join('&');
    return { operationId, filter, isAdmin, path: query === '' ? known : `${known}?${query}` };
  };
  const neededBy = (name: string) =>
    (NEEDED[`${operationId}.${name}`] ?? []).map((needed): Pair => [needed, valuesOf(needed)[0] ?? '']);
  return [
    request([]),
    ...inQuery
      .filter((one) => !one.required)
      .flatMap(({ name }) => valuesOf(name).map((value) => request([...neededBy(name), [name, value]]))),
  ];
}

/** No record has it. */
const UNKNOWN_ADDRESS = `0x${'de'.repeat(20)}`;

/** Values for an account with a seeded history: its newest records, and what no record has. */
export async function seededValues(databaseUrl: string, accountId: string): Promise<ParameterValues> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  const newest = async (table: string, condition = 'true') => {
    const { rows } = await database.query<Record<string, string>>(
      `select *, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at from ${table}
       where corporate_account_id = $1 and ${condition} order by id desc limit 1`,
      [accountId],
    );
    const [row] = rows;
    if (row === undefined) throw new Error(`The account has no ${table} where ${condition}`);
    return (column: string) => String(row[column]);
  };
  const newestOrder = (resource: OrderResourceName, condition = 'true') =>
    newest('orders', `resource = '${resource}' and ${condition}`);
  try {
    const mint = await newestOrder('minting-orders', "status = 'CONFIRMED'");
    const transfer = await newestOrder('transfer-orders', "status = 'CONFIRMED'");
    const burn = await newestOrder('burn-orders', "status = 'CONFIRMED'");
    const revocation = await newestOrder('certificate-revocations', "status = 'CONFIRMED'");
    const notification = await newestOrder('chain-notifications');
    const baseUriChange = await newestOrder('base-uri-changes');
    const one = await newest('imports');
    const contract = await newest(
      'contracts',
      "status = 'ACTIVE' and exists (select from collection_versions v where v.contract_id = contracts.id)",
    );
    const certificateContract = await newest('contracts', "status = 'ACTIVE' and contract_type = 'certificate'");
    const transferOfOwnership = await newestOrder('ownership-transfers');
    const delivery = await newest('webhook_deliveries');
    const endpoint = await newest('webhook_endpoints', "managed_by = 'operator'");
    const key = await newest('account_keys');
    const { rows: certificates } = await database.query<{ address: string; token: string; serial: string }>(
      `select s.contract_address as address, s.token_id as token, m.standard_fields #>> '{attributes,1,value}' as serial
       from credential_statuses s join metadata m on m.contract_address = s.contract_address and m.token_id = s.token_id
       where s.corporate_account_id = $1 and s.number = 0`,
      [accountId],
    );
    const { rows } = await database.query<{ id: string; wallet: string; issuer: string }>(
      'select corporate_id as id, wallet_address as wallet, issuer_id as issuer from corporate_accounts where id = $1',
      [accountId],
    );
    return {
      limit: ['100'],
      offset: ['300'],
      hours: ['24', '168'],
      cursor: [mint('id')],
      createdFrom: [mint('at')],
      createdTo: [mint('at')],
      chainId: DEFAULT_CHAINS.map(({ id }) => id),
      contractAddress: [mint('contract_address'), UNKNOWN_ADDRESS],
      tokenId: [mint('token_id')],
      before: [mint('token_id')],
      receiverAddress: [mint('receiver_address'), UNKNOWN_ADDRESS],
      holder: [mint('receiver_address'), UNKNOWN_ADDRESS],
      from: [transfer('holder_address'), UNKNOWN_ADDRESS],
      q: [
        mint('id'),
        mint('tx_hash'),
        mint('receiver_address'),
        mint('contract_address'),
        UNKNOWN_ADDRESS,
        `${mint('contract_address')}/${mint('token_id')}`,
      ],
      corporateId: rows.map(({ id }) => id),
      issuerId: rows.map(({ issuer }) => issuer),
      list: ['0'],
      gtin: [SEEDED_GTIN],
      serial: certificates.map(({ serial }) => serial),
      linkType: ['all'],
      walletAddress: rows.map(({ wallet }) => wallet),
      text: ['no such text'],
      keyId: [key('id')],
      resourceId: [mint('id')],
      route: ['/metadata', '/contracts/register'],
      statusCode: ['201', '409'],
      wallet: [mint('receiver_address')],
      blockchains: [DEFAULT_CHAIN.name],
      'blockchains[]': [DEFAULT_CHAIN.name],
      pageToken: [''],
      eventId: [`evt_${delivery('webhook_event_id')}`],
      orderId: [mint('id')],
      endpointId: [endpoint('id')],
      'getMintingOrder.id': [mint('id')],
      'getOrderStory.id': [mint('id')],
      'getClaim.id': [mint('id')],
      'getImport.id': [one('id')],
      'getImportResult.id': [one('id')],
      'getTransferOrder.id': [transfer('id')],
      'getBurnOrder.id': [burn('id')],
      'getCertificateRevocation.id': [revocation('id')],
      'getCredential.contractAddress': certificates.map(({ address }) => address),
      'getCredential.tokenId': certificates.map(({ token }) => token),
      'getPublicRevocation.contractAddress': [revocation('contract_address')],
      'getPublicRevocation.tokenId': [revocation('token_id')],
      'getBaseUriChange.id': [baseUriChange('id')],
      'getChainNotification.id': [notification('id')],
      'getIssuer.contractAddress': [certificateContract('contract_address')],
      'getDeployment.contractAddress': [certificateContract('contract_address')],
      'getKeyResources.id': [key('id')],
      'getContract.id': [contract('id')],
      'getCollectionMetadata.id': [contract('id')],
      'listCollectionMetadataVersions.id': [contract('id')],
      'listCollectionMetadataVersions.cursor': ['2'],
      'getCollection.contractAddress': [mint('contract_address').slice(2)],
      'getMetadata.id': [mint('metadata_id')],
      'listMetadataVersions.id': [mint('metadata_id')],
      'listMetadataVersions.cursor': ['2'],
      'getOwnershipTransfer.id': [transferOfOwnership('id')],
      'getApproval.id': [transferOfOwnership('id')],
      'getWebhookDelivery.id': [delivery('id')],
      'getWebhookEndpoint.id': [endpoint('id')],
      'listMintingOrders.txHash': [mint('tx_hash')],
      'getMintingOrderByTransaction.txHash': [mint('tx_hash')],
      'listTransferOrders.txHash': [transfer('tx_hash')],
      'getTransferOrderByTransaction.txHash': [transfer('tx_hash')],
      'listBurnOrders.txHash': [burn('tx_hash')],
      'getBurnOrderByTransaction.txHash': [burn('tx_hash')],
      'listCertificateRevocations.txHash': [revocation('tx_hash')],
      'getCertificateRevocationByTransaction.txHash': [revocation('tx_hash')],
    };
  } finally {
    await database.end();
  }
}
