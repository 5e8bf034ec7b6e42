import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readApiDocument } from './api/read-api-document.ts';

/** Checks the API document with two linters; an error or a warning of either fails. */

const PROJECT = fileURLToPath(new URL('..', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'nft-api-lint-'));
try {
  const file = join(directory, 'openapi.json');
  writeFileSync(file, JSON.stringify(await readApiDocument(), null, 2));
  const linters = [
    ['redocly', 'lint', file, '--config=scripts/api/redocly.yaml', '--format=stylish', '--max-problems=1000'],
    ['spectral', 'lint', file, '--ruleset=scripts/api/spectral.yaml', '--fail-severity=hint'],
  ];
  for (const [linter = '', ...args] of linters) {
    const { status, stdout, stderr } = spawnSync(join(PROJECT, 'node_modules/.bin', linter), args, {
      cwd: PROJECT,
      encoding: 'utf8',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' },
    });
    const output = `${stdout}${stderr}`;
    if (status === 0 && !/\bwarnings?\b/.test(output)) continue;
    process.exitCode = 1;
    console.error(output.trim());
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
if (process.exitCode === undefined) console.log('The API document has no error and no warning.');
