import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const dependenciesSchema = z.record(z.string(), z.string()).default({});

const projectSchema = z.object({
  dependencies: dependenciesSchema,
  devDependencies: dependenciesSchema,
  optionalDependencies: dependenciesSchema,
});

const packageSchema = z.object({
  name: z.string().optional(),
  version: z.string().optional(),
  license: z.string().optional(),
  /** Where to download it from. Absent: from the registry that npm is configured for, by name and version. */
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  link: z.boolean().default(false),
  /** Whether only development dependencies need it. */
  dev: z.boolean().default(false),
});

const fileSchema = z.object({ packages: z.record(z.string(), z.unknown()) });

/** What is read here of a lock file of npm 7 or newer. */
export interface LockFile {
  /** The versions that package.json asks for, by name. */
  readonly direct: Readonly<Record<string, string>>;
  /** By path, such as `node_modules/viem/node_modules/abitype`. */
  readonly packages: Readonly<Record<string, z.infer<typeof packageSchema>>>;
}

/** Reads a lock file, and the package.json beside it. */
export function readLockFile(file: string): LockFile {
  const { '': _, ...packages } = fileSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).packages;
  // Not the lock file's copy of it.
  const project: unknown = JSON.parse(readFileSync(join(dirname(file), 'package.json'), 'utf8'));
  const { dependencies, devDependencies, optionalDependencies } = projectSchema.parse(project);
  return {
    direct: { ...dependencies, ...devDependencies, ...optionalDependencies },
    packages: z.record(z.string(), packageSchema).parse(packages),
  };
}

/** A SHA-512 hash alone: 64 bytes in base64. */
const SHA512 = /^sha512-[A-Za-z0-9+/]{86}==$/;
/** An exact version, or one of the package that stands behind another name. */
const EXACT_VERSION = /^(?:npm:(?<alias>(?:@[\w.-]+\/)?[\w.-]+)@)?(?<version>\d+\.\d+\.\d+(?:-[\w.]+)?)$/;

/**
 * Finds packages that `npm ci` would install without comparing them with a hash, or as another package than their path says, and direct
 * dependencies whose version is a range or not the one that is locked.
 * @returns one line per problem.
 */
export function lockFileProblems({ direct, packages }: LockFile): string[] {
  const locked = Object.entries(packages).flatMap(([path, entry]) => packageProblem(path, entry, direct) ?? []);
  const asked = Object.entries(direct).flatMap(([name, wanted]) => {
    const version = EXACT_VERSION.exec(wanted)?.groups?.['version'];
    if (version === undefined) return [`${name} has no exact version: ${wanted}`];
    const found = packages[`node_modules/${name}`]?.version;
    return found === version ? [] : [`package.json has ${name} ${version}, and the lock file ${found}`];
  });
  return [...locked, ...asked];
}

function packageProblem(
  path: string,
  { link, name, resolved, integrity = '' }: LockFile['packages'][string],
  direct: LockFile['direct'],
): string | undefined {
  if (link) return `${path} is a link, not a package`;
  // A URL could be that of another package, with the hash of that one.
  if (resolved !== undefined) return `${path} names where it is from: ${resolved}`;
  const alias = EXACT_VERSION.exec(direct[path.replace(/^node_modules\//, '')] ?? '')?.groups?.['alias'];
  if (name !== alias) return `${path} is ${name ?? 'the package of that name'}, which package.json does not say`;
  return SHA512.test(integrity) ? undefined : `${path} has no SHA-512 hash`;
}
