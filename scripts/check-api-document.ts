import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandLine } from '../cli/command-line.ts';
import { clientApi } from './api/client-api.ts';
import { pageKinds } from './api/order-kinds.ts';
import { pageTypes } from './api/page-types.ts';
import { readApiDocument } from './api/read-api-document.ts';
import { undescribedParts } from './api/undescribed-parts.ts';

const USAGE = `npm run api:check | api:spectral | api:types

Checks that the API document describes all of its parts and has no error or warning of a linter, and that the types of pages and of the client follow from it.
  --spectral  the linter is Spectral, which npx downloads with its 200 packages, in place of redocly: npm run api:spectral
  --write     bring the types up to date and check nothing: npm run api:types
Examples:
  npm run api:check
  npm run api:types`;

const LINTERS = {
  redocly: ['redocly', 'lint', '--config=scripts/api/redocly.yaml', '--format=stylish', '--max-problems=1000'],
  spectral: ['@stoplight/spectral-cli@6.16.3', 'lint', '--ruleset=scripts/api/spectral.yaml', '--fail-severity=hint'],
};

/** @returns what the linter finds. */
function lint(document: object, linter: keyof typeof LINTERS): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'nft-api-lint-'));
  try {
    const file = join(directory, 'openapi.json');
    writeFileSync(file, JSON.stringify(document, null, 2));
    const { status, stdout, stderr } = spawnSync('npx', ['--yes', ...LINTERS[linter], file], {
      encoding: 'utf8',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' },
      shell: process.platform === 'win32',
    });
    const output = `${stdout}${stderr}`.replaceAll(/^npm warn .*\n/gm, '').trim();
    return status === 0 && !/\bwarnings?\b/.test(output) ? [] : [output];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const { values } = commandLine(USAGE, {
  write: { type: 'boolean', default: false },
  spectral: { type: 'boolean', default: false },
});
const document = await readApiDocument();
const generated = {
  'src/pages/shared/api-types.ts': await pageTypes(document),
  'src/pages/shared/order-kinds.ts': pageKinds(document),
  'clients/typescript/src/api.ts': await clientApi(document),
};
if (values.write) {
  for (const [file, source] of Object.entries(generated)) writeFileSync(file, source);
} else {
  const outdated = Object.entries(generated).filter(([file, source]) => readFileSync(file, 'utf8') !== source);
  const problems = [
    ...outdated.map(([file]) => `${file} does not follow from the API document. Run npm run api:types.`),
    ...undescribedParts(document),
    ...lint(document, values.spectral ? 'spectral' : 'redocly'),
  ];
  if (problems.length > 0) {
    console.error(problems.join('\n'));
    process.exitCode = 1;
  } else {
    console.log('The API document has no error and no warning.');
  }
}
