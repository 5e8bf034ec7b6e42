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
    ['with a hash that is no SHA-512', { integrity: 'sha512-abc' }, 'no SHA-512 hash'],
    [
      'with a weak hash beside its own',
      { integrity: `${viem?.integrity} sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=` },
      'no SHA-512',
    ],
    ['from a URL', { resolved: 'https://example.org/viem-2.57.1.tgz' }, 'names where it is from'],
    [
      "from another package's URL, with that one's hash",
      {
        resolved: 'https://registry.npmjs.org/hono/-/hono-4.13.19.tgz',
        integrity: lockFile.packages['node_modules/hono']?.integrity,
      },
      'names where it is from',
    ],
    ['from Git', { resolved: 'git+ssh://git@github.com/wevm/viem.git#0123' }, 'names where it is from'],
    ['with the name of another one', { name: 'hono' }, 'node_modules/viem is hono'],
    ['of another version than package.json has', { version: '2.57.0' }, 'viem 2.57.1, and the lock file 2.57.0'],
    ['from a folder', { link: true }, 'is a link'],
  ])('a package %s is a problem', (_, change, problem) => {
    expect(after(change)).toEqual([expect.stringContaining(problem)]);
  });

  it('a direct dependency that is not locked is a problem', () => {
    const { 'node_modules/viem': _, ...packages } = lockFile.packages;
    expect(lockFileProblems({ ...lockFile, packages })).toEqual([expect.stringContaining('the lock file undefined')]);
  });

  it.each([undefined, 'hono'])('a package behind another name is a problem if it is %s', (name) => {
    const path = 'node_modules/typescript-5';
    const entry = { link: false, dev: false, ...lockFile.packages[path], name };
    expect(lockFileProblems({ ...lockFile, packages: { ...lockFile.packages, [path]: entry } })).toEqual([
      expect.stringContaining('which package.json does not say'),
    ]);
  });

  it('a nested package cannot have a name of its own', () => {
    const path = 'node_modules/viem/node_modules/typescript-5';
    const entry = { link: false, dev: false, ...lockFile.packages['node_modules/typescript-5'] };
    expect(lockFileProblems({ ...lockFile, packages: { ...lockFile.packages, [path]: entry } })).toEqual([
      expect.stringContaining('which package.json does not say'),
    ]);
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
