import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Address } from 'viem';
import { upsertAccount } from '../../cli/corporate/upsert-account.ts';
import { secretsSettingsSchema } from '../../cli/corporate/wallet-secret.ts';
import { SCOPES } from '../../src/platform/database/vocabulary/scope.ts';
import { call, chainClient, newClient, stack, type Reply } from '../fixtures/client.ts';
import { adminOf, makeKey, revoke } from '../fixtures/keys.ts';
import { CASES, inventNames, namesOf, type Case, type Request } from '../fixtures/tenancy-cases.ts';
import { metadataOf, newTenant, type Tenant } from '../fixtures/tenant.ts';
import { rowsOf, textsIn, type TenantRows } from '../fixtures/tenant-rows.ts';

/** A security requirement of an operation: a scheme, and the scopes that a key of an account needs. */
type Requirement = Readonly<Record<string, readonly string[]>>;
type Headers = Readonly<Record<string, string>>;

interface Credential {
  readonly name: string;
  readonly headers: Headers;
  readonly meets: (requirement: Requirement) => boolean;
}

const apiKey = stack.settings['GLOBAL_SECRET_KEY'] ?? '';
const globalKeyOf = ({ client }: Pick<Tenant, 'client'>) => ({
  'x-api-key': apiKey,
  'x-corporate-id': client.account.corporateId,
});

const credentialsOf = ({ client, key, scopedKeys }: Tenant): readonly Credential[] => [
  { name: 'a global key', headers: globalKeyOf({ client }), meets: (requirement) => 'apiKey' in requirement },
  { name: 'the admin key', headers: adminOf(client), meets: (requirement) => 'adminKey' in requirement },
  {
    name: 'a key with all scopes',
    headers: { 'x-api-key': key.key },
    meets: (requirement) => 'accountKey' in requirement,
  },
  ...SCOPES.map((scope) => ({
    name: `a key with the scope ${scope}`,
    headers: { 'x-api-key': scopedKeys[scope].key },
    meets: ({ accountKey }: Requirement) => accountKey?.includes(scope) === true,
  })),
];

const security = new Map<string, readonly Requirement[]>();
const isPublic = (operation: string) => security.get(operation)?.length === 0;
let as: Tenant;
let of: Tenant;
let before: TenantRows;
/** What is known of the other account alone, in lower case. */
let identifying: readonly string[];
/** With what one can act as the other account, in lower case. */
let credentials: readonly string[];
/** How many transactions the chains have from its wallets. */
let transactionsBefore: readonly number[];

/** A text that two accounts may have by chance: a word, a time, a number. */
const isPlain = (text: string) => text.length < 8 || /^\d{4}-\d\d-\d\d|^[\d.]{1,19}$/.test(text);

/** Texts that are in the rows of one account only, apart from plain ones. */
function textsOnlyIn(rows: TenantRows, others: TenantRows): string[] {
  const shared = textsIn(others);
  return [...textsIn(rows)].filter((text) => !isPlain(text) && !shared.has(text));
}

const secretsOf = ({ key, scopedKeys, endpoint, client, walletKeys }: Tenant) =>
  [
    key.key,
    ...Object.values(scopedKeys).map((scoped) => scoped.key),
    endpoint.secret.replace('whsec_', ''),
    client.account.webhookSecret.replace('whsec_', ''),
    ...walletKeys.map((walletKey) => walletKey.slice(2)),
  ].map((secret) => secret.toLowerCase());

const OWN_SETTING =
  /SECRET_KEY|ENCRYPTION_KEYS|CREDENTIAL_SECRETS|AWS_ACCESS_KEY_ID|DATABASE_URL|NEON_FETCH_ENDPOINT|^RPC_URL|SECRETS_ENDPOINT|NFT_INDEX_URL/;
/** The service's own secrets, which no caller may see. */
const OWN_SECRETS = Object.entries(stack.settings)
  .filter(([name]) => OWN_SETTING.test(name))
  .map(([, value]) => value.toLowerCase());

/**
 * The account's rows, without what the engine goes on to note by itself: where a lane stands, and that blocks are
 * final.
 */
function lasting({ transactions = [], ...rows }: TenantRows): TenantRows {
  const noted = { is_final: undefined, updated_at: undefined };
  return { ...rows, lanes: [], transactions: transactions.map((row) => ({ ...row, ...noted })) };
}

/** Waits until the service has nothing left to do for an account by itself. */
async function settled(tenant: Tenant): Promise<TenantRows> {
  const unfinished = async () =>
    (await rowsOf(tenant))['webhook_deliveries']?.filter(({ status }) => status === 'PENDING' || status === 'RETRYING');
  await vi.waitUntil(async () => (await unfinished())?.length === 0, { timeout: 20_000 });
  return await rowsOf(tenant);
}

async function transactionCounts({ client }: Tenant): Promise<number[]> {
  const { relayer_wallets: relayers = [] } = await rowsOf({ client });
  const wallets = [client.account.walletAddress, ...relayers.map(({ address }) => address as Address)];
  const counts = Object.keys(stack.rpcUrls).flatMap((chainId) =>
    wallets.map((address) => chainClient(chainId).getTransactionCount({ address })),
  );
  return await Promise.all(counts);
}

beforeAll(async () => {
  [as, of] = await Promise.all([newTenant(), newTenant()]);
  const { body } = await call('/openapi.json');
  for (const [path, methods] of Object.entries<Record<string, { security: Requirement[]; 'x-scopes'?: string[] }>>(
    body.paths,
  )) {
    for (const [method, operation] of Object.entries(methods)) {
      const { 'x-scopes': scopes = [] } = operation;
      // With the scopes in the place of the roles that OpenAPI has for OAuth alone.
      const requirements = operation.security.map((one) => ('accountKey' in one ? { accountKey: scopes } : one));
      security.set(`${method.toUpperCase()} ${path}`, requirements);
    }
  }
  before = await settled(of);
  transactionsBefore = await transactionCounts(of);
  credentials = [of.client.account.corporateId, of.client.account._id, ...secretsOf(of)];
  identifying = [...textsOnlyIn(before, await rowsOf(as)), ...credentials];
});

/** Makes a request, and checks the headers of the reply. */
async function ask(operation: string, { path, body }: Request, headers: Headers): Promise<Reply> {
  const [method = '', ownPath = ''] = operation.split(' ');
  const encoded = body === undefined || body instanceof FormData || body instanceof Blob ? body : JSON.stringify(body);
  const reply = await call(path ?? ownPath, {
    method,
    headers: { ...(typeof encoded === 'string' ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(encoded === undefined ? {} : { body: encoded }),
  });
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    ...(isPublic(operation) ? {} : { 'cache-control': 'no-store' }),
  });
  return reply;
}

/** What a reply has of the service's secrets and of these values, except for those that the caller knows already. */
function foundIn({ body, headers }: Reply, values: readonly string[], ...known: unknown[]): string[] {
  const text = `${JSON.stringify(body)}\n${JSON.stringify([...headers])}`.toLowerCase();
  const knownText = JSON.stringify(known).toLowerCase();
  const unknown = values.filter((value) => !knownText.includes(value));
  return [...unknown, ...OWN_SECRETS].filter((value) => text.includes(value));
}

/** A reply without what differs from request to request, and with each name of a resource replaced by its kind. */
function comparable({ status, body }: Reply, names: readonly string[]): string {
  const { timestamp: _, path: __, requestId: ___, ...rest } = body;
  // A contract of the caller's own may be deploying at the one request and not at the other.
  const text = JSON.stringify({ status, ...rest })
    .toLowerCase()
    .replace(/; its contract [0-9a-f]{24} is deploying[^"]*/, '');
  return names.reduce((replaced, name, index) => replaced.replaceAll(name, `<${index}>`), text);
}

/** What a caller gets that may use the operation, by the outcome of the case. */
const STATUSES: Readonly<Record<Case['outcome'], readonly number[]>> = {
  hidden: [403, 404],
  invalid: [409],
  own: [200, 201],
  public: [200],
  operator: [],
};

const everyCase = Object.entries(CASES).flatMap(([operation, cases]) =>
  cases.map((one) => ({ ...one, operation, title: `${one.outcome}, by ${operation} with ${one.names}` })),
);
const isRead = ({ operation }: { readonly operation: string }) => operation.startsWith('GET ');
/** One case of each operation. */
const everyOperation = Object.entries(CASES).flatMap(([operation, [one]]) =>
  one === undefined ? [] : [{ ...one, operation }],
);

function mayUse({ operation, outcome, onlyWith }: (typeof everyCase)[number], { name, meets }: Credential): boolean {
  if (outcome === 'operator') return false;
  const required = security.get(operation) ?? [];
  return required.length === 0 || (onlyWith?.includes(name) ?? required.some(meets));
}

/** The callers, but of the keys whose scope does not allow the operation only one: the tests of scopes try them all. */
function oneRefusedScope(callers: readonly Credential[], isAllowed: (caller: Credential) => boolean): Credential[] {
  const refused = callers.filter((caller) => caller.name.startsWith('a key with the scope') && !isAllowed(caller));
  return callers.filter((caller) => caller === refused[0] || !refused.includes(caller));
}

describe('what an account learns of another', () => {
  it('is tested for every operation of the API document', () => {
    expect(Object.keys(CASES).toSorted()).toEqual([...security.keys()].toSorted());
  });

  // What stores names of the other's resources comes after what would show them.
  describe.each([
    ['by a read', everyCase.filter(isRead)],
    ['by a change', everyCase.filter((one) => !isRead(one))],
  ])('%s', (_, cases) => {
    it.concurrent.each(cases)('is $title', async (one) => {
      const request = one.request(of, as);
      const searched = one.outcome === 'public' ? credentials : identifying;
      const invented = inventNames();
      // The operator's key shows and changes every account with an operator's operation.
      const callers = credentialsOf(as).filter(({ name }) => one.outcome !== 'operator' || name !== 'the admin key');
      for (const { name, headers, meets } of oneRefusedScope(callers, (caller) => mayUse(one, caller))) {
        const isAllowed = mayUse(one, { name, headers, meets });
        const reply = await ask(one.operation, request, headers);
        expect([name, reply.status]).toEqual([name, expect.toBeOneOf(isAllowed ? STATUSES[one.outcome] : [401, 403])]);
        expect([name, foundIn(reply, searched, request, one.shows?.(of))]).toEqual([name, []]);
        if (!isAllowed || one.outcome !== 'hidden' || one.isAboutChain === true) continue;
        const unknown = await ask(one.operation, one.request(invented, as), headers);
        expect(comparable(reply, namesOf(of))).toBe(comparable(unknown, namesOf(invented)));
      }
    });
  });

  it('is nothing, where it names the other in X-CORPORATE-ID with a key of its own', async () => {
    const { corporateId, _id } = of.client.account;
    for (const one of everyOperation.filter(({ operation }) => !isPublic(operation))) {
      for (const name of [corporateId, _id]) {
        const headers = { 'x-api-key': as.key.key, 'x-corporate-id': name };
        const request = one.request(of, as);
        const reply = await ask(one.operation, request, headers);
        const expected = one.outcome === 'operator' ? 401 : 403;
        expect([one.operation, reply.status, foundIn(reply, identifying, request, name)]).toEqual([
          one.operation,
          expected,
          [],
        ]);
      }
    }
  });

  it('is nothing from an Idempotency-Key of the other, with the same request', async () => {
    const key = { 'idempotency-key': of.idempotencyKey };
    const { status, body, headers } = await as.client.post('/metadata', metadataOf(of.text), key);
    expect([status, body._id === of.metadataId, headers.get('idempotent-replayed')]).toEqual([201, false, null]);
  });

  it('is nothing from webhooks', () => {
    expect(as.receiver.deliveries.length).toBeGreaterThan(0);
    const deployments = CASES['POST /contracts/deploy']?.map(({ request }) => request(of, as));
    for (const { body, headers } of as.receiver.deliveries) {
      const reply = { status: 200, headers: new Headers(), body: { body, headers } };
      expect(foundIn(reply, identifying, deployments)).toEqual([]);
    }
  });

  it('would be found: the other account sees it', async () => {
    const reply = await of.client.get('/metadata');
    expect(foundIn(reply, identifying)).toContain(of.metadataId);
    expect(foundIn(reply, identifying)).toContain(`description ${of.text}`);
  });

  it('leaves the rows, the coins and the webhooks of the other as they were', async () => {
    expect(lasting(await settled(of))).toEqual(lasting(before));
    expect(await transactionCounts(of)).toEqual(transactionsBefore);
  });
});

/** An account that was deactivated after its key was made. */
async function newInactiveAccount() {
  const client = await newClient();
  const key = await makeKey(client);
  const { corporateId } = client.account;
  const secrets = secretsSettingsSchema.parse(stack.settings);
  const databaseUrl = stack.settings['DATABASE_URL'] ?? '';
  await upsertAccount({ corporateId, status: 'INACTIVE' }, { databaseUrl, secrets, environment: 'local' });
  return { client, key };
}

describe('every operation', () => {
  /** Callers that may use none but the public ones, and what they get: from an operator's operation always 401. */
  const refused: Record<string, { readonly headers: Headers; readonly status: 401 | 403 }> = {};
  beforeAll(async () => {
    const [closed, outside, revoked, expired] = await Promise.all([
      newInactiveAccount(),
      makeKey(of.client, { allowedAddresses: ['203.0.113.0/24'] }),
      makeKey(of.client),
      makeKey(of.client, { expiresAt: new Date(Date.now() + 6_000).toISOString() }),
    ]);
    await revoke(adminOf(of.client), `/keys/${revoked.id}`);
    const { corporateId } = of.client.account;
    const callers: [string, Headers, 401 | 403][] = [
      ['without a key', {}, 401],
      ['without a key, but with an account', { 'x-corporate-id': corporateId }, 401],
      ['with a wrong key', { 'x-api-key': `${apiKey}0`, 'x-corporate-id': corporateId }, 401],
      ['with an invented key of an account', { 'x-api-key': of.key.key.replace(/.{8}$/, '00000000') }, 401],
      ['with a wrong admin key', { 'x-admin-secret-key': 'wrong', 'x-corporate-id': corporateId }, 401],
      ['with a revoked key', { 'x-api-key': revoked.key }, 401],
      ['with an expired key', { 'x-api-key': expired.key }, 401],
      ['with a key outside of its addresses', { 'x-api-key': outside.key }, 403],
      ['with a key of an inactive account', { 'x-api-key': closed.key.key }, 403],
      ['with a global key and no account', { 'x-api-key': apiKey }, 401],
      ['with a global key and an unknown account', { 'x-api-key': apiKey, 'x-corporate-id': 'unknown' }, 403],
      ['with a global key and an inactive account', globalKeyOf(closed), 403],
    ];
    for (const [index, [name, headers, status]] of callers.entries()) {
      // Each has an address of its own, since the rejected requests of one are limited.
      refused[name] = { headers: { ...headers, 'cf-connecting-ip': `198.51.100.${index + 1}` }, status };
    }
    for (const { headers, status } of Object.values(refused)) {
      await vi.waitUntil(async () => (await call('/contracts', { headers })).status === status, { timeout: 20_000 });
    }
  });

  it.concurrent.each(everyOperation)('$operation is public, or rejects a caller without a valid key', async (one) => {
    const request = one.request(of, of);
    for (const [caller, { headers, status }] of Object.entries(refused)) {
      const reply = await ask(one.operation, request, headers);
      const rejected = one.outcome === 'operator' ? 401 : status;
      expect([caller, reply.status]).toEqual([caller, isPublic(one.operation) ? 200 : rejected]);
      const searched = isPublic(one.operation) ? credentials : identifying;
      expect([caller, foundIn(reply, searched, request, headers)]).toEqual([caller, []]);
    }
  });
});

describe('the same requests', () => {
  it.each(everyCase.filter(({ outcome }) => outcome === 'hidden'))(
    'are answered to the account itself: $operation with $names',
    async (one) => {
      const isForAdmin = security.get(one.operation)?.some((requirement) => 'adminKey' in requirement) === true;
      const reply = await ask(one.operation, one.request(of, of), isForAdmin ? adminOf(of.client) : globalKeyOf(of));
      expect([401, 403, 404]).not.toContain(reply.status);
    },
  );
});
