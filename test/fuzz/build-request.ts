import type { Operation, Parameter } from './api-document.ts';
import { withResources } from './bodies.ts';
import { withInsertion } from './insertion.ts';
import { jsonText } from './json-text.ts';
import { mutate } from './mutate.ts';
import { Picks } from './picks.ts';
import type { RequestCase } from './request-case.ts';
import { type Tenant, kindOf } from './tenant.ts';
import { type WireRequest, applyFault } from './wire-fault.ts';

/** The accounts of a run. */
export interface Tenants {
  /** Nothing that a request changes keeps it from working. */
  readonly main: Tenant;
  /** May be paused, limited, and made to need approvals. */
  readonly disturbed: Tenant;
}

type ParameterValue = string | number | readonly string[] | undefined;

export interface BuiltRequest extends WireRequest {
  readonly tenant: Tenant;
  /** Whether all of it is as the document allows. */
  readonly isFromSchema: boolean;
  /** The parameters as they were sent, decoded, by name. */
  readonly parameters: ReadonlyMap<string, string | readonly string[]>;
}

/** Operations that keep an account from working. */
const DISTURBING = /Approval|approve|refuse|^(?:pause|resume)Account|setAccountLimits/;
/**
 * One of so many requests to other operations is for the disturbed account; more that need orders which wait, since its
 * orders do while it is paused.
 */
const DISTURBED_SHARE = 6;
const WAITING_SHARE = 2;

/** Makes a request of a case, with the resources that are known now. */
export function buildRequest(operation: Operation, given: RequestCase, tenants: Tenants): BuiltRequest {
  const picks = new Picks(given.picks);
  const isDisturbing = DISTURBING.test(operation.id);
  const share = operation.id.startsWith('cancel') ? WAITING_SHARE : DISTURBED_SHARE;
  const tenant = picks.below(share) === 0 || isDisturbing ? tenants.disturbed : tenants.main;
  const parameters = new Map<string, string | readonly string[]>();
  for (const parameter of operation.parameters) {
    const value = (known(operation, parameter, tenant, picks) ?? given.parameters[parameter.name]) as ParameterValue;
    if (value !== undefined && (parameter.required || given.parameters[parameter.name] !== undefined)) {
      parameters.set(parameter.name, Array.isArray(value) ? value.map(String) : String(value));
    }
  }
  for (const [place, value] of given.oddParameters) {
    const parameter = operation.parameters[place % Math.max(1, operation.parameters.length)];
    if (parameter === undefined) continue;
    const odd = typeof value === 'string' ? value : withInsertion(String(parameters.get(parameter.name) ?? ''), value);
    if (isSendable(parameter, odd)) parameters.set(parameter.name, odd);
  }
  let value = withResources(operation, given.body, tenant, picks);
  for (const mutation of given.mutations) value = mutate(value, mutation);
  const file = fileOf(operation, tenant, picks, given.picks[0] ?? 0);
  const body = file?.body ?? (value === undefined ? undefined : Buffer.from(jsonText(value)));
  const isFromSchema = given.mutations.length + given.oddParameters.length + given.wireFaults.length === 0;
  const plain: WireRequest = {
    method: operation.method,
    path: pathOf(operation, parameters),
    headers: headersOf(
      operation,
      tenant,
      picks,
      parameters,
      file?.type ?? (body === undefined ? undefined : 'application/json'),
    ),
    body,
  };
  return { ...given.wireFaults.reduce(applyFault, plain), tenant, isFromSchema, parameters };
}

/** A header cannot have every character, nor spaces around its value, and an empty segment would be another path. */
function isSendable({ in: where }: Parameter, value: string): boolean {
  if (where === 'header') return /^[\x20-\x7e\xa0-\xff]*$/.test(value) && !/^ | $/.test(value);
  return value.isWellFormed() && (where === 'query' || !['', '.', '..'].includes(value));
}

/** The value of a parameter that names a resource, or that the document says too little about. */
function known(operation: Operation, { name, in: where }: Parameter, tenant: Tenant, picks: Picks): unknown {
  const kind = kindOf(operation.path);
  if (name === 'id' && kind !== undefined) return picks.from(tenant.ids(kind));
  if (name === 'corporateId') return tenant.corporateId;
  if (name === 'chainId' && where === 'path') return '43113';
  if (name === 'txHash' && kind !== undefined) return picks.from(tenant.hashes(kind));
  if (operation.upload === 'csv' && name in ROWS_TARGET) return ROWS_TARGET[name];
  if (name === 'contractAddress') {
    const address = picks.from(tenant.contracts)?.contractAddress;
    return operation.id === 'getCollection' ? address?.slice(2) : address;
  }
  if (name === 'tokenId' || name === 'before') return String(1 + picks.below(5));
  if (name === 'wallet') return picks.from(tenant.signers)?.address;
  if (name === 'if-match') return `"${1 + picks.below(3)}"`;
  if (name === 'cursor' && /^list\w*MetadataVersions$/.test(operation.id)) return String(1 + picks.below(3));
  if (name === 'cursor' && kind !== undefined) return picks.from(tenant.ids(kind));
  if (name === 'q') return picks.from(searchable(tenant));
  if (name === 'pageToken') return '';
  if (name.startsWith('blockchains')) return ['mainnet', 'testnet'];
  if (name === 'resourceId') return picks.from(tenant.ids('/minting'));
  return undefined;
}

/** What the operator can search for. */
function searchable(tenant: Tenant): readonly string[] {
  const contracts = tenant.contracts.map(({ contractAddress }) => contractAddress);
  const tokens = contracts.map((address) => `${address}/1`);
  return [...tenant.ids('/minting'), ...tenant.hashes('/minting'), ...contracts, ...tokens];
}

function pathOf({ path, parameters: declared }: Operation, values: BuiltRequest['parameters']): string {
  const segments = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(values.get(name) ?? '0')),
  );
  const query = declared
    .filter(({ in: where, name }) => where === 'query' && values.has(name))
    .flatMap(({ name }) =>
      [values.get(name) ?? ''].flat().map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`),
    );
  return query.length === 0 ? segments : `${segments}?${query.join('&')}`;
}

function headersOf(
  { security, parameters: declared }: Operation,
  tenant: Tenant,
  picks: Picks,
  values: BuiltRequest['parameters'],
  contentType: string | undefined,
): WireRequest['headers'] {
  const schemes = picks.from(security) ?? [];
  const given = declared.filter(({ in: where, name }) => where === 'header' && values.has(name));
  return [
    ...schemes.flatMap((scheme) => Object.entries(tenant.credentials[scheme] ?? {})),
    ...given.map(({ name }) => [name, String(values.get(name))] as const),
    ...(contentType === undefined ? [] : [['content-type', contentType] as const]),
  ];
}

/** What the rows of {@link rowsOf} are, and where they go. */
const ROWS_TARGET: Readonly<Record<string, string>> = { kind: 'metadata', chainId: '43114' };

function fileOf({ upload }: Operation, tenant: Tenant, picks: Picks, number: number) {
  if (upload === undefined) return undefined;
  return upload === 'form' ? formOf(number) : { type: 'text/csv', body: Buffer.from(rowsOf(tenant, picks, number)) };
}

const COLUMNS = ['name', 'imageUrl', 'utility.type', 'utility.data.status'];
const ODD_CELLS = ['', '"', '=1+1', '\0', '"a\r\nb"', '\u{1f469}', 'x'.repeat(70_000), '1e9', ',', '\uFEFF'];

/** Rows of documents, well-formed or nearly. */
function rowsOf(tenant: Tenant, picks: Picks, number: number): string {
  const separator = [',', ';', '\t'][number % 3] ?? ',';
  const end = number % 5 === 0 ? '\n' : '\r\n';
  const columns =
    number % 7 === 0 ? [...COLUMNS, `attributes.${tenant.corporateId}:number`, 'utility.data.a.b'] : COLUMNS;
  const row = () =>
    columns.map((_, index) => {
      if (picks.below(12) === 0) return picks.from(ODD_CELLS) ?? '';
      return ['Fuzzed', 'https://example.com/a.png', 'Flexible', 'Unused', '7', 'b'][index] ?? '';
    });
  const rows = Array.from({ length: 1 + picks.below(3) }, row);
  return [number % 11 === 0 ? columns.slice(1) : columns, ...rows].map((cells) => cells.join(separator)).join(end);
}

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const FILE_NAMES = ['a.png', '', '../../a', 'a".png', '\u{1f469}', 'a'.repeat(300), '%00'];

/** A form with a file, well-formed or nearly. */
function formOf(number: number): { type: string; body: Uint8Array } {
  const boundary = '----fuzz';
  const name = FILE_NAMES[number % FILE_NAMES.length] ?? '';
  const field = number % 11 === 0 ? 'files' : 'file';
  const content = number % 13 === 0 ? Buffer.from('<svg/>') : PNG;
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: image/png\r\n\r\n`;
  const end = number % 17 === 0 ? '' : `\r\n--${boundary}--\r\n`;
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([Buffer.from(head), content, Buffer.from(end)]),
  };
}
