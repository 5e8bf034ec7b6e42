import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { globSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { z } from 'zod';
import { standardJsonInput } from '../contracts/compile-solidity.ts';
import { errorOf, runWrangler } from '../deploy/run-wrangler.ts';
import type { LockFile } from './lock-file.ts';

/** What users or chains get: the Worker's bundle, the pages' bundles, the contracts' bytecode. */
const PARTS = ['Worker', 'pages', 'contracts'] as const;
type Part = (typeof PARTS)[number];

export interface ShippedPackage {
  readonly name: string;
  readonly version: string;
  /** SPDX expression, or undefined if the package states none. */
  readonly licence: string | undefined;
  readonly parts: readonly Part[];
  /** Whether package.json lists it, or what needs it, among the development dependencies only. */
  readonly isDevelopment: boolean;
}

const metafileSchema = z.object({
  outputs: z.record(z.string(), z.object({ inputs: z.record(z.string(), z.object({ bytesInOutput: z.number() })) })),
});

/** @returns the paths, as the lock file has them, of the packages of which anything is in a bundle. */
function packagesIn(metafile: z.infer<typeof metafileSchema>): string[] {
  const files = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
  return files.flatMap((file) => /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
}

async function packagesOfWorker(): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'shipped-'));
  try {
    const metafile = join(directory, 'metafile.json');
    const options = ['--env', '', '--outdir', directory, '--metafile', metafile];
    const built = await runWrangler(['deploy', '--dry-run', ...options]);
    if (!built.succeeded) throw new Error(`The Worker cannot be built: ${errorOf(built)}`);
    return packagesIn(metafileSchema.parse(JSON.parse(await readFile(metafile, 'utf8'))));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function packagesOfPages(): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: globSync('src/pages/*/main.{ts,tsx,css}'),
    outdir: 'dist',
    tsconfig: 'src/pages/tsconfig.json',
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2022',
  });
  return packagesIn(metafile);
}

async function packagesOfContracts(): Promise<string[]> {
  const sources = (await readdir('contracts')).filter((name) => name.endsWith('.sol'));
  const input = standardJsonInput(sources.map((name) => `contracts/${name}`));
  return Object.keys(input.sources)
    .flatMap((source) => /^@[^/]+\/[^/]+/.exec(source)?.[0] ?? [])
    .map((name) => `node_modules/${name}`);
}

/** Bundles everything that ships, in the current directory. @returns its packages by name, then version. */
export async function shippedPackages({ packages }: LockFile): Promise<ShippedPackage[]> {
  const [worker, pages, contracts] = await Promise.all([packagesOfWorker(), packagesOfPages(), packagesOfContracts()]);
  const shipped = new Map<string, ShippedPackage>();
  for (const [part, paths] of [
    ['Worker', worker],
    ['pages', pages],
    ['contracts', contracts],
  ] as const) {
    for (const path of new Set(paths)) {
      const { version, license, dev, name = path.replace(/^.*node_modules\//, '') } = packages[path] ?? {};
      if (version === undefined) throw new Error(`${path} is not in the lock file`);
      const id = `${name}@${version}`;
      const parts = [...(shipped.get(id)?.parts ?? []), part];
      shipped.set(id, { name, version, licence: license, isDevelopment: dev ?? false, parts: [...new Set(parts)] });
    }
  }
  return [...shipped.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
}
