/** A part of a JSON text that stands there as it is: a number that JavaScript cannot hold, or what is no JSON. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** An object whose members keep their order and may have the same name. */
export class Members {
  readonly entries: readonly (readonly [string, unknown])[];

  constructor(entries: readonly (readonly [string, unknown])[]) {
    this.entries = entries;
  }
}

/** A long string, made only when it is sent. */
export class LongText {
  readonly length: number;

  constructor(length: number) {
    this.length = length;
  }
}

/** Arrays in arrays, made only when they are sent. */
export class DeepArray {
  readonly depth: number;

  constructor(depth: number) {
    this.depth = depth;
  }
}

/** The JSON text of a value that may contain the classes above. */
export function jsonText(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  if (value instanceof LongText) return `"${'a'.repeat(value.length)}"`;
  if (value instanceof DeepArray) return `${'['.repeat(value.depth)}${']'.repeat(value.depth)}`;
  if (value instanceof Members) return objectText(value.entries);
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    return objectText(Object.entries(value).filter(([, member]) => member !== undefined));
  }
  return JSON.stringify(value) ?? 'null';
}

function objectText(entries: readonly (readonly [string, unknown])[]): string {
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${jsonText(member)}`).join(',')}}`;
}
