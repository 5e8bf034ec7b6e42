import { bodyOf, exampleOf, keyOf, slugOf, successesOf, type Operation } from './api-document.ts';

/** A request in one language. */
export interface Sample {
  readonly title: string;
  /** Of the highlighter. */
  readonly language: 'bash' | 'typescript' | 'python';
  readonly code: string;
}

/** A request as its samples send it. */
interface Request {
  /** In upper case. */
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** The header and the environment variable of the key; undefined if the operation is public. */
  readonly key: { readonly header: string; readonly variable: string } | undefined;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body, of JSON; undefined if there is none. */
  readonly json: unknown;
  /** The file that a form in the body has; undefined if there is none. */
  readonly file: string | undefined;
  /** The file that is the body; undefined if there is none. */
  readonly rows: string | undefined;
  readonly reply: 'json' | 'text' | 'none';
}

const KEYS = {
  account: { header: 'x-api-key', variable: 'NFT_KEY' },
  operator: { header: 'x-admin-secret-key', variable: 'NFT_ADMIN_KEY' },
  none: undefined,
};

/**
 * The request of an operation's example in each language. The service's address is the environment variable NFT_URL,
 * the key NFT_KEY or, of the operator, NFT_ADMIN_KEY.
 */
export function samplesOf(operation: Operation): Sample[] {
  const request = requestOf(operation);
  return [
    { title: 'curl', language: 'bash', code: curl(request) },
    { title: 'TypeScript', language: 'typescript', code: typeScript(request) },
    { title: 'Python', language: 'python', code: python(request) },
  ];
}

const IDEMPOTENCY_KEY = 'idempotency-key';
/**
 * Sent although the document does not require them: one is better sent, an edit without the other is refused with 428.
 */
const ALWAYS_SENT = new Set([IDEMPOTENCY_KEY, 'if-match']);

const CSV = 'text/csv';

function requestOf(operation: Operation): Request {
  const { method, path, parameters = [] } = operation;
  const sent = parameters.filter(({ name, required }) => required === true || ALWAYS_SENT.has(name));
  const valuesIn = (place: string) =>
    sent
      .filter((parameter) => parameter.in === place)
      .map((parameter) => [parameter.name, exampleOf(parameter)] as const);
  const pathValues = new Map(valuesIn('path'));
  const query = new URLSearchParams(valuesIn('query').map(([name, value]) => [name, value])).toString();
  const body = bodyOf(operation);
  const isUpload = body?.mediaType === 'multipart/form-data';
  const [success] = successesOf(operation);
  return {
    method: method.toUpperCase(),
    target: `${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(pathValues.get(name) ?? ''))}${query && `?${query}`}`,
    key: KEYS[keyOf(operation)],
    // One key belongs to one request, so that each operation has its own.
    headers: valuesIn('header').map(([name, value]) => [
      titleCase(name),
      name === IDEMPOTENCY_KEY ? `${slugOf(operation)}-1` : value,
    ]),
    json: isUpload ? undefined : body?.example,
    file: isUpload ? String(body.schema?.properties?.['file']?.example) : undefined,
    rows: body?.mediaType === CSV ? 'rows.csv' : undefined,
    reply: success?.mediaType === undefined ? 'none' : success.mediaType.includes('json') ? 'json' : 'text',
  };
}

const titleCase = (header: string) => header.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
const indent = (text: string, by: string) => text.replaceAll('\n', `\n${by}`);

/** Text as bash reads it. */
const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function curl({ method, target, key, headers, json, file, rows }: Request): string {
  const hasBody = [json, file, rows].some((body) => body !== undefined);
  const implied = hasBody ? 'POST' : 'GET';
  return [
    `curl -sS --fail-with-body "$NFT_URL${target}"`,
    ...(method === implied ? [] : [`-X ${method}`]),
    ...(key === undefined ? [] : [`-H "${key.header}: $${key.variable}"`]),
    ...(json === undefined ? [] : [`-H 'Content-Type: application/json'`]),
    ...(rows === undefined ? [] : [`-H 'Content-Type: ${CSV}'`]),
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(json === undefined ? [] : [`-d ${quote(JSON.stringify(json, null, 2))}`]),
    ...(file === undefined ? [] : [`-F ${quote(`file=@${file}`)}`]),
    ...(rows === undefined ? [] : [`--data-binary @${rows}`]),
  ].join(' \\\n  ');
}

function typeScript({ method, target, key, headers, json, file, rows, reply }: Request): string {
  const variables = ["NFT_URL = ''", ...(key === undefined ? [] : [`${key.variable} = ''`])];
  const headerLines = [
    ...(key === undefined ? [] : [`'${key.header}': ${key.variable},`]),
    ...(json === undefined ? [] : ["'Content-Type': 'application/json',"]),
    ...(rows === undefined ? [] : [`'Content-Type': '${CSV}',`]),
    ...headers.map(([name, value]) => `'${name}': ${JSON.stringify(value)},`),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    ...(headerLines.length === 0 ? [] : [`headers: {\n    ${headerLines.join('\n    ')}\n  },`]),
    ...(json === undefined ? [] : [`body: JSON.stringify(${indent(JSON.stringify(json, null, 2), '  ')}),`]),
    ...(file === undefined && rows === undefined ? [] : ['body,']),
  ];
  const url = `\`\${NFT_URL}${target}\``;
  const call = options.length === 0 ? `fetch(${url})` : `fetch(${url}, {\n  ${options.join('\n  ')}\n})`;
  const fileLines =
    file === undefined
      ? []
      : ['const body = new FormData();', `body.append('file', new Blob([await readFile('${file}')]), '${file}');`, ''];
  const rowsLines = rows === undefined ? [] : [`const body = await openAsBlob('${rows}');`, ''];
  return [
    ...(file === undefined ? [] : ["import { readFile } from 'node:fs/promises';", '']),
    ...(rows === undefined ? [] : ["import { openAsBlob } from 'node:fs';", '']),
    `const { ${variables.join(', ')} } = process.env;`,
    ...fileLines,
    ...rowsLines,
    `const reply = await ${call};`,
    'if (!reply.ok) throw new Error(await reply.text());',
    reply === 'none' ? 'console.log(reply.status);' : `console.log(await reply.${reply}());`,
  ].join('\n');
}

function python({ method, target, key, headers, json, file, rows, reply }: Request): string {
  const headerLines = [
    ...(key === undefined ? [] : [`"${key.header}": os.environ["${key.variable}"],`]),
    ...(rows === undefined ? [] : [`"Content-Type": "${CSV}",`]),
    ...headers.map(([name, value]) => `"${name}": ${JSON.stringify(value)},`),
  ];
  const options = [
    `os.environ["NFT_URL"] + ${JSON.stringify(target)},`,
    ...(headerLines.length === 0 ? [] : [`headers={\n        ${headerLines.join('\n        ')}\n    },`]),
    ...(json === undefined ? [] : [`json=${indent(pythonLiteral(json), '    ')},`]),
    ...(file === undefined ? [] : [`files={"file": open("${file}", "rb")},`]),
    ...(rows === undefined ? [] : [`data=open("${rows}", "rb"),`]),
  ];
  return [
    'import os',
    'import requests',
    '',
    `reply = requests.${method.toLowerCase()}(\n    ${options.join('\n    ')}\n)`,
    'if not reply.ok:\n    raise SystemExit(reply.text)',
    `print(reply.${reply === 'json' ? 'json()' : reply === 'text' ? 'text' : 'status_code'})`,
  ].join('\n');
}

/** A value of JSON as Python writes it, over several lines. */
function pythonLiteral(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const isList = Array.isArray(value);
  const lines = isList
    ? value.map((item) => pythonLiteral(item))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${pythonLiteral(item)}`);
  const [open, close] = isList ? '[]' : '{}';
  if (lines.length === 0) return `${open}${close}`;
  return `${open}\n${lines.map((line) => `    ${indent(line, '    ')},`).join('\n')}\n${close}`;
}
