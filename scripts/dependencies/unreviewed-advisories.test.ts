import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sendJson, startHttpServer } from '../../stack/http-server.ts';
import { unreviewedAdvisories } from './unreviewed-advisories.ts';

const advisory = {
  id: 1,
  url: 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc',
  title: 'A weakness',
  severity: 'high',
  vulnerable_versions: '<2.0.0',
  cwe: [],
  cvss: { score: 0, vectorString: null },
};

let project: string;
let report: unknown;
let errorReport: unknown;

/** What npm itself prints for a project that uses `leaf` and `trunk`, which needs `leaf`. */
async function audit(registry: string): Promise<unknown> {
  const args = ['audit', '--json', '--package-lock-only', '--fetch-retries=0', `--registry=${registry}`];
  const npm = spawn('npm', args, { cwd: project, stdio: ['ignore', 'pipe', 'ignore'] });
  const [printed] = await Promise.all([text(npm.stdout), once(npm, 'close')]);
  return JSON.parse(printed);
}

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'audit-'));
  const manifest = { name: 'project', version: '1.0.0', dependencies: { leaf: '1.0.0', trunk: '1.0.0' } };
  const packages = {
    '': manifest,
    'node_modules/leaf': { version: '1.0.0' },
    'node_modules/trunk': { version: '1.0.0', dependencies: { leaf: '1.0.0' } },
  };
  await writeFile(join(project, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(project, 'package-lock.json'), JSON.stringify({ ...manifest, lockfileVersion: 3, packages }));
  const registry = await startHttpServer('registry', (request, response) => {
    if (request.url?.endsWith('/advisories/bulk') === true) return sendJson(response, 200, { leaf: [advisory] });
    const name = request.url?.slice(1);
    const version = { name, version: '1.0.0', dependencies: name === 'trunk' ? { leaf: '1.0.0' } : {} };
    return sendJson(response, 200, { name, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } });
  });
  const withoutAudit = await startHttpServer(
    'registry without audit',
    (_, response) => void response.writeHead(405).end(),
  );
  report = await audit(registry.url);
  errorReport = await audit(withoutAudit.url);
  await Promise.all([registry.stop(), withoutAudit.stop()]);
});
afterAll(() => rm(project, { recursive: true }));

it('an advisory about a package that ships is reported once, with its id', () => {
  expect(unreviewedAdvisories(report, ['leaf', 'trunk'], '')).toEqual([
    'leaf <2.0.0 (high): A weakness https://github.com/advisories/GHSA-aaaa-bbbb-cccc',
  ]);
});

it('an advisory that the document names is not reported', () => {
  expect(unreviewedAdvisories(report, ['leaf'], 'GHSA-aaaa-bbbb-cccc: not used')).toEqual([]);
});

it('an advisory about a package that does not ship is not reported', () => {
  expect(unreviewedAdvisories(report, ['trunk'], '')).toEqual([]);
});

it('a registry without advisories is not taken for a clean report', () => {
  expect(unreviewedAdvisories(errorReport, ['leaf'], '')).toBeUndefined();
});
