import { bytesToHex, checksumAddress, hexToBytes } from 'viem';
import type { Hex } from 'viem';
import type { AbiParameterJson } from './abi-parameter.ts';
import { arrayOf, hasNamedFields } from './abi-values.ts';

/** The most bytes that are taken from a contract. */
export const MAX_ABI_BYTES = 64 * 1_024;
/** The most bytes of JSON that they may come to: a word of 32 bytes can be 78 digits. */
const MAX_JSON_BYTES = 256 * 1_024;
const WORD = 32;

/** A value of the chain in JSON: whole numbers as decimal strings, bytes as hex digits. */
export type AbiValue = string | boolean | AbiValue[] | { [name: string]: AbiValue };

/** Bytes that are not what the ABI says, or that come to too much. */
export class AbiDecodingError extends Error {
  override readonly name = 'AbiDecodingError';
}

/** A parameter, with what finding its value takes. */
type Layout = {
  /** Its value stands where a pointer says. */
  readonly isDynamic: boolean;
  /** Bytes that it takes where it is listed: of its value, or of its pointer. */
  readonly headSize: number;
} & (
  | { readonly kind: 'word'; readonly read: (word: Uint8Array) => string | boolean }
  | { readonly kind: 'bytes'; readonly read: (bytes: Uint8Array) => string }
  /** `length` is undefined where the data says it. */
  | { readonly kind: 'array'; readonly item: Layout; readonly length: number | undefined }
  | {
      readonly kind: 'tuple';
      readonly fields: readonly Layout[];
      readonly names: readonly string[] | undefined;
      readonly jsonBytes: number;
    }
);

/**
 * Decodes what a contract says, whoever wrote it.
 *
 * The ABI's encoding lets many pointers lead to the same bytes, so that a short answer can stand for gigabytes. And what it
 * says in a word, JSON says with a field's name. Here everything counts as what it is in JSON, as often as it is there, and
 * all of it may come to {@link MAX_JSON_BYTES}.
 * @returns a value for each parameter. A tuple is an object where each field has a name of its own, else an array.
 * @throws {AbiDecodingError} where the bytes do not fit the parameters, or come to too much.
 */
export function decodeAbi(parameters: readonly AbiParameterJson[], data: Hex): AbiValue[] {
  if (data.length > 2 + 2 * MAX_ABI_BYTES) throw new AbiDecodingError(`is longer than ${MAX_ABI_BYTES / 1_024} KB`);
  return new Decoder(hexToBytes(data)).sequence(parameters.map(layoutOf), 0);
}

class Decoder {
  readonly #bytes: Uint8Array;
  #budget = MAX_JSON_BYTES;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The values that are listed from `start` on: what pointers among them count from. */
  sequence(layouts: readonly Layout[], start: number): AbiValue[] {
    let place = start;
    return layouts.map((layout) => {
      const value = this.#value(layout, layout.isDynamic ? start + this.#count(place) : place);
      place += layout.headSize;
      return value;
    });
  }

  #value(layout: Layout, place: number): AbiValue {
    if (layout.kind === 'word') return this.#counted(layout.read(this.#read(place, WORD)));
    if (layout.kind === 'bytes') return this.#counted(layout.read(this.#read(place + WORD, this.#count(place))));
    if (layout.kind === 'tuple') {
      const { fields, names } = layout;
      this.#spend(layout.jsonBytes);
      const values = this.sequence(fields, place);
      return names === undefined ? values : Object.fromEntries(values.map((value, index) => [names[index], value]));
    }
    const { item } = layout;
    const start = layout.length === undefined ? place + WORD : place;
    const length = layout.length ?? this.#count(place);
    this.#require(start, length * item.headSize);
    this.#spend(2 + length);
    const items = Array.from({ length }, () => item);
    return this.sequence(items, start);
  }

  /** A length or a pointer. More than the data's own length cannot be right. */
  #count(place: number): number {
    const word = this.#read(place, WORD);
    const count = wordToInteger(word);
    if (count > BigInt(this.#bytes.length)) throw new AbiDecodingError('points past its end');
    return Number(count);
  }

  #read(place: number, length: number): Uint8Array {
    this.#require(place, length);
    return this.#bytes.subarray(place, place + length);
  }

  #counted(value: string | boolean): string | boolean {
    this.#spend(new TextEncoder().encode(JSON.stringify(value)).length);
    return value;
  }

  #spend(bytes: number): void {
    this.#budget -= bytes;
    if (this.#budget < 0) throw new AbiDecodingError(`comes to more than ${MAX_JSON_BYTES / 1_024} KB of JSON`);
  }

  #require(place: number, length: number): void {
    if (place + length > this.#bytes.length) throw new AbiDecodingError('ends too early');
  }
}

function layoutOf(parameter: AbiParameterJson): Layout {
  const array = arrayOf(parameter.type);
  if (array !== undefined) {
    const item = layoutOf({ ...parameter, type: array.itemType });
    const isDynamic = array.length === undefined || item.isDynamic;
    const headSize = isDynamic ? WORD : item.headSize * (array.length ?? 0);
    return { kind: 'array', item, length: array.length, isDynamic, headSize };
  }
  if (parameter.type === 'tuple') {
    const components = parameter.components ?? [];
    const fields = components.map(layoutOf);
    const isDynamic = fields.some((field) => field.isDynamic);
    const headSize = isDynamic ? WORD : fields.reduce((sum, field) => sum + field.headSize, 0);
    const names = hasNamedFields(components) ? components.map(({ name = '' }) => name) : undefined;
    // Its brackets, and with each field a comma and, where it has one, the name: ASCII, in quotes, with a colon.
    const jsonBytes = 2 + fields.length + (names ?? []).reduce((sum, name) => sum + name.length + 3, 0);
    return { kind: 'tuple', fields, names, jsonBytes, isDynamic, headSize };
  }
  if (parameter.type === 'string') return { kind: 'bytes', read: textOf, isDynamic: true, headSize: WORD };
  if (parameter.type === 'bytes') return { kind: 'bytes', read: hexOf, isDynamic: true, headSize: WORD };
  return { kind: 'word', read: wordReader(parameter.type), isDynamic: false, headSize: WORD };
}

function wordReader(type: string): (word: Uint8Array) => string | boolean {
  if (type === 'bool') return (word) => fitting(1, wordToInteger(word)) === 1n;
  if (type === 'address') {
    return (word) => {
      fitting(160, wordToInteger(word));
      return checksumAddress(bytesToHex(word.subarray(12)));
    };
  }
  const digits = Number(/\d+$/.exec(type)?.[0]);
  if (type.startsWith('bytes')) return (word) => bytesToHex(word.subarray(0, digits));
  if (type.startsWith('u')) return (word) => fitting(digits, wordToInteger(word)).toString();
  return (word) => {
    const integer = BigInt.asIntN(256, wordToInteger(word));
    if (BigInt.asIntN(digits, integer) !== integer) throw new AbiDecodingError(`has no ${type}`);
    return integer.toString();
  };
}

function fitting(bits: number, integer: bigint): bigint {
  if (integer >> BigInt(bits) !== 0n) throw new AbiDecodingError(`has a number of more than ${bits} bits`);
  return integer;
}

function wordToInteger(word: Uint8Array): bigint {
  return BigInt(bytesToHex(word));
}

function hexOf(bytes: Uint8Array): Hex {
  return bytesToHex(bytes);
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(bytes);
}
