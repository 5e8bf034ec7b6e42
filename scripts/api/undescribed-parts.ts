type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const textOrNumber = new Set<unknown>(['string', 'number', 'integer']);

/**
 * What an OpenAPI document leaves to guess: fields and parameters without a description or an example, bodies without
 * an example. One line each.
 */
export function undescribedParts(document: object): string[] {
  return Object.entries(document).flatMap(([name, part]) => [...problemsIn(part, [name])]);
}

function* problemsIn(node: unknown, path: readonly string[]): Generator<string> {
  if (!isObject(node)) return;
  const place = path.join('/');
  const [kind, holder] = [path.at(-2), path.at(-1)];
  if (kind === 'properties' && !('$ref' in node)) {
    if (!('description' in node)) yield `A field needs a description: ${place}`;
    const isListed = 'enum' in node || 'const' in node;
    if (!isListed && [node['type']].flat().some((type) => textOrNumber.has(type)) && !('example' in node)) {
      yield `A field of text or a number needs an example: ${place}`;
    }
  }
  if (kind === 'parameters') {
    const schema = isObject(node['schema']) ? node['schema'] : {};
    if (!('description' in node) || !('enum' in schema || 'example' in schema)) {
      yield `A parameter needs a description and, unless it lists its values, an example: ${place}`;
    }
  }
  if (kind === 'content' && holder === 'application/json' && path[0] === 'paths' && !('example' in node)) {
    yield `A body needs an example, recorded by test/flows/api-examples.test.ts: ${place}`;
  }
  for (const [key, inner] of Object.entries(node)) {
    // A field may have any name.
    const isValue = (key === 'example' || key === 'examples') && holder !== 'properties';
    if (!isValue) yield* problemsIn(inner, [...path, key]);
  }
}
