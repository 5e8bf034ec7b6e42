import { bytesToHex, checksumAddress, hexToBytes, type Hex } from 'viem';
import type { AbiParameterJson } from './abi-parameter.ts';
import { arrayOf, hasNamedFields } from './abi-values.ts';

/** The most bytes accepted from a contract. */
export const MAX_ABI_BYTES = 64 * 1_024;
/** The most bytes of JSON that they may decode to: a word of 32 bytes can be 78 digits. */
const MAX_JSON_BYTES = 256 * 1_024;
const WORD = 32;

/** A decoded value as JSON: integers as decimal strings, bytes as hex. */
export type AbiValue = string | boolean | AbiValue[] | { [name: string]: AbiValue };

/** The bytes do not match the ABI, or decode to too much data. */
export class AbiDecodingError extends Error {
  override readonly name = 'AbiDecodingError';
}

/** How a parameter is encoded. */
type Layout = {
  /** The head has an offset to the value, not the value. */
  readonly isDynamic: boolean;
  /** Bytes in the head: of the value, or of its offset. */
  readonly headSize: number;
} & (
  | { readonly kind: 'word'; readonly read: (word: Uint8Array) => string | boolean }
  | { readonly kind: 'bytes'; readonly read: (bytes: Uint8Array) => string }
  /** `length` is undefined when it is part of the data. */
  | { readonly kind: 'array'; readonly item: Layout; readonly length: number | undefined }
  | {
      readonly kind: 'tuple';
      readonly fields: readonly Layout[];
      readonly names: readonly string[] | undefined;
      readonly jsonBytes: number;
    }
);

/**
 * Decodes data returned by an untrusted contract.
 *
 * The ABI encoding allows many offsets to point at the same bytes, so a short response can decode to gigabytes. And
 * JSON repeats field names that the encoding does not have. Here every value counts with its size as JSON, each time it
 * is read, up to {@link MAX_JSON_BYTES} in total.
 * @returns one value per parameter. A tuple is an object when each field has a name of its own, otherwise an array.
 * @throws {AbiDecodingError} when the bytes do not match the parameters or decode to too much data.
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

  /** Decodes the values whose heads begin at `start`, which their offsets are relative to. */
  sequence(layouts: readonly Layout[], start: number): AbiValue[] {
    let position = start;
    return layouts.map((layout) => {
      const value = this.#value(layout, layout.isDynamic ? start + this.#count(position) : position);
      position += layout.headSize;
      return value;
    });
  }

  #value(layout: Layout, position: number): AbiValue {
    if (layout.kind === 'word') return this.#counted(layout.read(this.#read(position, WORD)));
    if (layout.kind === 'bytes') return this.#counted(layout.read(this.#read(position + WORD, this.#count(position))));
    if (layout.kind === 'tuple') {
      const { fields, names } = layout;
      this.#spend(layout.jsonBytes);
      const values = this.sequence(fields, position);
      return names === undefined ? values : Object.fromEntries(values.map((value, index) => [names[index], value]));
    }
    const { item } = layout;
    const start = layout.length === undefined ? position + WORD : position;
    const length = layout.length ?? this.#count(position);
    this.#require(start, length * item.headSize);
    this.#spend(2 + length);
    const items = Array.from({ length }, () => item);
    return this.sequence(items, start);
  }

  /** Reads a length or an offset, which cannot exceed the length of the data. */
  #count(position: number): number {
    const word = this.#read(position, WORD);
    const count = wordToInteger(word);
    if (count > BigInt(this.#bytes.length)) throw new AbiDecodingError('has an offset or a length past its end');
    return Number(count);
  }

  #read(position: number, length: number): Uint8Array {
    this.#require(position, length);
    return this.#bytes.subarray(position, position + length);
  }

  #counted(value: string | boolean): string | boolean {
    this.#spend(new TextEncoder().encode(JSON.stringify(value)).length);
    return value;
  }

  #spend(bytes: number): void {
    this.#budget -= bytes;
    if (this.#budget < 0) throw new AbiDecodingError(`decodes to more than ${MAX_JSON_BYTES / 1_024} KB of JSON`);
  }

  #require(position: number, length: number): void {
    if (position + length > this.#bytes.length) throw new AbiDecodingError('ends too early');
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
    // The brackets, and for each field a comma and its name, if any: ASCII, in quotes, with a colon.
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
    if (BigInt.asIntN(digits, integer) !== integer)
      throw new AbiDecodingError(`has an integer out of the range of ${type}`);
    return integer.toString();
  };
}

function fitting(bits: number, integer: bigint): bigint {
  if (integer >> BigInt(bits) !== 0n) throw new AbiDecodingError(`has an integer of more than ${bits} bits`);
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
