import type { ShippedPackage } from './shipped-packages.ts';

/** Licences that permit use in a closed product and ask for no more than their text. */
const PERMISSIVE = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'Unlicense']);

/** Whether an SPDX expression offers a permissive licence. Expressions with AND or WITH need a person to read them. */
function isPermissive(licence: string): boolean {
  return licence
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((choice) => PERMISSIVE.has(choice));
}

/** @returns one line for each package that may not ship as it is. */
export function shippedProblems(shipped: readonly ShippedPackage[]): string[] {
  return shipped.flatMap(({ name, version, licence, isDevelopment }) => [
    ...(licence !== undefined && isPermissive(licence)
      ? []
      : [`${name}@${version}: no known permissive licence: ${licence}`]),
    ...(isDevelopment ? [`${name}@${version} ships, but package.json lists it as a development dependency`] : []),
  ]);
}
