import { registerHooks } from 'node:module';

/** What the order kinds import of the Workers runtime and never call here. */
const RUNTIME = 'data:text/javascript,export const waitUntil = () => {}; export class DurableObject {}';

// Imported for its effect, before any file of src/ that needs the Workers runtime: JSON is imported as its bundler
// does.
registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier === 'cloudflare:workers') return { url: RUNTIME, format: 'module', shortCircuit: true };
    const found = nextResolve(specifier, context);
    return found.url.endsWith('.json') ? { ...found, importAttributes: { type: 'json' } } : found;
  },
});
