import { z } from 'zod';
import { readLockFile } from './dependencies/lock-file.ts';
import { runNpm } from './dependencies/run-npm.ts';
import { shippedPackages } from './dependencies/shipped-packages.ts';

/**
 * Prints the software bill of materials (CycloneDX 1.5) of what ships: the components that npm lists, without those of which nothing is in the
 * Worker, the pages or the contracts. With `--omit=dev`, npm 11 also leaves out some that production needs.
 *
 * Usage: npm run -s sbom > sbom.json
 */

const bomSchema = z.looseObject({
  metadata: z.looseObject({ component: z.looseObject({ 'bom-ref': z.string(), name: z.string() }) }),
  components: z.array(z.looseObject({ 'bom-ref': z.string(), name: z.string(), version: z.string() })),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()) })),
});

const shipped = await shippedPackages(readLockFile('package-lock.json'));
const printed = runNpm(['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only']);
const bom = bomSchema.parse(JSON.parse(printed));
const isShipped = (component: { name: string; version: string }) =>
  shipped.some(({ name, version }) => name === component.name && version === component.version);
const components = bom.components.filter(isShipped);
const missing = shipped.filter(
  ({ name, version }) => !components.some((component) => component.name === name && component.version === version),
);
if (missing.length > 0) throw new Error(`npm does not list ${missing.map(({ name }) => name).join(', ')}`);

const { component } = bom.metadata;
const refs = new Set([component['bom-ref'], ...components.map((entry) => entry['bom-ref'])]);
const dependencies = bom.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map(({ dependsOn, ...entry }) => ({ ...entry, dependsOn: dependsOn.filter((ref) => refs.has(ref)) }));
// npm names the project after the folder that it is in.
const name = component['bom-ref'].replace(/@[^@]*$/, '');
const metadata = { ...bom.metadata, component: { ...component, name } };
console.log(JSON.stringify({ ...bom, metadata, components, dependencies }, undefined, 2));
