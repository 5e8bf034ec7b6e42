/** The tokens of a JSON text that tell where its members are. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/** An object or a list that a token is in. */
interface Level {
  /** The names of its members so far; undefined: it is a list. */
  readonly names: Set<string> | undefined;
  /** The member, or the index of the item, that the token is in. */
  at: string | number;
}

/**
 * The first member of a JSON text that its object has twice. `JSON.parse` keeps the last one, other parsers the first
 * (RFC 8259, section 4; RFC 7493, section 2.3, forbids it). Takes time in proportion to the text.
 * @param json Well-formed JSON.
 * @returns its dotted path; undefined if there is none.
 */
export function repeatedMember(json: string): string | undefined {
  const levels: Level[] = [];
  let text = '""';
  for (const [token] of json.matchAll(TOKENS)) {
    const level = levels.at(-1);
    if (token.startsWith('"')) text = token;
    else if (token === '{') levels.push({ names: new Set(), at: '' });
    else if (token === '[') levels.push({ names: undefined, at: 0 });
    else if (token === '}' || token === ']') levels.pop();
    else if (token === ',' && typeof level?.at === 'number') level.at += 1;
    else if (token === ':' && level?.names !== undefined) {
      const name = String(JSON.parse(text));
      level.at = name;
      if (level.names.has(name)) return levels.map(({ at }) => at).join('.');
      level.names.add(name);
    }
  }
  return undefined;
}
