import type { Metafile } from 'esbuild';

/** What an isolate has of its own: time, chance, the network and the rest of the runtime. */
const OWN_GLOBALS =
  /(?<![.\w])(globalThis|self|Date\.now|new Date\(\)|Math\.random|crypto|performance|scheduler|fetch|AbortSignal|console|caches|navigator|(set|clear)(Timeout|Interval|Immediate)|process|WebSocket)(?!\w)/;

/** State of a module: variables, and collections that are empty at first. */
const STATE =
  /^(export )?let |^(export )?const \w+[^=]*= (\[\]|\{\}|new (?!(Set|Map|RegExp)\b)|new (Set|Map)(<.*>)?\(\))|^ *static (readonly )?#?\w+(: [^=(]+)? =/m;

/** Packages that name no such global where the product uses them, and keep no state. */
const PURE_PACKAGE =
  /^(@noble\/\w+|zod|drizzle-orm|hono|@hono\/zod-openapi|@hono\/zod-validator|@asteasolutions\/zod-to-openapi|@cfworker\/json-schema|ipaddr\.js)\/(?!.*\brequest-id\b)/;

/**
 * Packages whose clients keep state and read the clock, and whose functions do not: isolates have them, and so have the
 * shared modules.
 */
const COPIED_PACKAGE = /^(viem|ox|abitype|isows)\//;

/**
 * The modules that isolates can share, because nothing in them differs between isolates: they name no global that an
 * isolate has of its own, keep no state, and import only such modules. Names in comments count too, which is safe.
 * @param inputs All modules of the bundle, by their path.
 * @param read Returns the text of a module of the product.
 */
export function sharedModules(inputs: Metafile['inputs'], read: (path: string) => string): ReadonlySet<string> {
  const own = new Set(Object.keys(inputs).filter((path) => isOwn(path, read)));
  for (let size = -1; size < own.size;) {
    size = own.size;
    for (const [path, { imports }] of Object.entries(inputs)) {
      if (isCopied(path)) continue;
      if (imports.some((one) => own.has(one.path) || one.external === true)) own.add(path);
    }
  }
  return new Set(Object.keys(inputs).filter((path) => !own.has(path) && !isCopied(path)));
}

function isOwn(path: string, read: (path: string) => string): boolean {
  const inPackage = pathInPackage(path);
  if (inPackage !== undefined) return !PURE_PACKAGE.test(inPackage) && !COPIED_PACKAGE.test(inPackage);
  if (!path.startsWith('src/') || !path.endsWith('.ts')) return false;
  const text = read(path);
  return OWN_GLOBALS.test(text) || STATE.test(text);
}

function isCopied(path: string): boolean {
  return COPIED_PACKAGE.test(pathInPackage(path) ?? '');
}

/** The name of a package and the path in it; undefined for a module of the product. */
function pathInPackage(path: string): string | undefined {
  const [, ...rest] = path.split('node_modules/');
  return rest.at(-1);
}
