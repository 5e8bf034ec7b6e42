import { describe, expect, it } from 'vitest';
import { lockFileProblems, readLockFile } from './lock-file.ts';

const lockFile = readLockFile('package-lock.json');
const viem = lockFile.packages['node_modules/viem'];

/** The problems of this project's lock file after a change of one package. */
const after = (change: object) =>
  lockFileProblems({
    ...lockFile,
    packages: { ...lockFile.packages, 'node_modules/viem': { link: false, dev: false, ...viem, ...change } },
  });

describe('the lock file', () => {
  it('has nothing that npm ci would install unchecked', () => {
    expect(Object.keys(lockFile.packages).length).toBeGreaterThan(100);
    expect(lockFileProblems(lockFile)).toEqual([]);
  });

  it.each([
    ['without a hash', { integrity: undefined }, 'no SHA-512 hash'],
    ['with a weak hash', { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }, 'no SHA-512 hash'],
    ['from another host', { resolved: 'https://example.org/viem-2.57.1.tgz' }, 'not from the registry'],
    [
      'from a host whose name only begins like the registry',
      { resolved: 'https://registry.npmjs.org.example.org/viem.tgz' },
      'not from the registry',
    ],
    ['from Git', { resolved: 'git+ssh://git@github.com/wevm/viem.git#0123' }, 'not from the registry'],
    ['from a folder', { link: true }, 'is a link'],
  ])('a package %s is a problem', (_, change, problem) => {
    expect(after(change)).toEqual([expect.stringContaining(problem)]);
  });

  it('a package from the registry, by its URL, is none', () => {
    expect(after({ resolved: 'https://registry.npmjs.org/viem/-/viem-2.57.1.tgz' })).toEqual([]);
  });

  it.each(['^2.57.1', '*', 'latest', 'github:wevm/viem', 'npm:viem@^2.0.0'])(
    'the version %s is a problem',
    (version) => {
      expect(lockFileProblems({ ...lockFile, direct: { ...lockFile.direct, viem: version } })).toEqual([
        `viem has no exact version: ${version}`,
      ]);
    },
  );
});
