import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readApiDocument } from '../api/read-api-document.ts';
import { bodyOf, keyOf, operationsOf, slugOf, type Operation } from './api-document.ts';
import { samplesOf } from './samples.ts';

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const run = promisify(execFile);

/** What a sample sent. */
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly key: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** The version that an edit is of. */
  readonly version: string | undefined;
  /** The body, of JSON; the name of the file of an upload. */
  readonly body: unknown;
}

let operations: readonly Operation[];
let directory: string;
let server: Server;
const received: Sent[] = [];

beforeAll(async () => {
  operations = operationsOf(await readApiDocument());
  directory = await mkdtemp(join(tmpdir(), 'nft-samples-'));
  await symlink(MODULES, join(directory, 'node_modules'));
  await writeFile(join(directory, 'ticket.png'), 'a picture');
  await writeFile(join(directory, 'rows.csv'), '"rows.csv"');
  // Answers everything with JSON, and keeps what it was asked.
  server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const { method = '', url = '', headers } = request;
    received.push({
      method,
      path: url,
      idempotencyKey: headers['idempotency-key']?.toString(),
      version: headers['if-match'],
      key: (headers['x-api-key'] ?? headers['x-admin-secret-key'])?.toString(),
      body: text === '' ? undefined : (/filename="([^"]+)"/.exec(text)?.[1] ?? JSON.parse(text)),
    });
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.close();
  await rm(directory, { recursive: true });
});

const codeOf = (operation: Operation, language: string) =>
  samplesOf(operation).find((sample) => sample.language === language)?.code ?? '';
const environment = () => ({
  PATH: process.env['PATH'] ?? '',
  NFT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  NFT_KEY: 'account',
  NFT_ADMIN_KEY: 'operator',
});

/** What an operation's samples must send: its example. */
const expected = (operation: Operation): Sent => {
  const body = bodyOf(operation);
  return {
    method: operation.method.toUpperCase(),
    // Every parameter in the path has a value, and a query begins with a required one.
    path: expect.stringMatching(
      new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/{}]+')}${requiredQuery(operation)}$`),
    ),
    key: { account: 'account', operator: 'operator', none: undefined }[keyOf(operation)],
    // A key that two operations share would be refused for the second one.
    idempotencyKey: operation.parameters?.some(({ name }) => name === 'idempotency-key')
      ? `${slugOf(operation)}-1`
      : undefined,
    version: operation.parameters?.some(({ name }) => name === 'if-match') ? '"1"' : undefined,
    body: { 'multipart/form-data': 'ticket.png', 'text/csv': 'rows.csv' }[body?.mediaType ?? ''] ?? body?.example,
  };
};
const requiredQuery = ({ parameters = [] }: Operation) => {
  const names = parameters.filter((each) => each.in === 'query' && each.required === true).map(({ name }) => name);
  return names.length === 0 ? '' : `\\?${names.map((name) => `${name}=[^&]+`).join('&')}`;
};

describe('the samples of every operation', () => {
  it('in curl send its example', async () => {
    received.length = 0;
    const script = operations.map((operation) => `${codeOf(operation, 'bash')} > /dev/null`).join('\n');
    await run('bash', ['-euc', script], { cwd: directory, env: environment() });
    expect(received).toEqual(operations.map(expected));
  });

  it('in TypeScript compile in strict mode, and send its example', async () => {
    received.length = 0;
    const files = operations.map(({ operationId }) => `${operationId}.mts`);
    for (const operation of operations) {
      // A program of its own, as its reader has it: what it declares is not seen by the others.
      await writeFile(
        join(directory, `${operation.operationId}.mts`),
        `${codeOf(operation, 'typescript')}\nexport {};`,
      );
    }
    const compilerOptions = { target: 'es2024', module: 'nodenext', types: ['node'], noEmit: true, strict: true };
    await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const compiled = await run(join(MODULES, '.bin/tsc'), ['-p', '.'], { cwd: directory }).catch(
      (error: unknown) => error as { readonly stdout: string },
    );
    expect(compiled.stdout).toBe('');
    await writeFile(join(directory, 'all.mts'), files.map((file) => `await import('./${file}');`).join('\n'));
    await run(process.execPath, ['all.mts'], { cwd: directory, env: environment() });
    expect(received).toEqual(operations.map(expected));
  });

  it('in Python parse, and pass its example to requests', async () => {
    await writeFile(
      join(directory, 'samples.json'),
      JSON.stringify(operations.map((operation) => codeOf(operation, 'python'))),
    );
    const { stdout } = await run('python3', ['-c', READ_CALLS], { cwd: directory });
    expect(JSON.parse(stdout)).toEqual(
      operations.map((operation) => {
        const { method, path, key, body } = expected(operation);
        const isFile = typeof body === 'string';
        return {
          method: method.toLowerCase(),
          path,
          keys: key === undefined ? [] : [key === 'account' ? 'NFT_KEY' : 'NFT_ADMIN_KEY'],
          json: isFile || body === undefined ? null : body,
          file: isFile ? body : null,
        };
      }),
    );
  });
});

/** Reads what each sample passes to requests, without running it. */
const READ_CALLS = `
import ast, json
def call_of(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and getattr(node.func.value, 'id', '') == 'requests':
            return node
def opened(node):
    return node.args[0].value
found = []
for code in json.load(open('samples.json')):
    tree = ast.parse(code)
    call = call_of(tree)
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    texts = [node.value for node in ast.walk(named['headers']) if isinstance(node, ast.Constant)] if 'headers' in named else []
    found.append({
        'method': call.func.attr,
        'path': call.args[0].right.value,
        'keys': [text for text in texts if str(text).startswith('NFT_')],
        'json': ast.literal_eval(named['json']) if 'json' in named else None,
        'file': opened(named['files'].values[0]) if 'files' in named else opened(named['data']) if 'data' in named else None,
    })
print(json.dumps(found))
`;
