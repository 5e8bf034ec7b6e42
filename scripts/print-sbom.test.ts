import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';

const bomSchema = z.object({
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.literal('1.5'),
  components: z.array(
    z.object({
      name: z.string(),
      version: z.string(),
      hashes: z.array(z.object({ alg: z.string(), content: z.string() })),
      licenses: z.array(
        z.object({ license: z.object({ id: z.string() }).optional(), expression: z.string().optional() }),
      ),
    }),
  ),
});

/** Name, version and licence of what ships, as docs/dependencies.md says, which `npm run dependencies:check` compares with the bundles. */
const shipped = Array.from(
  readFileSync('docs/dependencies.md', 'utf8').matchAll(
    /^\| (\S+) +\| (\d\S*) +\| (.+?) +\| (?:Worker|pages|contracts)/gm,
  ),
  ([, name, version, licence]) => ({ name, version, licence }),
);

it(
  'the bill of materials has every package that ships and no other, with its SHA-512 hash and its licence',
  { timeout: 180_000 },
  () => {
    const bom = bomSchema.parse(JSON.parse(execFileSync('node', ['scripts/print-sbom.ts'], { encoding: 'utf8' })));
    expect(shipped.length).toBeGreaterThan(20);
    const listed = bom.components.map(({ name, version, licenses: [licence] }) => ({
      name,
      version,
      licence: licence?.license?.id ?? licence?.expression,
    }));
    expect(listed).toHaveLength(shipped.length);
    expect(listed).toEqual(expect.arrayContaining(shipped));
    for (const { name, hashes } of bom.components) {
      expect([name, hashes]).toEqual([name, [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }]]);
    }
  },
);
