import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import type { Edit } from './mutants.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Applies a mutant's edits to the sources.
 * @throws if a text does not occur exactly once: the source has changed, and the mutant must be updated.
 */
export function mutate({ name, edits }: { readonly name: string; readonly edits: readonly Edit[] }): Plugin {
  const texts = new Map<string, string>();
  for (const { file, find, put } of edits) {
    const text = texts.get(file) ?? readFileSync(ROOT + file, 'utf8');
    if (text.split(find).length !== 2) throw new Error(`The mutant "${name}" does not fit ${file}`);
    texts.set(
      file,
      text.replace(find, () => put),
    );
  }
  return {
    name: 'mutant',
    setup(build) {
      build.onLoad({ filter: /(src|scripts)\/.*\.ts$/ }, ({ path }) => {
        const text = texts.get(path.slice(ROOT.length));
        return text === undefined ? undefined : { contents: text, loader: 'ts' };
      });
    },
  };
}
