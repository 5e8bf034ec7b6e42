import { readFileSync } from 'node:fs';
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
  /** Where it was downloaded from. Absent: from the registry that npm is configured for, by name and version. */
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

export function readLockFile(file: string): LockFile {
  const { '': project, ...packages } = fileSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).packages;
  const { dependencies, devDependencies, optionalDependencies } = projectSchema.parse(project);
  return {
    direct: { ...dependencies, ...devDependencies, ...optionalDependencies },
    packages: z.record(z.string(), packageSchema).parse(packages),
  };
}

const REGISTRY = 'https://registry.npmjs.org/';
const EXACT_VERSION = /^(?:npm:(?:@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/;

/**
 * Finds packages that `npm ci` would install without comparing them with a hash, or from elsewhere than the registry, and direct dependencies
 * whose version is a range.
 * @returns one line per problem.
 */
export function lockFileProblems({ direct, packages }: LockFile): string[] {
  const inLockFile = Object.entries(packages).flatMap(([path, { integrity, resolved, link }]) => {
    if (link) return [`${path} is a link, not a package`];
    if (resolved !== undefined && !resolved.startsWith(REGISTRY))
      return [`${path} is not from the registry: ${resolved}`];
    return integrity?.startsWith('sha512-') === true ? [] : [`${path} has no SHA-512 hash`];
  });
  const ranges = Object.entries(direct).filter(([, version]) => !EXACT_VERSION.test(version));
  return [...inLockFile, ...ranges.map(([name, version]) => `${name} has no exact version: ${version}`)];
}
